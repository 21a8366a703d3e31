//! Arguments of the tool `pdf`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, json};

use crate::tool::arguments::{ConversationParameter, PagesParameter, PasswordParameter, arguments_of};
use crate::tool::error::{ErrorCode, ToolError};
use pagewise_model::ModelName;

/// PDFs in one question.
pub const MAX_PDFS: usize = 10;

/// The prompt if none is given.
const DEFAULT_PROMPT: &str = "Analyze this PDF document.";

/// Ask another model about up to ten PDFs; returns its answer as text. Use it if you cannot see PDFs or need only an
/// answer. Pages it did not get are listed with the call that sends them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("For a responseId, the conversation that fetched it"))))]
#[serde(rename_all = "camelCase")]
pub struct AskArguments {
    /// What to ask. Default: Analyze this PDF document.
    #[cfg_attr(feature = "program", arg(long, value_name = "TEXT"))]
    pub prompt: Option<String>,
    /// A PDF.
    #[cfg_attr(feature = "program", arg(skip))]
    pub pdf: Option<String>,
    /// Several PDFs.
    #[serde(default)]
    #[schemars(length(max = 10))]
    #[cfg_attr(
        feature = "program",
        arg(
            value_name = "PATH",
            required = true,
            help = "The PDFs, at most ten: each a path, a URL, or the responseId (fetch_…) that pagewise fetch printed"
        )
    )]
    pub pdfs: Vec<String>,
    /// The pages.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// provider/model; default: as configured.
    #[cfg_attr(feature = "program", arg(long, value_name = "MODEL", help = "The model, as provider/model"))]
    pub model: Option<String>,
    /// Largest size of each PDF, in MiB.
    #[schemars(range(min = 0))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "N",
            allow_negative_numbers = true,
            help = "Largest size of each PDF, in MiB (default: the setting pdf_max_bytes_mb)"
        )
    )]
    pub max_bytes_mb: Option<Number>,
    /// Its password.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub password: PasswordParameter,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
}

arguments_of!("pdf", AskArguments, AskArguments::with_all_pdfs);

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceOrigin {
    Local,
    Remote,
}

impl AskArguments {
    /// Puts `pdf` first among `pdfs`, trims and deduplicates them in order, and checks everything else. Opens nothing.
    fn with_all_pdfs(mut self) -> Result<Self, ToolError> {
        let given = self.pdf.take().into_iter().chain(std::mem::take(&mut self.pdfs));
        for reference in given.map(|reference| reference.trim().to_owned()).filter(|reference| !reference.is_empty()) {
            if !self.pdfs.contains(&reference) {
                self.pdfs.push(reference);
            }
        }
        if self.pdfs.is_empty() {
            return Err(ToolError::validation("pdf required: provide a path or URL to a PDF document"));
        }
        if self.pdfs.len() > MAX_PDFS {
            let message = format!("Too many PDFs: {} given, {MAX_PDFS} at most", self.pdfs.len());
            return Err(ToolError::new(ErrorCode::TooManyPdfs, message)
                .hint("Ask in several calls.")
                .with("count", json!(self.pdfs.len()))
                .with("max", json!(MAX_PDFS)));
        }
        self.pdfs.iter().try_for_each(|reference| origin(reference).map(|_| ()))?;
        if self.max_bytes_mb.as_ref().and_then(Number::as_f64).is_some_and(|number| number <= 0.0) {
            return Err(
                ToolError::validation("maxBytesMb must be greater than 0").with("parameter", json!("maxBytesMb"))
            );
        }
        self.model()?;
        Ok(self)
    }

    pub(super) fn prompt(&self) -> &str {
        self.prompt.as_deref().unwrap_or(DEFAULT_PROMPT)
    }

    /// The largest size of each PDF, in bytes.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and the cast saturates")]
    pub(super) fn max_bytes(&self) -> Option<u64> {
        self.max_bytes_mb.as_ref()?.as_f64().map(|megabytes| (megabytes * 1_048_576.0).floor() as u64)
    }

    pub(super) fn model(&self) -> Result<Option<ModelName>, ToolError> {
        let expected = "must be of the form provider/model, like \"openai/gpt-5-mini\"";
        let read = |model: &String| ModelName::parse(model).ok_or_else(|| ToolError::parameter("model", expected));
        self.model.as_ref().map(read).transpose()
    }
}

