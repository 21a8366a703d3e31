//! Writes dictionaries and arrays (ISO 32000-2, 7.3.6 and 7.3.7) entry by entry, each with the type of its value.

use super::serialize;

/// A dictionary that is being written. Its end is written when this is dropped.
pub(crate) struct DictionaryWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> DictionaryWriter<'a> {
    /// Begins a dictionary as the next value.
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.extend(b"<<");
        Self { out }
    }

    /// Writes `key`. The caller writes its value.
    pub(crate) fn key(&mut self, key: &[u8]) -> &mut Vec<u8> {
        serialize::name(self.out, key);
        self.out
    }

    /// The output, for callers that write whole entries or none.
    pub(crate) fn entries(&mut self) -> &mut Vec<u8> {
        self.out
    }

    pub(crate) fn name(&mut self, key: &[u8], value: &[u8]) {
        serialize::name(self.key(key), value);
    }

    pub(crate) fn integer(&mut self, key: &[u8], value: u64) {
        let out = self.key(key);
        serialize::separate(out);
        serialize::write_unsigned(out, value);
    }

    /// Writes a reference to the object of this number, generation 0.
    pub(crate) fn reference(&mut self, key: &[u8], number: u32) {
        serialize::reference(self.key(key), number);
    }

    pub(crate) fn string(&mut self, key: &[u8], value: &[u8]) {
        serialize::string(self.key(key), value);
    }

    /// Begins a dictionary as the value of `key`.
    pub(crate) fn dictionary(&mut self, key: &[u8]) -> DictionaryWriter<'_> {
        DictionaryWriter::begin(self.key(key))
    }

    /// Begins an array as the value of `key`.
    pub(crate) fn array(&mut self, key: &[u8]) -> ArrayWriter<'_> {
        ArrayWriter::begin(self.key(key))
    }
}

impl Drop for DictionaryWriter<'_> {
    fn drop(&mut self) {
        self.out.extend(b">>");
    }
}

/// An array that is being written. Its end is written when this is dropped.
pub(crate) struct ArrayWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> ArrayWriter<'a> {
    /// Begins an array as the next value.
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out }
    }

    /// The output, for callers that write elements of their own.
    pub(crate) fn elements(&mut self) -> &mut Vec<u8> {
        self.out
    }

    pub(crate) fn integer(&mut self, value: u64) {
        serialize::separate(self.out);
        serialize::write_unsigned(self.out, value);
    }

    /// Writes a reference to the object of this number, generation 0.
    pub(crate) fn reference(&mut self, number: u32) {
        serialize::reference(self.out, number);
    }

    pub(crate) fn string(&mut self, value: &[u8]) {
        serialize::string(self.out, value);
    }

    /// Begins an array as the next element.
    pub(crate) fn array(&mut self) -> ArrayWriter<'_> {
        ArrayWriter::begin(self.out)
    }

    /// Begins a dictionary as the next element.
    pub(crate) fn dictionary(&mut self) -> DictionaryWriter<'_> {
        DictionaryWriter::begin(self.out)
    }
}

impl Drop for ArrayWriter<'_> {
    fn drop(&mut self) {
        self.out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_only_where_they_must_be_and_ends_are_written() {
        let mut out = Vec::new();
        let mut page = DictionaryWriter::begin(&mut out);
        page.name(b"Type", b"Page");
        page.integer(b"Rotate", 90);
        page.reference(b"Parent", 2);
        page.string(b"ID", b"a)");
        let mut kids = page.array(b"Kids");
        kids.integer(1);
        kids.integer(2);
        kids.reference(3);
        kids.dictionary().integer(b"S", 0);
        drop(kids);
        page.dictionary(b"Resources");
        drop(page);
        let written = String::from_utf8_lossy(&out);
        assert_eq!(written, r"<</Type/Page/Rotate 90/Parent 2 0 R/ID(a\))/Kids[1 2 3 0 R<</S 0>>]/Resources<<>>>>");
    }
}
