//! Arguments of the context tools.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::arguments::{ConversationParameter, arguments_of};
use crate::tool::error::ToolError;

/// The conversation that a tool is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct ConversationArguments {
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
    /// How many times the context was compacted. A higher number than before clears the record of sent pages; with a lower
    /// one, nothing is recorded.
    #[schemars(extend("x-driver" = true))]
    #[cfg_attr(feature = "program", arg(long, value_name = "N", requires = "conversation"))]
    pub generation: Option<u64>,
}

/// List files and pages sent in this conversation, their cost and its limits. For changes: context_updates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[serde(rename_all = "camelCase")]
pub struct StatusArguments {
    /// First file to list, 1-based.
    #[cfg_attr(feature = "program", arg(skip))]
    pub start_file: Option<NonZeroU64>,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
}

arguments_of!("context_status", StatusArguments);

/// Report changes to files since they were sent, each once: pages, text diffs, deletions. Call it before relying on what you
/// read earlier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct UpdatesArguments {
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
}

arguments_of!("context_updates", UpdatesArguments);

/// Clear the record of what was sent, so it can be sent again: all, one file, or pages of it. Call it after your context
/// was compacted. Deletes no file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[serde(rename_all = "camelCase")]
pub struct ForgetArguments {
    /// Only this file. Default: all.
    #[cfg_attr(feature = "program", arg(value_name = "PATH", help = "Only this file"))]
    pub file_path: Option<String>,
    /// Pages of filePath, 1-based, like "1-3,7".
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "PAGES",
            value_parser = crate::tool::typed_pages,
            allow_hyphen_values = true,
            requires = "file_path",
            help = crate::tool::PAGES_HELP.as_str()
        )
    )]
    pub pages: Option<String>,
    /// Forget pages, but keep reporting file changes.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long, help = "Forget all pages, but keep following the files"))]
    pub keep_files: bool,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
}

arguments_of!("context_forget", ForgetArguments, ForgetArguments::with_fitting_parts);

impl ForgetArguments {
    /// Rejects pages without a file, and `keepFiles` with one.
    fn with_fitting_parts(self) -> Result<Self, ToolError> {
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

/// Copy this conversation's record of sent pages, now or at an earlier point (asOf), to a new conversation. Returns its
/// name: pass it as conversation. The two are independent from then on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("The conversation to start from"))))]
#[serde(rename_all = "camelCase")]
pub struct ForkArguments {
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
    /// The point to fork at, as context_status and the details of results name it. Default: now.
    #[cfg_attr(
        feature = "program",
        arg(long, value_name = "POINT", help = "The point to fork at, as context status names it (default: now)")
    )]
    pub as_of: Option<u64>,
}

arguments_of!("context_fork", ForkArguments);
