//! Arguments of `get_file`.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::RequestedPart;
use crate::tool::arguments::{PagesParameter, PasswordParameter, arguments_of};
use crate::tool::client::FormArgument;
use crate::tool::context::ConversationArguments;
use crate::tool::error::ToolError;
use crate::tool::pdf::{DocumentArguments, TextArguments, TextFormat};

/// Read a PDF, office file, EPUB or notebook: filePath alone gives a summary with outline and costs; pages or pdfPage gives
/// pages, at most 20 a call. Also text, images, folders. A page that you already have in that form is named, not sent
/// again. To find text: pdf_search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("Name of the conversation, whose pages are sent once; its first use creates it"))))]
#[serde(rename_all = "camelCase")]
pub struct GetFileArguments {
    /// Path, URL or responseId.
    #[cfg_attr(feature = "program", arg(value_name = "PATH", help = crate::tool::PATH_HELP))]
    pub file_path: String,
    /// One page, 0-based.
    #[schemars(extend("x-expected" = "a whole number (0-based page index)"))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "INDEX",
            allow_negative_numbers = true,
            conflicts_with = "pages",
            help = "One page, counted from 0; --pages counts from 1"
        )
    )]
    pub pdf_page: Option<i64>,
    /// The pages.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// Page form: document (PDF block), path (saved PDF), mixed (text, layout or Markdown if complete, else picture or PDF), auto
    /// (default: what your client can show).
    #[serde(rename = "as")]
    #[cfg_attr(
        feature = "program",
        arg(long = "as", value_enum, value_name = "FORM", help = "Form of the pages (default: the setting form)")
    )]
    pub form: Option<FormArgument>,
    /// Resend what you can no longer see.
    #[serde(default)]
    #[cfg_attr(
        feature = "program",
        arg(long, requires = "conversation", help = "Send it even if it was already sent in the conversation")
    )]
    pub force: bool,
    /// First line, or document of a folder; 1-based.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "N",
            conflicts_with = "part",
            help = "Of a text: its first line, counted from 1; of a folder: the first document"
        )
    )]
    pub start_line: Option<NonZeroU64>,
    /// Number of lines, or documents.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "N",
            conflicts_with = "part",
            help = "Of a text: how many lines; of a folder: how many documents"
        )
    )]
    pub num_lines: Option<NonZeroU64>,
    /// Token budget for pages; at least one is sent.
    #[cfg_attr(
        feature = "program",
        arg(long, value_name = "N", requires = "part", help = "Send pages up to about this many tokens, one at least")
    )]
    pub max_tokens: Option<NonZeroU64>,
    /// An earlier PDF or office file: reports changes; with pages, sends those that changed.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "EARLIER",
            help = "An earlier version: report what changed; with --pages, send only the pages that changed"
        )
    )]
    pub against: Option<String>,
    /// Save pages as Markdown, or as: text; returns the path.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(skip))]
    pub save: bool,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub held: ConversationArguments,
    /// Its password.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub password: PasswordParameter,
}

arguments_of!("get_file", GetFileArguments, GetFileArguments::with_one_part);

impl GetFileArguments {
    fn with_one_part(self) -> Result<Self, ToolError> {
        if self.pdf_page.is_some() && self.pages.is_some() {
            return Err(ToolError::one_of("pdfPage", "pages")
                .hint("Use pdfPage (0-based) for one page, or pages (1-based) for several."));
        }
        if self.save && self.saved_format().is_none() {
            return Err(ToolError::parameter("save", "writes Markdown, or text with as: text; it takes no other as"));
        }
        if self.save && self.against.is_some() {
            return Err(ToolError::one_of("save", "against"));
        }
        Ok(self)
    }

