//! Standard output with the data of responses filled in.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use super::delivery::{BlobStream, MessagePart, OpenBlobs, PIECE_BYTES};

/// The size to ask for the pipe to the client. 1 MiB, the most that an unprivileged process may have.
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
const PIPE_BYTES: usize = 1 << 20;

/// Enlarges the pipe to the client, because each time it is full costs two task switches.
pub(super) fn enlarge_pipe() {
    #[cfg(all(target_os = "linux", not(pagewise_portable)))]
    // Standard output may be no pipe, and the system may refuse: then writing is only slower.
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), PIPE_BYTES);
}

/// Whether nobody can read standard output any more. Elsewhere than on Unix only a write can tell.
pub(crate) fn is_output_closed() -> bool {
    #[cfg(all(unix, not(pagewise_portable)))]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let output = io::stdout();
        let mut polled = [PollFd::new(&output, PollFlags::empty())];
        let is_polled = poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0);
        let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        is_polled && polled.iter().any(|output| output.revents().intersects(closed))
    }
    #[cfg(any(not(unix), pagewise_portable))]
    false
}

/// A writer that replaces marks with their data.
///
/// It gathers short pieces, so that a small answer is one write and wakes its reader once.
pub(super) struct BlobWriter<W> {
    inner: W,
    open: OpenBlobs,
    data: Option<BlobStream>,
    /// The next bytes to write. The buffer is used again for what follows.
    piece: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> BlobWriter<W> {
    /// A writer to `inner` that takes its data from `open`.
    pub(super) fn new(inner: W, open: OpenBlobs) -> Self {
        Self { inner, open, data: None, piece: Vec::new(), written: 0 }
    }

    /// Appends the rest of the data to the piece, and writes the piece whenever it is full.
    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(data) = &mut self.data {
            if self.piece.len() >= PIECE_BYTES {
                ready!(self.poll_piece(cx))?;
            } else if data.is_written() {
                self.data = None;
            } else {
                data.push_piece(&mut self.piece);
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Writes the piece.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(left) = self.piece.get(self.written..).filter(|left| !left.is_empty()) {
            match ready!(Pin::new(&mut self.inner).poll_write(cx, left))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written = self.written.saturating_add(written),
            }
        }
        self.piece.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_all(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_data(cx))?;
        self.poll_piece(cx)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for BlobWriter<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_data(cx))?;
        match self.open.first_part(buf, PIECE_BYTES) {
            MessagePart::Text(length) if length.saturating_add(self.piece.len()) <= PIECE_BYTES => {
                self.piece.extend_from_slice(buf.get(..length).unwrap_or(buf));
                Poll::Ready(Ok(length))
            }
            MessagePart::Text(length) => {
                ready!(self.poll_piece(cx))?;
                Pin::new(&mut self.inner).poll_write(cx, buf.get(..length).unwrap_or(buf))
            }
            MessagePart::Data { mark, data, .. } => {
                self.data = Some(data);
                Poll::Ready(Ok(mark))
            }
            MessagePart::Lost => Poll::Ready(Err(io::ErrorKind::InvalidData.into())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_all(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_all(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::serve::delivery::ResultBlobs;
    use crate::tool::base64;

    /// The output of a pipe of `capacity` bytes when `json` is written to it.
    fn written(open: &OpenBlobs, json: &str, capacity: usize) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let written = runtime.map(|runtime| {
            runtime.block_on(async {
                let (inner, mut reader) = tokio::io::duplex(capacity);
                let mut writer = BlobWriter::new(inner, open.clone());
                let writing = async {
                    writer.write_all(json.as_bytes()).await?;
                    writer.flush().await?;
                    drop(writer);
                    io::Result::Ok(())
                };
                let mut out = String::new();
                let (sent, received) =
                    tokio::join!(writing, tokio::io::AsyncReadExt::read_to_string(&mut reader, &mut out));
                sent.and(received.map(|_| out))
            })
        });
        written.and_then(|written| written).unwrap_or_default()
    }

    #[test]
    fn what_is_written_has_its_data_however_little_is_taken_at_once() {
        let open = OpenBlobs::default();
        let data = [0, 1, 100_000, 200_001].map(|length| Bytes::from(vec![7; length]));
        let mut blobs = ResultBlobs::default();
        let marks = data.each_ref().map(|data| blobs.add_data(data));
        let opened = open.lease(blobs, None);
        let json = |texts: Vec<&str>| {
            let long = "text ".repeat(20_000);
            let members = texts.into_iter().map(|text| serde_json::json!({ "text": long, "blob": text, "a": "b" }));
            members.map(|member| format!("{member}\n")).collect::<String>()
        };
        let data = data.each_ref().map(|data| base64(data));
        let expected = json(data.iter().map(String::as_str).collect());
        let marked = json(marks.iter().map(String::as_str).collect());
        for capacity in [100, 65_536, 1 << 20] {
            assert!(written(&open, &marked, capacity) == expected, "{capacity}");
        }
        drop(opened);
        assert_eq!(written(&open, &marked, 65_536), "", "what is kept no more is no data");
    }
}
