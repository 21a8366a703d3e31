//! `pagewise inspect`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::Value;

use crate::cli::arguments::program::Inspect;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::{Report, line, warning};
use crate::serve::{HttpSettings, serve_inspect};
use crate::tool::{ErrorCode, ToolError};

/// Shows the conversations until the process is told to stop.
pub(crate) fn run(typed: &Inspect, config: &Config) -> Result<Report, ToolError> {
    let context = open::library_context(true, config)?;
    open::warn_about(&context);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let settings = HttpSettings { address, ..config.http.clone() };
    let ready = |url: &str| {
        match typed.no_open {
            true => show_address(url),
            false => open_browser(url.to_owned()),
        }
        warning("the address opens once; Ctrl-C stops the program");
    };
    let served = serve_inspect(Arc::new(context), settings, ready, warning);
    served.map_err(|error| ToolError::new(ErrorCode::WriteFailed, format!("The page cannot be served: {error}")))?;
    Ok(Report::new(String::new(), Value::Null))
}

/// Prints the address, which is then the only way to the page.
fn show_address(url: &str) {
    let _ = line(url);
}

/// Opens an address in the usual browser, or prints it where none can be started.
fn open_browser(url: String) {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return show_address(&url) };
    // It ends once the browser has the address, or with the browser.
    std::thread::spawn(move || {
        if !child.wait().is_ok_and(|status| status.success()) {
            show_address(&url);
        }
    });
}