    /// The parameter that selects lines, which documents with pages do not have.
    #[must_use]
    pub fn selection_of_lines(&self) -> Option<&'static str> {
        let given = [("startLine", self.start_line), ("numLines", self.num_lines)];
        given.into_iter().find_map(|(name, number)| number.map(|_| name))
    }

    /// The format in which the text is saved: Markdown if no form is asked for.
    fn saved_format(&self) -> Option<TextFormat> {
        match self.form.unwrap_or_default() {
            FormArgument::Text => Some(TextFormat::Text),
            FormArgument::Markdown | FormArgument::Auto => Some(TextFormat::Markdown),
            _ => None,
        }
    }

    /// The text that is to be saved; `None` if it is to be sent.
    #[must_use]
    pub(super) fn saved_text(&self) -> Option<TextArguments> {
        let format = self.saved_format().filter(|_| self.save)?;
        let single = self.pdf_page.map(|index| index.saturating_add(1).to_string());
        let pages = self.pages.pages.clone().or(single);
        let document = self.document();
        Some(TextArguments { pages: pages.into(), format, save: true, document, ..TextArguments::default() })
    }

    /// The document, if the file is one.
    pub(super) fn document(&self) -> DocumentArguments {
        DocumentArguments {
            path: self.file_path.clone(),
            password: self.password.clone(),
            conversation: self.held.conversation.clone(),
        }
    }

    /// The requested part of a PDF.
    #[must_use]
    pub fn part(&self) -> RequestedPart {
        match (self.pdf_page, &*self.pages) {
            (Some(index), _) => RequestedPart::Index(index.into()),
            (None, Some(selection)) => RequestedPart::Selection(selection.clone()),
            (None, None) => RequestedPart::Summary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolArguments as _;
    use serde_json::{Map, Value, json};

    fn parse(arguments: Value) -> Result<GetFileArguments, String> {
        let Value::Object(map) = arguments else { return Err("not an object".into()) };
        GetFileArguments::parse(&map).map_err(|error| error.message)
    }

    #[test]
    fn pages_come_as_index_or_selection() {
        let part = |value| parse(value).map(|arguments| arguments.part());
        assert_eq!(part(json!({"filePath": "a", "pdfPage": 0})), Ok(RequestedPart::Index(0)));
        assert_eq!(part(json!({"filePath": "a", "pdfPage": 2.0})), Ok(RequestedPart::Index(2)));
        assert_eq!(part(json!({"filePath": "a", "pdfPage": "2"})), Ok(RequestedPart::Index(2)));
        assert_eq!(part(json!({"filePath": "a", "pdfPage": -1})), Ok(RequestedPart::Index(-1)));
        assert_eq!(part(json!({"filePath": "a", "pdfPage": 1e12})), Ok(RequestedPart::Index(1_000_000_000_000)));
        assert_eq!(part(json!({"filePath": "a", "pages": 3})), Ok(RequestedPart::Selection("3".into())));
        assert_eq!(part(json!({"filePath": "a", "pdfPage": null})), Ok(RequestedPart::Summary));
    }

    #[test]
    fn a_blank_text_is_none() {
        let blanks = |blank: &str| {
            let names = ["pages", "pdfPage", "as", "force", "startLine", "numLines", "maxTokens", "generation"];
            let mut arguments = Map::from_iter(names.map(|name| (name.to_owned(), json!(blank))));
            arguments.insert("conversation".into(), json!(blank));
            arguments.insert("filePath".into(), json!("a"));
            GetFileArguments::parse(&arguments)
        };
        let none = Ok(GetFileArguments { file_path: "a".into(), ..GetFileArguments::default() });
        assert_eq!([blanks(""), blanks(" \t")], [none.clone(), none]);
        let password =
            |given: &str| parse(json!({"filePath": "a", "password": given})).map(|given| given.password.password);
        assert_eq!(["", " "].map(password), [Ok(None), Ok(Some(" ".to_owned()))]);
    }

    #[test]
    fn every_refusal_names_its_parameter() {
        let refused = |value| parse(value).err().unwrap_or_default();
        assert_eq!(refused(json!({})), "Parameter 'filePath' is required");
        assert_eq!(refused(json!({"filePath": " "})), "Parameter 'filePath' is required");
        assert_eq!(refused(json!({"filePath": {}})), "Parameter 'filePath' must be a string");
        assert_eq!(
            refused(json!({"filePath": "a", "pdfPage": 1.5})),
            "Parameter 'pdfPage' must be a whole number (0-based page index)"
        );
        assert_eq!(refused(json!({"filePath": "a", "sheet": 1})), "Unknown parameter 'sheet'");
        assert_eq!(
            refused(json!({"filePath": "a", "pdfPage": 1, "pages": "2"})),
            "Parameters 'pdfPage' and 'pages' cannot be given together"
        );
        assert_eq!(
            refused(json!({"filePath": "a", "startLine": -1})),
            "Parameter 'startLine' must be a whole number, 1 or more"
        );
        assert_eq!(
            refused(json!({"filePath": "a", "as": "jpeg"})),
            "Parameter 'as' must be one of auto, document, image, text, markdown, path, mixed"
        );
    }
}
