//! Changes to PDFs: blind ones, and such that keep the file in one piece: what is changed are its objects, and lengths
//! and offsets are right again afterwards, so that the change is met deep inside and not at the door.

#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    dead_code,
    reason = "tests and fuzz targets share it"
)]

/// Numbers that look random and come again for the same seed (xorshift).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() >> 11) as usize % end }
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// Values that readers are known to stumble over.
const NUMBERS: [&[u8]; 14] = [
    b"0",
    b"-1",
    b"1",
    b"2",
    b"255",
    b"256",
    b"65535",
    b"65536",
    b"2147483647",
    b"-2147483648",
    b"4294967295",
    b"9223372036854775807",
    b"1e38",
    b"0.0000001",
];

const WORDS: [&[u8]; 18] = [
    b"/Type",
    b"/Pages",
    b"/Page",
    b"/Kids",
    b"/Count",
    b"/Parent",
    b"/Contents",
    b"/Resources",
    b"/Filter",
    b"/FlateDecode",
    b"/LZWDecode",
    b"/DecodeParms",
    b"/Length",
    b"/ObjStm",
    b"/Annots",
    b"/SMask",
    b"null",
    b"<<>>",
];

/// One of the changes, chosen by `seed`.
pub(crate) fn mutant(file: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance::new(seed);
    match chance.below(4) {
        0 => file[..chance.below(file.len())].to_vec(),
        1 => damaged(file, &mut chance),
        _ => rebuilt(file, &mut chance),
    }
}

/// Bytes flipped, removed, doubled or put in, anywhere.
fn damaged(file: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut out = file.to_vec();
    for _ in 0..=chance.below(8) {
        let at = chance.below(out.len());
        let end = (at + chance.below(64)).min(out.len());
        match chance.below(4) {
            0 if at < out.len() => out[at] ^= 1 << chance.below(8),
            1 => drop(out.drain(at..end)),
            2 => {
                let piece = out[at..end].to_vec();
                out.splice(at..at, piece);
            }
            _ => {
                let word = chance.of(&WORDS).copied().unwrap_or_default();
                out.splice(at..at, word.iter().copied());
            }
        }
    }
    out
}

/// Objects changed, and the file put together again.
pub(crate) fn rebuilt(file: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut objects = objects_of(file);
    let root = root_of(file);
    let (Some(root), false) = (root, objects.is_empty()) else { return damaged(file, chance) };
    for _ in 0..=chance.below(4) {
        change(&mut objects, chance);
    }
    assembled(&objects, root)
}

/// A file's objects: number, and what stands between `obj` and `endobj`.
pub(crate) type Objects = Vec<(u32, Vec<u8>)>;

fn objects_of(file: &[u8]) -> Objects {
    let mut objects = Vec::new();
    let mut at = 0;
    while let Some(found) = find(&file[at..], b" obj") {
        let body = at + found + 4;
        let Some(length) = find(&file[body..], b"endobj") else { break };
        if let Some(number) = number_before(&file[..at + found]) {
            objects.push((number, file[body..body + length].to_vec()));
        }
        at = body + length + 6;
    }
    objects
}

/// `12` of `… 12 0`.
fn number_before(head: &[u8]) -> Option<u32> {
    let digits = |bytes: &[u8]| bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let generation = digits(head);
    let rest = head.get(..head.len().checked_sub(generation + 1)?)?;
    let number = &rest[rest.len() - digits(rest)..];
    std::str::from_utf8(number).ok()?.parse().ok().filter(|number| *number < 1_000_000)
}

fn root_of(file: &[u8]) -> Option<u32> {
    let at = (0..file.len().saturating_sub(5)).rev().find(|at| file[*at..].starts_with(b"/Root"))?;
    let digits = file[at + 5..].iter().skip_while(|byte| byte.is_ascii_whitespace());
    let digits = digits.copied().take_while(u8::is_ascii_digit).collect::<Vec<_>>();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

fn change(objects: &mut Objects, chance: &mut Chance) {
    let (one, other) = (chance.below(objects.len()), chance.below(objects.len()));
    let other_body = objects[other].1.clone();
    let other_number = objects[other].0;
    let body = &mut objects[one].1;
    match chance.below(9) {
        0 => *body = other_body,
        1 => *body = b" null ".to_vec(),
        2 => replace_token(body, chance, u8::is_ascii_digit, chance_number),
        3 => replace_reference(body, chance, other_number),
        4 => replace_token(body, chance, |byte| byte.is_ascii_alphabetic() || *byte == b'/', chance_word),
        5 => deepen(body, chance),
        6 => repeat(body, chance),
        7 => spoil_data(body, chance),
        _ => drop(objects.remove(one)),
    }
    if objects.is_empty() {
        objects.push((1, b" null ".to_vec()));
    }
}

fn chance_number(chance: &mut Chance) -> &'static [u8] {
    chance.of(&NUMBERS).copied().unwrap_or_default()
}

