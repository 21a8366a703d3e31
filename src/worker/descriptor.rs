//! Bytes and an open file over a Unix socket.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// Writes `bytes`, with `file` attached to the first of them.
pub(super) fn send(mut socket: &UnixStream, bytes: &[u8], file: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let Some(file) = file else { return socket.write_all(bytes) };
    let files = [file];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    attached.push(SendAncillaryMessage::ScmRights(&files));
    let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut attached, SendFlags::empty())?;
    socket.write_all(bytes.get(sent..).unwrap_or_default())
}

/// Writes `head` and then `body`, which the other side finds there together as far as the system holds them.
pub(super) fn send_both(mut socket: &UnixStream, head: &[u8], body: &[u8]) -> io::Result<()> {
    let mut both = [IoSlice::new(head), IoSlice::new(body)];
    let mut left = &mut both[..];
    while left.iter().any(|part| !part.is_empty()) {
        match socket.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A file that is received is not for programs that are started; some systems cannot say so in the same step, and there
/// it matters little: a worker starts none.
#[cfg(target_os = "linux")]
const RECEIVING: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const RECEIVING: RecvFlags = RecvFlags::empty();

/// Fills `bytes`, and gives the file that was attached. `None` where the other side is gone before the first byte.
pub(super) fn receive<const N: usize>(mut socket: &UnixStream) -> io::Result<Option<([u8; N], Option<OwnedFd>)>> {
    let mut bytes = [0; N];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let mut into = [IoSliceMut::new(&mut bytes)];
    let received = recvmsg(socket, &mut into, &mut attached, RECEIVING)?.bytes;
    let file = attached.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    if received == 0 {
        return Ok(None);
    }
    if let Some(rest) = bytes.get_mut(received..) {
        socket.read_exact(rest)?;
    }
    Ok(Some((bytes, file)))
}
