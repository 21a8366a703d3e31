//! Flags of every command.

use std::path::PathBuf;

use clap::Args;

/// `config` reads these by their ids.
#[derive(Debug, Clone, Args)]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct SettingsFlags {
    /// File of settings (default: PAGEWISE_CONFIG, or pagewise/config.toml in $XDG_CONFIG_HOME or ~/.config)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set one setting, over the environment and the file; repeatable
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Print the settings in force as a configuration file, and do nothing else
    #[arg(long, global = true)]
    pub(crate) print_config: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Sandbox {
    /// Read PDFs in this process: a hostile file can then crash it, exhaust its memory, or act with your rights
    #[arg(long, global = true, conflicts_with = "require_sandbox")]
    pub(crate) no_sandbox: bool,
    /// Refuse to read PDFs if the system lacks a layer of the sandbox (see pagewise doctor), and refuse every URL
    #[arg(long, global = true)]
    pub(crate) require_sandbox: bool,
    /// Fetch nothing, and refuse every URL
    #[arg(long, global = true)]
    pub(crate) offline: bool,
}
