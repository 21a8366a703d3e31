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
    /// How often the context was compacted. A larger number than before forgets what is held; with a smaller one nothing is
    /// left out and nothing recorded.
    #[schemars(extend("x-driver" = true))]
    #[cfg_attr(feature = "program", arg(long, value_name = "N"))]
    pub generation: Option<u64>,
}

/// What this conversation holds, what it cost, and how much more fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[serde(rename_all = "camelCase")]
pub struct StatusArguments {
    /// Of many files, the first to name.
    #[cfg_attr(feature = "program", arg(skip))]
    pub start_file: Option<NonZeroU64>,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
}

arguments_of!("context_status", StatusArguments);

/// What changed in the files that this conversation holds: pages, texts as diffs, deleted files. Each change is reported
/// once. Call it before you rely on what you read earlier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct UpdatesArguments {
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
}

arguments_of!("context_updates", UpdatesArguments);

/// Forget what this conversation holds, so that it can be sent again: all, one file, or pages of it. Call it after your
/// context was compacted. It deletes no file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[serde(rename_all = "camelCase")]
pub struct ForgetArguments {
    /// A file. Default: all.
    #[cfg_attr(feature = "program", arg(value_name = "PATH", help = "Only this file"))]
    pub file_path: Option<String>,
    /// Pages of filePath, 1-based, like "1-3,7".
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "SPEC",
            value_parser = crate::tool::typed_pages,
            allow_hyphen_values = true,
            help = "Only these pages of it, by 1-based number"
        )
    )]
    pub pages: Option<String>,
    /// All pages, but go on to report changes of the files.
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

/// Start a new conversation that holds what this one holds, or held at an earlier point (asOf). The result is a handle:
/// pass it as conversation. What one is given from then on does not affect the other.
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
