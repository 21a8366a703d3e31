//! What a question costs the process that asks it.

use std::process::Stdio;

use super::Asking;
use crate::support::file_of;
use crate::support::provider::Say;

/// A sound PDF of about so many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let padding = "x".repeat(bytes);
    file_of(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>".to_owned(),
        format!("<</Length {bytes}>>\nstream\n{padding}\nendstream"),
    ])
}

/// The highest resident memory, in bytes, of a process that asks about ten PDFs of so many bytes each.
fn highest(bytes: usize) -> u64 {
    let asking = Asking::new([Say::Silence]).with("PAGEWISE_PDF_REQUEST_BYTES", "500000000");
    let names = (0..10).map(|at| format!("{at}.pdf")).collect::<Vec<_>>();
    names.iter().for_each(|name| drop(asking.place.file(name, padded(bytes))));
    let mut command = asking.command();
    command.args(["ask", "--model", "google/x", "--max-bytes-mb", "11"]).args(&names);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    asking.provider.wait_for_request();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
    kilobytes * 1024
}

fn base64_of_ten(bytes: usize) -> u64 {
    (10 * bytes as u64).div_ceil(3) * 4
}

#[test]
fn ten_pdfs_take_less_than_one_and_a_half_of_their_base64() {
    let (small, large) = (highest(1_000), highest(2_000_000));
    let more = large.saturating_sub(small);
    let bound = base64_of_ten(2_000_000) * 3 / 2;
    assert!(more < bound, "{more} bytes more than for small ones, and {bound} are allowed");
}

#[test]
#[allow(clippy::print_stderr, reason = "a run for a figure says it")]
#[ignore = "a provider that holds 133 MB several times over, for the figure in the documentation of `model`"]
fn ten_pdfs_of_ten_megabytes() {
    let (highest, base64) = (highest(10_000_000), base64_of_ten(10_000_000));
    assert!(highest < base64 * 3 / 2, "{highest} bytes for {base64} of base64");
    eprintln!("{highest} bytes for {base64} of base64");
}
