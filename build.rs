//! Has the linker make a program that starts quickly: most commands are over in a few milliseconds, most of them spent
//! before `main`, and many start two processes.
//!
//! The C++ runtime that libqpdf needs, and the unwinder, are linked into the program where the compiler has them as
//! archives: finding and binding the shared ones took 1.4 of 5.6 ms of CPU of `pagewise --version` for the first and .3 of
//! 7.2 for the second (lower quartiles of 60 and 100 runs, 2 cores beside builds). Their symbols are not exported: nobody
//! asks for them, and there are 4,000. The 100,000 addresses that are to be relocated are packed, 31 kB in the place of
//! 2.4 MB, which the loader would read whole: .4 ms less, and 2.1 of 16 MB resident while a page is cut. Loaders know
//! that form since glibc 2.36; where this one is older, and where the compiler has no archives, nothing is lost but that.
//! Folding equal functions (`--icf`) was no gain: what is relocated is not folded.
#![allow(clippy::print_stdout, reason = "that is how a build script talks to cargo")]

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// What is linked statically, by its name for the linker.
const ARCHIVES: [&str; 2] = ["stdc++", "gcc_eh"];

/// The glibc whose loader takes packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

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
    if glibc().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
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

/// The version of this system's glibc.
fn glibc() -> Option<(u32, u32)> {
    let found = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(found.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
