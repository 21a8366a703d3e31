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
        if typed.no_open || !open_browser(url) {
            // The address is the only way to the page.
            let _ = line(url);
        }
        warning("the address opens once; Ctrl-C ends the page");
    };
    let served = serve_inspect(Arc::new(context), settings, ready, warning);
    served.map_err(|error| ToolError::new(ErrorCode::WriteFailed, format!("The page cannot be served: {error}")))?;
    Ok(Report::new(String::new(), Value::Null))
}

/// Opens an address in the usual browser. Whether something was started that can.
fn open_browser(url: &str) -> bool {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok_and(|mut child| {
        // It ends once the browser has the address.
        std::thread::spawn(move || child.wait());
        true
    })
}
