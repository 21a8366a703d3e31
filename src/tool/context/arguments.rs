//! Arguments of the context tools.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::tool::arguments::ArgumentReader;
use crate::tool::caller::invalid_handle;
use crate::tool::error::ToolError;
use pagewise_view::ConversationId;

/// Checked arguments of `context_status` and of `context_updates`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusArguments {
    /// `conversation`.
    pub conversation: Option<String>,
    /// `generation`.
    pub generation: Option<u64>,
    /// `startFile` of `context_status`.
    pub start_file: Option<u64>,
}

impl StatusArguments {
    /// Reads the arguments of a call of `tool`.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(tool: &'static str, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool, arguments };
        let own: &[&str] = if tool == "context_status" { &["startFile"] } else { &[] };
        fields.reject_unknown(&[&["conversation", "generation"], own].concat())?;
        let start_file = fields.positive("startFile")?;
        Ok(Self { conversation: fields.conversation()?, generation: fields.count("generation")?, start_file })
    }
}

/// Checked arguments of `context_forget`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetArguments {
    /// `conversation`.
    pub conversation: Option<String>,
    /// `filePath`.
    pub file_path: Option<String>,
    /// `pages`.
    pub pages: Option<String>,
    /// `keepFiles`.
    pub keep_files: bool,
    /// `generation`.
    pub generation: Option<u64>,
}

impl ForgetArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "context_forget", arguments };
        fields.reject_unknown(&["conversation", "filePath", "pages", "keepFiles", "generation"])?;
        Self {
            conversation: fields.conversation()?,
            file_path: fields.string("filePath")?,
            pages: fields.selection()?,
            keep_files: fields.boolean("keepFiles")?,
            generation: fields.count("generation")?,
        }
        .checked()
    }

    /// Rejects pages without a file, and `keepFiles` with one.
    ///
    /// # Errors
    /// `validation_error`.
    pub fn checked(self) -> Result<Self, ToolError> {
        if self.pages.is_some() && self.file_path.is_none() {
            return Err(ToolError::required("filePath")
                .hint("pages selects pages of a file: name it with filePath.")
                .command_hint("--pages selects pages of a file: name the file too."));
        }
        if self.keep_files && self.file_path.is_some() {
            return Err(ToolError::one_of("keepFiles", "filePath")
                .hint("keepFiles forgets all pages of all files; with filePath, that file alone is forgotten.")
                .command_hint(
                    "--keep-files forgets all pages of all files; with a path, that file alone is forgotten.",
                ));
        }
        Ok(self)
    }
}

/// Checked arguments of `context_fork`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForkArguments {
    /// `conversation`.
    pub conversation: Option<String>,
    /// `asOf`.
    pub as_of: Option<u64>,
}

impl ForkArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "context_fork", arguments };
        fields.reject_unknown(&["conversation", "asOf"])?;
        Ok(Self { conversation: fields.conversation()?, as_of: fields.count("asOf")? })
    }
}

/// Checked arguments of `pagewise context watch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchArguments {
    /// `conversation`.
    pub conversation: ConversationId,
    /// `intervalMs`.
    pub interval: Duration,
}

impl WatchArguments {
    /// Short enough that a change is reported before a user switches windows.
    const DEFAULT_INTERVAL_MS: u64 = 500;

    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "context watch", arguments };
        let hint = "Name it with --conversation, as in the calls before.";
        let handle = fields.conversation()?.ok_or_else(|| ToolError::required("conversation").hint(hint))?;
        let interval = fields.positive("intervalMs")?.unwrap_or(Self::DEFAULT_INTERVAL_MS);
        let conversation = handle.parse().map_err(invalid_handle)?;
        Ok(Self { conversation, interval: Duration::from_millis(interval) })
    }
}
