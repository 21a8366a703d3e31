//! Flags that commands share.

use std::path::PathBuf;

use clap::Args;

use crate::cli::config::USUAL_FOLDERS;
use crate::tool::PagesParameter;

/// The heading of options that every command has.
const COMMON: &str = "Options of every command";

/// `config` reads these by their ids.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = COMMON)]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct SettingsFlags {
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help = format!(
            "File of settings (default: PAGEWISE_CONFIG, or config.toml in $XDG_CONFIG_HOME/pagewise or {})",
            USUAL_FOLDERS[1]
        )
    )]
    config: Option<PathBuf>,
    /// Set one setting, overriding the environment and the file; repeatable
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Print the settings in force as a configuration file, and do nothing else
    #[arg(long, global = true)]
    pub(crate) print_config: bool,
}

#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = COMMON)]
pub(crate) struct Sandbox {
    /// Read PDFs in this process: a hostile file can then crash it, exhaust its memory, or act with your rights
    #[arg(long, global = true, conflicts_with = "require_sandbox")]
    pub(crate) no_sandbox: bool,
    /// Refuse to read PDFs if the system lacks a layer of the sandbox (see pagewise doctor), and refuse every URL
    #[arg(long, global = true)]
    pub(crate) require_sandbox: bool,
    /// Fetch and upload nothing, and refuse every URL; pagewise ask still reaches its model
    #[arg(long, global = true)]
    pub(crate) offline: bool,
}

/// Pages in a place of their own.
#[derive(Debug, Args)]
pub(crate) struct PagesWord {
    /// Pages (default: all)
    #[arg(value_name = "PAGES", index = 2, allow_negative_numbers = true, conflicts_with = "pages")]
    selection: Option<String>,
}

impl PagesWord {
    /// The pages that were typed, in their place or after `--pages`.
    pub(crate) fn or(&self, pages: &PagesParameter) -> PagesParameter {
        self.selection.clone().or_else(|| pages.pages.clone()).into()
    }
}

#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = COMMON)]
#[allow(dead_code, reason = "read before the other arguments")]
pub(crate) struct Color {
    /// Use colours: auto means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: ColorWhen,
}

/// When texts have colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// What was typed, read before clap does: its own errors and help have colours too.
    pub(crate) fn typed(arguments: impl Iterator<Item = String>) -> Self {
        let arguments = arguments.collect::<Vec<_>>();
        let mut typed =
            arguments.iter().enumerate().filter_map(|(at, argument)| match argument.strip_prefix("--color") {
                Some("") => arguments.get(at + 1).map(String::as_str),
                Some(value) => value.strip_prefix('='),
                None => None,
            });
        let last = typed.next_back().and_then(|value| <Self as clap::ValueEnum>::from_str(value, false).ok());
        last.unwrap_or_default()
    }

    /// Decides the colours of this process.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = COMMON)]
pub(crate) struct Json {
    /// Print one JSON object, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
}
