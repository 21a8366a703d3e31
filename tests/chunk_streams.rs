//! What data the streams of a chunk have: that of the source, or the same in a better filter.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lopdf::{Dictionary, Document as Chunk, Object, Stream, dictionary};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, Tier};
use pagewise_split::cut;
use std::sync::Arc;

/// A file of one page with this content and a picture of this kind.
fn file_of(content: Stream, picture: Stream) -> Vec<u8> {
    let mut document = Chunk::with_version("1.5");
    let tree = document.new_object_id();
    let (content, picture) = (document.add_object(content), document.add_object(picture));
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => tree, "Contents" => content,
        "Resources" => dictionary! { "XObject" => dictionary! { "P" => picture } },
        "MediaBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
    });
    let root = dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] };
    document.objects.insert(tree, root.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    file
}

/// The streams of such a page's chunk: the content and the picture.
fn chunked(content: Stream, picture: Stream) -> [Stream; 2] {
    let file = file_of(content, picture);
    let open = |bytes| Document::open(Arc::new(bytes), None, &Limits::default()).unwrap();
    let chunk = cut(&open(file), PageIndex(0)).unwrap();
    assert_eq!(cut(&open(chunk.bytes.to_vec()), PageIndex(0)).unwrap().bytes, chunk.bytes, "a chunk of the chunk");
    let chunk = Chunk::load_mem(&chunk.bytes).unwrap();
    let page = chunk.get_dictionary(chunk.page_iter().next().unwrap()).unwrap();
    let content = page.get(b"Contents").and_then(Object::as_reference).unwrap();
    let dictionary = |parent: &Dictionary, key: &[u8]| parent.get(key).and_then(Object::as_dict).unwrap().clone();
    let pictures = dictionary(&dictionary(page, b"Resources"), b"XObject");
    let picture = pictures.get(b"P").and_then(Object::as_reference).unwrap();
    [content, picture].map(|id| chunk.get_object(id).and_then(Object::as_stream).unwrap().clone())
}

fn filtered(filters: &[&str], data: Vec<u8>) -> Stream {
    let mut stream = Stream::new(dictionary! {}, data);
    if !filters.is_empty() {
        let names = filters.iter().map(|name| Object::Name(name.as_bytes().to_vec()));
        stream.dict.set("Filter", names.collect::<Vec<_>>());
    }
    stream
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{digits}>").into_bytes()
}

/// LZW with a clear code before the codes would need ten bits.
fn lzw(data: &[u8]) -> Vec<u8> {
    const CLEAR: u32 = 256;
    const END: u32 = 257;
    let runs = data.chunks(200).flat_map(|run| std::iter::once(CLEAR).chain(run.iter().map(|byte| u32::from(*byte))));
    let bits = runs.chain([END]).flat_map(|code| (0..9).rev().map(move |bit| code >> bit & 1 == 1)).collect::<Vec<_>>();
    bits.chunks(8)
        .map(|byte| byte.iter().enumerate().fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at)))
        .collect()
}

fn content() -> Vec<u8> {
    (0..90)
        .map(|line| format!("0 {line} m 9 {line} l S\n"))
        .chain(["/P Do\n".to_owned()])
        .collect::<String>()
        .into_bytes()
}

/// What stands in for the data of a codec that nobody here decodes.
fn picture() -> Vec<u8> {
    (0..200_u8).map(|byte| byte.wrapping_mul(73)).collect()
}

fn filters_of(stream: &Stream) -> Vec<&[u8]> {
    stream.filters().unwrap_or_default()
}

#[test]
fn old_filters_become_flate() {
    for (filters, data) in [
        (&["LZWDecode"][..], lzw(&content())),
        (&["ASCIIHexDecode"], hexadecimal(&content())),
        (&["ASCIIHexDecode", "LZWDecode"], hexadecimal(&lzw(&content()))),
        (&[], content()),
    ] {
        let [stream, _] = chunked(filtered(filters, data), filtered(&[], picture()));
        assert_eq!(filters_of(&stream), [b"FlateDecode"], "{filters:?}");
        assert_eq!(stream.decompressed_content().unwrap(), content(), "{filters:?}");
    }
}

#[test]
fn a_codec_below_an_old_filter_stays_with_its_parameters() {
    let mut source = filtered(&["ASCIIHexDecode", "CCITTFaxDecode"], hexadecimal(&picture()));
    source.dict.set("DecodeParms", vec![Object::Null, dictionary! { "K" => -1 }.into()]);
    let [_, stream] = chunked(Stream::new(dictionary! {}, content()), source);
    assert_eq!(filters_of(&stream), [b"CCITTFaxDecode"]);
    assert_eq!(
        stream.dict.get(b"DecodeParms").and_then(Object::as_dict).unwrap().get(b"K").unwrap(),
        &Object::from(-1)
    );
    assert_eq!(stream.content, picture());
}

#[test]
fn what_is_damaged_or_deflated_already_is_copied_as_it_is() {
    let damaged = [b"zz".to_vec(), hexadecimal(&content())].concat();
    let mut deflated = Stream::new(dictionary! {}, content());
    deflated.compress().unwrap();
    let data = deflated.content.clone();
    let [stream, picture] = chunked(deflated, filtered(&["ASCIIHexDecode"], damaged.clone()));
    assert_eq!(stream.content, data);
    assert_eq!(filters_of(&picture), [b"ASCIIHexDecode"]);
    assert_eq!(picture.content, damaged);
}

#[test]
fn a_page_that_the_strict_reader_refuses_has_a_fingerprint() {
    let odd = |tail: u8| {
        let data = [&picture()[..], b"\nendstream\nendobj\n", &[tail]].concat();
        let file = file_of(filtered(&[], content()), filtered(&["DCTDecode"], data));
        cut(&Document::open(Arc::new(file), None, &Limits::default()).unwrap(), PageIndex(0)).unwrap()
    };
    let [one, same, other] = [1, 1, 2].map(odd);
    assert_ne!(one.tier, Tier::Direct);
    assert_eq!(one.fingerprint(&Limits::default()).unwrap(), same.fingerprint(&Limits::default()).unwrap());
    assert_ne!(one.fingerprint(&Limits::default()).unwrap(), other.fingerprint(&Limits::default()).unwrap());
}