fn chance_word(chance: &mut Chance) -> &'static [u8] {
    chance.of(&WORDS).copied().unwrap_or_default()
}

/// The part of an object before its data.
fn head_of(body: &[u8]) -> usize {
    find(body, b"stream").unwrap_or(body.len())
}

fn replace_token(
    body: &mut Vec<u8>,
    chance: &mut Chance,
    is_in: fn(&u8) -> bool,
    choose: fn(&mut Chance) -> &'static [u8],
) {
    let head = head_of(body);
    let starts = (0..head).filter(|at| is_in(&body[*at]) && (*at == 0 || !is_in(&body[*at - 1]))).collect::<Vec<_>>();
    let Some(&start) = chance.of(&starts) else { return };
    let end = start + body[start..head].iter().take_while(|byte| is_in(byte)).count();
    body.splice(start..end, choose(chance).iter().copied());
}

/// Turns one reference to another object: loops, and things of the wrong kind.
fn replace_reference(body: &mut Vec<u8>, chance: &mut Chance, to: u32) {
    let head = head_of(body);
    let ends = (0..head.saturating_sub(3)).filter(|at| body[*at..].starts_with(b" 0 R")).collect::<Vec<_>>();
    let Some(&end) = chance.of(&ends) else { return };
    let start = end - body[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    body.splice(start..end, to.to_string().bytes());
}

fn deepen(body: &mut Vec<u8>, chance: &mut Chance) {
    let depth = [2, 99, 101, 5_000][chance.below(4)];
    let (open, close): (&[u8], &[u8]) = if chance.below(2) == 0 { (b"[", b"]") } else { (b"<</A ", b">>") };
    let head = head_of(body);
    let value = [open.repeat(depth), b" 1 ".to_vec(), close.repeat(depth)].concat();
    let at = find(&body[..head], b"<<").map_or(0, |at| at + 2);
    let entry = if at > 0 { [b"/X ".to_vec(), value].concat() } else { value };
    body.splice(at..at, entry);
}

fn repeat(body: &mut Vec<u8>, chance: &mut Chance) {
    let head = head_of(body);
    let start = chance.below(head);
    let piece = body[start..(start + chance.below(40)).min(head)].to_vec();
    let times = [2, 50, 3_000][chance.below(3)];
    body.splice(start..start, piece.repeat(times));
}

fn spoil_data(body: &mut [u8], chance: &mut Chance) {
    let head = head_of(body);
    for _ in 0..=chance.below(6) {
        let at = head + chance.below(body.len() - head);
        match body.get_mut(at) {
            Some(byte) if at > head + 8 => *byte = chance.next() as u8,
            _ => {}
        }
    }
}

/// A classic file of these objects; lengths of streams and offsets are right.
pub(crate) fn assembled(objects: &Objects, root: u32) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = std::collections::BTreeMap::new();
    for (number, body) in objects {
        offsets.insert(*number, file.len());
        file.extend(format!("{number} 0 obj").bytes());
        file.extend(with_length(body));
        file.extend(b"endobj\n");
    }
    let start = file.len();
    file.extend(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, offset) in &offsets {
        file.extend(format!("{number} 1\n{offset:010} 00000 n \n").bytes());
    }
    let size = offsets.last_key_value().map_or(1, |(number, _)| number + 1);
    file.extend(format!("trailer\n<</Size {size}/Root {root} 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// The object with the `/Length` that its data has.
fn with_length(body: &[u8]) -> Vec<u8> {
    let head = head_of(body);
    let (Some(end), Some(key)) = (find(&body[head..], b"endstream"), find(&body[..head], b"/Length")) else {
        return body.to_vec();
    };
    let after = head + 6;
    let line = body[after..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let data = body[(after + line).min(head + end)..head + end].to_vec();
    let data = data.strip_suffix(b"\r\n").or(data.strip_suffix(b"\n")).unwrap_or(&data);
    let value = key + 7;
    let is_value =
        |byte: &&u8| byte.is_ascii_digit() || byte.is_ascii_whitespace() || matches!(byte, b'-' | b'.' | b'R');
    let value_end = value + body[value..head].iter().take_while(is_value).count();
    let mut out = body[..value].to_vec();
    out.extend(format!(" {} ", data.len()).bytes());
    out.extend(&body[value_end..head]);
    out.extend(b"stream\n");
    out.extend(data);
    out.extend(b"\nendstream\n");
    out
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
