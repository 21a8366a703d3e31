//! The servers that are measured.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// No conversation is full within a run.
const FLAGS: [&str; 6] = [
    "--set",
    "max_conversation_blocks=1000000000",
    "--set",
    "max_conversation_pages=1000000000",
    "--set",
    "max_conversation_bytes=1000000000000",
];

pub(crate) fn pagewise(folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagewise"));
    command.current_dir(folder).env("PAGEWISE_DATA_DIR", folder.join("data")).arg("serve");
    command.args(FLAGS).args(flags);
    command
}

/// Splits a document into its pages.
pub(crate) fn split(document: &Path, folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagewise"));
    command.arg("split").arg(document).arg("--out-dir").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().success());
}

pub(crate) fn end(child: &mut Child) {
    // One that ended by itself cannot be stopped again.
    let _ = child.kill();
    let _ = child.wait();
}

/// A server over HTTP.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn pagewise(folder: &Path) -> Self {
        let flags = ["--http", "127.0.0.1:0", "--set", "http_log=false"];
        let mut child = pagewise(folder, &flags).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("pagewise: listening on http://").and_then(|at| at.strip_suffix("/mcp"));
        Self { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    /// A server of the SDK whose tool answers as ours does.
    pub(crate) fn sdk(folder: &Path) -> Result<Self, String> {
        let at = std::env::var_os("DOORS_SDK").ok_or("DOORS_SDK names no folder")?;
        let at = PathBuf::from(at);
        if !at.join("node_modules/@modelcontextprotocol/sdk").is_dir() {
            return Err(format!("no SDK in {}", at.display()));
        }
        let script = folder.join("server.mjs");
        std::fs::write(&script, include_str!("sdk.mjs")).map_err(|error| error.to_string())?;
        std::os::unix::fs::symlink(at.join("node_modules"), folder.join("node_modules"))
            .map_err(|error| error.to_string())?;
        let node = std::env::var_os("DOORS_NODE").unwrap_or_else(|| "node".into());
        let child = Command::new(node).arg(script).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("Node cannot be started: {error}"))?;
        let mut address = String::new();
        let output = child.stdout.take().ok_or("it says nothing")?;
        BufReader::new(output).read_line(&mut address).map_err(|error| error.to_string())?;
        Ok(Self { child, address: address.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
