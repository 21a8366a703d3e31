//! Faults that a worker commits on purpose, for tests in debug builds.

use std::fs::File;
use std::hint::black_box;
use std::net::{TcpStream, UdpSocket};
use std::process::Command;

use serde::{Deserialize, Serialize};

/// A fault, or an act that the sandbox forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drill {
    Abort,
    Panic,
    /// Recurses until the stack overflows.
    StackOverflow,
    /// Allocates until memory is exhausted.
    OutOfMemory,
    /// Never ends.
    EndlessLoop,
    /// Opens a file for reading.
    OpenFile,
    /// Creates a file.
    WriteFile,
    /// Reads the metadata of an existing file.
    StatFile,
    /// Connects over TCP.
    ConnectTcp,
    /// Sends over UDP.
    SendUdp,
    /// Runs a program.
    RunProgram,
    /// Starts a thread and waits for it. This is the only allowed act.
    StartThread,
}

impl Drill {
    /// Commits the fault. If it returns, the result is the system's answer.
    pub(super) fn run(self) -> String {
        match self {
            Self::Abort => std::process::abort(),
            #[expect(clippy::panic, reason = "what is drilled")]
            Self::Panic => panic!("on purpose"),
            Self::StackOverflow => overflow(0).to_string(),
            Self::OutOfMemory => exhaust(),
            Self::EndlessLoop => loop {
                black_box(());
            },
            Self::OpenFile => outcome(File::open("/etc/passwd")),
            Self::WriteFile => outcome(File::create("/tmp/pagewise-drill")),
            Self::StatFile => outcome(std::fs::metadata("/etc/passwd")),
            Self::ConnectTcp => outcome(TcpStream::connect(("127.0.0.1", 9))),
            Self::SendUdp => outcome(UdpSocket::bind(("127.0.0.1", 0))),
            Self::RunProgram => outcome(Command::new("/bin/true").status()),
            Self::StartThread => outcome(std::thread::Builder::new().spawn(|| {}).map(std::thread::JoinHandle::join)),
        }
    }
}

fn outcome<T>(tried: std::io::Result<T>) -> String {
    match tried {
        Ok(_) => "done".to_owned(),
        Err(error) => format!("refused: {:?}", error.kind()),
    }
}

#[expect(unconditional_recursion, reason = "what is drilled")]
fn overflow(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    overflow(depth + 1) + black_box(room.len() as u64)
}

fn exhaust() -> String {
    let mut all = Vec::new();
    loop {
        all.push(black_box(vec![1_u8; 64 << 20]));
    }
}
