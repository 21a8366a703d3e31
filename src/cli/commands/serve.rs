//! `pagewise serve`.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;

use crate::cli::config::{Config, LoadedSettings};
use crate::cli::log;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::serve::{HttpSettings, ServerParts, serve_http, serve_stdio};
use crate::tool::{ErrorCode, FormArgument, ToolError};
use crate::worker::HAS_PROCESSES;
use pagewise_model::ModelClient;

/// Serves HTTP until the process is told to stop, or standard input until it ends.
pub(crate) fn run(loaded: &LoadedSettings) -> Result<Report, ToolError> {
    let config = &loaded.config;
    let _log = log::start(config.log_level, config.log_format).map_err(|error| serve_error(&error))?;
    loaded.warnings.iter().for_each(|text| log::warn(text));
    if !HAS_PROCESSES && !config.no_sandbox {
        log::warn("PDFs are read in this program, without a sandbox: this system has no confined processes for it");
    }
    let http = config.http_address.map(|address| http_settings(config, address)).transpose()?;
    let context = open::server_context(config)?;
    let conversation = http.is_none().then(|| context.mint(None)).transpose()?;
    let form = Some(config.form).filter(|form| *form != FormArgument::Auto);
    let models = ModelClient::new(config.models.settings(config)?);
    let (client_forms, tools) = (config.client_forms.clone(), config.tools.clone());
    let context = Arc::new(context);
    let world = ServerParts { context, models, conversation, form, client_forms, tools, warn: log::warn };
    let served = match http {
        Some(http) => serve_http(world, http),
        None => serve_stdio(world),
    };
    served.map_err(|error| serve_error(&error))?;
    Ok(Report::new(String::new(), Value::Null))
}

fn serve_error(error: &std::io::Error) -> ToolError {
    ToolError::new(ErrorCode::WriteFailed, format!("Serving failed: {error}"))
}

fn http_settings(config: &Config, address: SocketAddr) -> Result<HttpSettings, ToolError> {
    let tokens = config.http_tokens.iter().map(|token| token.reveal().to_owned()).collect::<Vec<_>>();
    if tokens.is_empty() && config.http.issuer.is_none() && !address.ip().is_loopback() {
        let message = format!(
            "{address} can be reached from other machines: set http_tokens or http_issuer, or listen on 127.0.0.1"
        );
        return Err(ToolError::validation(&message));
    }
    if config.http.issuer.is_some() && config.http.audience.is_none() {
        let message = "Setting 'http_audience' is required with 'http_issuer'";
        return Err(
            ToolError::validation(message).hint("It says which tokens of the issuer are meant for this server.")
        );
    }
    if !config.web.has_usable_upload_storage() {
        let message = "Setting 'http_upload_storage' must be a URL with s3, gs or az, in a build with object storage";
        return Err(ToolError::validation(message).hint("Such as s3://bucket/uploads."));
    }
    let (log, ca_file) = (config.http_log, config.web.ca_file.clone());
    Ok(HttpSettings { address, tokens, ca_file, log, announce: log::info, ..config.http.clone() })
}
