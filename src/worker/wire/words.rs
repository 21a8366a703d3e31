//! The body of the message for a page's words: JSON of lists without names.

use std::io;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use pagewise_text::{PageWords, PlacedWord, Script};

/// Text, width, height and words.
#[derive(Debug, Serialize, Deserialize)]
struct WireWords(String, f32, f32, Vec<WireWord>);

/// Text, bounds, baseline, size, turn, whether it is spaced, script and line.
#[derive(Debug, Serialize, Deserialize)]
struct WireWord(String, [f32; 4], f32, f32, u16, bool, WireScript, u32);

#[derive(Debug, Serialize, Deserialize)]
#[serde(remote = "Script")]
enum ScriptForm {
    Baseline,
    Raised,
    Lowered,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireScript(#[serde(with = "ScriptForm")] Script);

/// The body of a message with a page's text and words.
pub(crate) fn encode_words(text: String, page: PageWords) -> io::Result<Bytes> {
    let word = |word: PlacedWord| {
        let PlacedWord { text, bounds, baseline, size, turn, is_spaced, script, line } = word;
        WireWord(text, bounds.edges(), baseline, size, turn, is_spaced, WireScript(script), line)
    };
    let PageWords { width, height, words } = page;
    let page = WireWords(text, width, height, words.into_iter().map(word).collect());
    Ok(serde_json::to_vec(&page)?.into())
}

/// The text and the words in the body of a message.
pub(crate) fn decode_words(body: &[u8]) -> io::Result<(String, PageWords)> {
    let word = |word: WireWord| {
        let WireWord(text, bounds, baseline, size, turn, is_spaced, WireScript(script), line) = word;
        PlacedWord { text, bounds: bounds.into(), baseline, size, turn, is_spaced, script, line }
    };
    let WireWords(text, width, height, words) = serde_json::from_slice(body)?;
    Ok((text, PageWords { width, height, words: words.into_iter().map(word).collect() }))
}
