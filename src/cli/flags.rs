//! What every command takes.

use std::path::PathBuf;

use clap::Args;

/// Read by `config`, by their ids.
#[derive(Debug, Clone, Args)]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct SettingsFlags {
    /// The file of settings; else PAGEWISE_CONFIG, else pagewise/config.toml in $XDG_CONFIG_HOME or ~/.config
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One setting, over the environment and the file; may be given several times
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Print the settings in force as a configuration file, and do nothing else
    #[arg(long, global = true)]
    pub(crate) print_config: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Sandbox {
    /// Read PDFs in this process: a hostile file can then end it, fill its memory, or do what you may do
    #[arg(long, global = true, conflicts_with = "require_sandbox")]
    pub(crate) no_sandbox: bool,
    /// Refuse to read PDFs where the system lacks a layer of the sandbox (pagewise doctor names them), and every URL
    #[arg(long, global = true)]
    pub(crate) require_sandbox: bool,
    /// Fetch nothing: every URL is refused
    #[arg(long, global = true)]
    pub(crate) offline: bool,
}
