//! Server-sent events (WHATWG HTML, 9.2): the `data` of each, out of bytes as they come.
//!
//! Written here because the parsers that there are want a stream type of their own and bound nothing.

/// Parts a stream of bytes into events.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The line that is not complete.
    line: Vec<u8>,
    /// The data of the event that is not complete.
    data: Vec<u8>,
    has_data: bool,
    after_return: bool,
}

impl EventParser {
    /// Takes bytes; calls `event` with the data of each event that they complete.
    pub(super) fn feed<E>(&mut self, bytes: &[u8], mut event: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        for byte in bytes {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    if let Some(data) = self.end_line() {
                        event(&data)?;
                    }
                }
                _ => self.line.push(*byte),
            }
        }
        Ok(())
    }

    /// Bytes that wait for the end of their event.
    pub(super) fn waiting(&self) -> usize {
        self.line.len().saturating_add(self.data.len())
    }

    /// The event that an empty line ends.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data).then(|| String::from_utf8_lossy(&data).into_owned());
        }
        let value = line.strip_prefix(b"data:")?;
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let (mut parser, mut found) = (EventParser::default(), Vec::new());
        for piece in pieces {
            let fed: Result<(), ()> = parser.feed(piece, |data| {
                found.push(data.to_owned());
                Ok(())
            });
            assert_eq!(fed, Ok(()));
        }
        found
    }

    #[test]
    fn events_end_with_an_empty_line_however_they_are_cut() {
        let stream = b": hello\r\nevent: a\r\ndata: one\r\n\r\ndata:two\ndata: three\n\nid: 4\n\ndata: left\n";
        let whole = events(&[stream]);
        assert_eq!(whole, ["one", "two\nthree"]);
        let bytes = stream.iter().map(std::slice::from_ref).collect::<Vec<_>>();
        assert_eq!(events(&bytes), whole);
    }

    #[test]
    fn an_empty_data_is_an_event_and_no_data_is_none() {
        assert_eq!(events(&[b"event: ping\n\ndata:\n\n\n\n"]), [""]);
    }
}
