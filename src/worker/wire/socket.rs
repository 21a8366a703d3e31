//! Sends bytes and open files over a Unix socket.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// Sends `bytes`, with `file` attached to the first byte.
pub(crate) fn send(mut socket: &UnixStream, bytes: &[u8], file: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let Some(file) = file else { return socket.write_all(bytes) };
    let files = [file];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    attached.push(SendAncillaryMessage::ScmRights(&files));
    let sent = sendmsg(socket, &[IoSlice::new(bytes)], &mut attached, SendFlags::empty())?;
    socket.write_all(bytes.get(sent..).unwrap_or_default())
}

/// Received files are closed on exec. Some systems cannot set this atomically, but workers start no programs.
#[cfg(target_os = "linux")]
const RECEIVING: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const RECEIVING: RecvFlags = RecvFlags::empty();

/// Receives exactly `N` bytes and the attached file, if any. `None` if the socket was closed before the first byte.
pub(crate) fn receive<const N: usize>(mut socket: &UnixStream) -> io::Result<Option<([u8; N], Option<OwnedFd>)>> {
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
