//! Links the program so that it starts quickly: most commands take a few milliseconds, most of them before `main`, and many
//! start two processes.
//!
//! - The C++ runtime of libqpdf and the unwinder are linked from archives where the compiler has them, since the loader
//!   takes long to bind shared ones. Their symbols are not exported.
//!
//! `benches/README.md` has the measurements.
#![allow(clippy::print_stdout, reason = "that is how a build script talks to cargo")]

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// What is linked statically, by its name for the linker.
const ARCHIVES: [&str; 2] = ["stdc++", "gcc_eh"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    if !is_for_this_system() {
        return;
    }
    if env::var_os("CARGO_FEATURE_QPDF").is_some() {
        for name in ARCHIVES {
            let Some(folder) = folder_of(&format!("lib{name}.a")) else { break };
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-lib=static:-bundle={name}");
        }
    }
    println!("cargo:rustc-link-arg-bins=-Wl,--exclude-libs,ALL");
}

/// Whether the program is built for Linux with glibc, and to run here.
fn is_for_this_system() -> bool {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    env::var_os("HOST") == env::var_os("TARGET")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
}

/// Where the compiler keeps an archive.
fn folder_of(archive: &str) -> Option<PathBuf> {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let found = Command::new(compiler).arg(format!("-print-file-name={archive}")).output().ok()?;
    // The bare name comes back for what it does not have.
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim()).canonicalize().ok()?;
    path.parent().map(PathBuf::from)
}
