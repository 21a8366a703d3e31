//! A parser for server-sent events (WHATWG HTML, 9.2) that yields the `data` of each event.
//!
//! Existing parsers need a stream type of their own and have no bounds.

/// Splits a byte stream into events.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The incomplete line.
    line: Vec<u8>,
    /// The data of the incomplete event.
    data: Vec<u8>,
    has_data: bool,
    is_after_return: bool,
}

impl EventParser {
    /// Feeds bytes; calls `event` with the data of each completed event.
    pub(super) fn feed<E>(&mut self, bytes: &[u8], mut event: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        for byte in bytes {
            let is_after_return = std::mem::take(&mut self.is_after_return);
            match byte {
                b'\n' if is_after_return => {}
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    if let Some(data) = self.end_line() {
                        event(&data)?;
                    }
                }
                _ => self.line.push(*byte),
            }
        }
        Ok(())
    }

    /// Bytes buffered for the incomplete event.
    pub(super) fn waiting(&self) -> usize {
        self.line.len().saturating_add(self.data.len())
    }

    /// Ends a line. An empty line completes an event.
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
