//! The command `pagewise`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pagewise::cli::run()
}
