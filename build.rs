//! Links the C++ runtime that libqpdf needs into the program, where the compiler has it as an archive.
//!
//! Finding and binding the shared one is a fifth of the start of a process: `pagewise --version` takes 4.2 ms of CPU
//! without it and 5.6 with it (lower quartiles of 60 runs, 2 cores beside builds), and two processes start for most
//! commands. Distributions that keep the archive in a package of its own lose nothing but that: the shared one is linked
//! as ever.
#![allow(clippy::print_stdout, reason = "that is how a build script talks to cargo")]

use std::env;
use std::path::PathBuf;
use std::process::Command;

const ARCHIVE: &str = "libstdc++.a";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    if let Some(folder) = folder_of_archive() {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=stdc++");
    }
}

/// Where the compiler for this very system keeps the archive.
fn folder_of_archive() -> Option<PathBuf> {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_native = env::var_os("HOST") == env::var_os("TARGET");
    let has_cpp = env::var_os("CARGO_FEATURE_QPDF").is_some();
    if !has_cpp || !is_native || !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return None;
    }
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(compiler).arg(format!("-print-file-name={ARCHIVE}")).output().ok()?;
    // The bare name comes back for what it does not have.
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim()).canonicalize().ok()?;
    path.parent().map(PathBuf::from)
}
