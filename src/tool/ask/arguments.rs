//! Arguments of the tool `pdf`.

use serde_json::{Map, Value, json};

use crate::tool::arguments::{ArgumentReader, invalid_value};
use crate::tool::error::{ErrorCode, ToolError};
use pagewise_model::ModelName;

/// PDFs in one question.
pub const MAX_PDFS: usize = 10;

/// The prompt if none is given.
pub const DEFAULT_PROMPT: &str = "Analyze this PDF document.";

/// Checked arguments of `pdf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskArguments {
    /// `prompt`.
    pub prompt: String,
    /// `pdf` and `pdfs`, merged, trimmed and deduplicated in order; 1 to [`MAX_PDFS`].
    pub references: Vec<String>,
    /// `pages`.
    pub pages: Option<String>,
    /// `password`.
    pub password: Option<String>,
    /// `model`.
    pub model: Option<ModelName>,
    /// `maxBytesMb`, in bytes.
    pub max_bytes: Option<u64>,
    /// `conversation`: the owner of any `responseId` among the references.
    pub conversation: Option<String>,
}

/// Where a reference leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceOrigin {
    Local,
    Remote,
}

impl AskArguments {
    /// Reads the arguments of a call. Opens nothing.
    ///
    /// # Errors
    /// `validation_error`, `too_many_pdfs`, `unsupported_pdf_reference`.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "pdf", arguments };
        fields.reject_unknown(&[
            "prompt",
            "pdf",
            "pdfs",
            "pages",
            "password",
            "model",
            "maxBytesMb",
            "conversation",
        ])?;
        let prompt = fields.string("prompt")?;
        let (pages, password) = (fields.selection()?, fields.password()?);
        let model = fields.string("model")?;
        let conversation = fields.conversation()?;
        let references = references(&fields)?;
        let max_bytes = fields.value("maxBytesMb").map(megabytes).transpose()?;
        Ok(Self {
            prompt: prompt.unwrap_or_else(|| DEFAULT_PROMPT.to_owned()),
            references,
            pages,
            password,
            model: model.map(|model| model_name(&model)).transpose()?,
            max_bytes,
            conversation,
        })
    }
}

fn references(fields: &ArgumentReader<'_>) -> Result<Vec<String>, ToolError> {
    let mut loaded: Vec<String> = Vec::new();
    let given =
        fields.string("pdf")?.into_iter().chain(fields.strings("pdfs", "a list of strings")?.unwrap_or_default());
    for reference in given.map(|reference| reference.trim().to_owned()).filter(|reference| !reference.is_empty()) {
        if !loaded.contains(&reference) {
            loaded.push(reference);
        }
    }
    if loaded.is_empty() {
        return Err(ToolError::validation("pdf required: provide a path or URL to a PDF document"));
    }
    if loaded.len() > MAX_PDFS {
        let message = format!("Too many PDFs: {} given, {MAX_PDFS} at most", loaded.len());
        return Err(ToolError::new(ErrorCode::TooManyPdfs, message)
            .hint("Ask in several calls.")
            .with("count", json!(loaded.len()))
            .with("max", json!(MAX_PDFS)));
    }
    loaded.iter().try_for_each(|reference| origin(reference).map(|_| ()))?;
    Ok(loaded)
}

/// Classifies a reference by its scheme.
pub(super) fn origin(reference: &str) -> Result<ReferenceOrigin, ToolError> {
    match scheme(reference).map(str::to_ascii_lowercase).as_deref() {
        None | Some("file") => Ok(ReferenceOrigin::Local),
        Some("http" | "https") => Ok(ReferenceOrigin::Remote),
        Some(_) => Err(unsupported(
            reference,
            &format!("Unsupported PDF reference: {reference}; accepted are a path, file://, http:// and https://"),
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

/// A number of MiB in bytes. Models and command lines may write it as text.
fn megabytes(value: &Value) -> Result<u64, ToolError> {
    let written = value.as_str().and_then(|text| text.trim().parse::<f64>().ok());
    let number = value.as_f64().or(written).filter(|number| !number.is_nan());
    let number = number.ok_or_else(|| invalid_value("maxBytesMb", "a number"))?;
    if number <= 0.0 {
        return Err(ToolError::validation("maxBytesMb must be greater than 0"));
    }
    Ok(bytes_of(number))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and the cast saturates")]
fn bytes_of(megabytes: f64) -> u64 {
    (megabytes * 1_048_576.0).floor() as u64
}

fn model_name(text: &str) -> Result<ModelName, ToolError> {
    ModelName::parse(text)
        .ok_or_else(|| invalid_value("model", "of the form provider/model, like \"openai/gpt-5-mini\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: Value) -> Result<AskArguments, String> {
        let Value::Object(map) = arguments else { return Err("not an object".into()) };
        AskArguments::parse(&map).map_err(|error| error.message)
    }

    #[test]
    fn references_are_merged_trimmed_and_taken_once() {
        let references = |value| parse(value).map(|arguments| arguments.references);
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
        assert!(refused(json!({"pdf": "ftp://a", "maxBytesMb": 0})).starts_with("Unsupported PDF reference: ftp://a;"));
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
        let bytes = |value| parse(json!({"pdf": "a", "maxBytesMb": value})).map(|arguments| arguments.max_bytes);
        assert_eq!(bytes(json!(0.5)), Ok(Some(524_288)));
        assert_eq!(bytes(json!("10")), Ok(Some(10 << 20)));
        assert_eq!(bytes(json!(1e300)), Ok(Some(u64::MAX)));
    }
}