/// Classifies a reference by its scheme.
pub(super) fn origin(reference: &str) -> Result<ReferenceOrigin, ToolError> {
    match scheme(reference).map(str::to_ascii_lowercase).as_deref() {
        None | Some("file") => Ok(ReferenceOrigin::Local),
        Some("http" | "https") => Ok(ReferenceOrigin::Remote),
        Some(_) => Err(unsupported(
            reference,
            &format!("Unsupported PDF reference: {reference}. Accepted: a path, file://, http:// and https://"),
        )),
    }
}

/// The error for a reference, before anything is loaded.
pub(super) fn unsupported(reference: &str, message: &str) -> ToolError {
    ToolError::new(ErrorCode::UnsupportedPdfReference, message).with("pdf", json!(reference))
}

/// The scheme of a URL. File names may contain colons, so a scheme needs `//` after it, or must be one that is used
/// without.
fn scheme(reference: &str) -> Option<&str> {
    let (scheme, rest) = reference.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let goes_without = ["data", "blob", "mailto", "javascript", "urn", "about", "file"];
    let is_opaque = goes_without.iter().any(|name| scheme.eq_ignore_ascii_case(name));
    (is_scheme && (rest.starts_with("//") || is_opaque)).then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolArguments as _;
    use serde_json::Value;

    fn parse(arguments: Value) -> Result<AskArguments, String> {
        let Value::Object(map) = arguments else { return Err("not an object".into()) };
        AskArguments::parse(&map).map_err(|error| error.message)
    }

    #[test]
    fn references_are_merged_trimmed_and_taken_once() {
        let references = |value| parse(value).map(|arguments| arguments.pdfs);
        assert_eq!(references(json!({"pdf": " a ", "pdfs": ["b", "a", " ", "b "]})), Ok(vec!["a".into(), "b".into()]));
        assert_eq!(references(json!({"pdfs": "a"})), Ok(vec!["a".into()]));
        let none = Err("pdf required: provide a path or URL to a PDF document".to_owned());
        assert_eq!(references(json!({})), none);
        assert_eq!(references(json!({"pdf": " ", "pdfs": []})), none);
        let many = |count: usize| json!({ "pdfs": (0..count).map(|at| format!("{at}.pdf")).collect::<Vec<_>>() });
        assert_eq!(references(many(10)).map(|loaded| loaded.len()), Ok(10));
        assert_eq!(references(many(11)), Err("Too many PDFs: 11 given, 10 at most".to_owned()));
    }

    #[test]
    fn checks_come_in_their_order() {
        let refused = |value| parse(value).err().unwrap_or_default();
        let eleven = (0..11).map(|at| format!("ftp://{at}")).collect::<Vec<_>>();
        assert_eq!(refused(json!({"pdfs": eleven, "maxBytesMb": 0})), "Too many PDFs: 11 given, 10 at most");
        assert!(refused(json!({"pdf": "ftp://a", "maxBytesMb": 0})).starts_with("Unsupported PDF reference: ftp://a."));
        for bad in [json!(0), json!(-1), json!("-1")] {
            assert_eq!(refused(json!({"pdf": "a", "maxBytesMb": bad})), "maxBytesMb must be greater than 0");
        }
        assert_eq!(refused(json!({"pdf": "a", "maxBytesMb": "x"})), "Parameter 'maxBytesMb' must be a number");
        assert_eq!(
            refused(json!({"pdf": "a", "model": "claude"})),
            "Parameter 'model' must be of the form provider/model, like \"openai/gpt-5-mini\""
        );
    }

    #[test]
    fn schemes_are_told_from_file_names() {
        for (reference, expected) in [
            ("a:b.pdf", Some(ReferenceOrigin::Local)),
            ("C:\\a.pdf", Some(ReferenceOrigin::Local)),
            ("file:///a", Some(ReferenceOrigin::Local)),
            ("FILE:/a", Some(ReferenceOrigin::Local)),
            ("HTTPS://a/b", Some(ReferenceOrigin::Remote)),
            ("data:application/pdf;base64,AA", None),
            ("s3://a/b", None),
        ] {
            assert_eq!(origin(reference).ok(), expected, "{reference}");
        }
    }

    #[test]
    fn sizes_are_in_mebibytes() {
        let bytes = |value| parse(json!({"pdf": "a", "maxBytesMb": value})).map(|arguments| arguments.max_bytes());
        assert_eq!(bytes(json!(0.5)), Ok(Some(524_288)));
        assert_eq!(bytes(json!("10")), Ok(Some(10 << 20)));
        assert_eq!(bytes(json!(1e300)), Ok(Some(u64::MAX)));
    }
}
