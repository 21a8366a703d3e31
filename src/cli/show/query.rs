//! Asks the terminal what it can draw, and waits for its answer for a short time.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};

use super::protocol::{TerminalAnswer, is_complete};

/// Kitty's query of its protocol, the size of a cell, and the attributes of the device, which every terminal answers.
const QUESTIONS: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";

/// Time for the answer, which may come over a network.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of an answer. More is no answer.
const MAX_ANSWER: usize = 1_024;

/// The terminal's answer; nothing if it cannot be asked or is silent.
pub(super) fn ask() -> Option<TerminalAnswer> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
    // A process in the background would be stopped by its first question.
    if tcgetpgrp(&terminal).ok()? != rustix::process::getpgrp() {
        return None;
    }
    let _quiet = QuietTerminal::new(terminal.try_clone().ok()?)?;
    terminal.write_all(QUESTIONS).ok()?;
    terminal.flush().ok()?;
    Some(TerminalAnswer::parse(&answer(&mut terminal)))
}

fn answer(terminal: &mut File) -> Vec<u8> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    while !is_complete(&bytes) && bytes.len() < MAX_ANSWER {
        let left = PATIENCE.saturating_sub(start.elapsed());
        let left = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        let mut waiting = [PollFd::new(terminal, PollFlags::IN)];
        if left.tv_nsec == 0 || !matches!(poll(&mut waiting, Some(&left)), Ok(1)) {
            break;
        }
        let mut part = [0_u8; 256];
        match terminal.read(&mut part) {
            Ok(read) if read > 0 => bytes.extend(part.iter().take(read)),
            _ => break,
        }
    }
    bytes
}

/// A terminal that neither shows nor holds back what comes in. Dropped, it is as before.
struct QuietTerminal {
    terminal: File,
    before: Termios,
}

impl QuietTerminal {
    fn new(terminal: File) -> Option<Self> {
        let before = tcgetattr(&terminal).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        tcsetattr(&terminal, OptionalActions::Now, &quiet).ok()?;
        Some(Self { terminal, before })
    }
}

impl Drop for QuietTerminal {
    fn drop(&mut self) {
        // There is nobody to tell of a failure.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Width and height of a cell in pixels, if the system knows the size of the terminal's window.
pub(super) fn cell_size() -> Option<(u16, u16)> {
    let size = tcgetwinsize(std::io::stdout()).ok()?;
    let width = size.ws_xpixel.checked_div(size.ws_col)?;
    let height = size.ws_ypixel.checked_div(size.ws_row)?;
    (width > 0 && height > 0).then_some((width, height))
}
