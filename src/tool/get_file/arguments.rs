//! Arguments of `get_file`.

use serde_json::{Map, Value};

use crate::context::RequestedPart;
use crate::tool::arguments::ArgumentReader;
use crate::tool::client::FormArgument;
use crate::tool::error::ToolError;

/// Checked arguments of `get_file`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GetFileArguments {
    /// `filePath`.
    pub file_path: String,
    /// `pdfPage` or `pages`.
    pub part: RequestedPart,
    /// `as`.
    pub form: FormArgument,
    /// `force`.
    pub force: bool,
    /// `password`.
    pub password: Option<String>,
    /// `startLine`.
    pub start_line: Option<u64>,
    /// `numLines`.
    pub line_count: Option<u64>,
    /// `maxTokens`.
    pub max_tokens: Option<u64>,
    /// `conversation`.
    pub conversation: Option<String>,
    /// `generation`.
    pub generation: Option<u64>,
}

impl GetFileArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "get_file", arguments };
        fields.reject_unknown(&[
            "filePath",
            "pdfPage",
            "pages",
            "as",
            "force",
            "password",
            "startLine",
            "numLines",
            "maxTokens",
            "conversation",
            "generation",
        ])?;
        Ok(Self {
            file_path: fields.required_string("filePath")?,
            part: fields.part()?,
            form: fields.form()?,
            force: fields.boolean("force")?,
            password: fields.password()?,
            start_line: fields.positive("startLine")?,
            line_count: fields.positive("numLines")?,
            max_tokens: fields.positive("maxTokens")?,
            conversation: fields.conversation()?,
            generation: fields.count("generation")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(arguments: Value) -> Result<GetFileArguments, String> {
        let Value::Object(map) = arguments else { return Err("not an object".into()) };
        GetFileArguments::parse(&map).map_err(|error| error.message)
    }

    #[test]
    fn pages_come_as_index_or_selection() {
        let part = |value| parse(value).map(|arguments| arguments.part);
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
        let password = |given: &str| parse(json!({"filePath": "a", "password": given})).map(|given| given.password);
        assert_eq!(["", " "].map(password), [Ok(None), Ok(Some(" ".to_owned()))]);
    }

    #[test]
    fn every_refusal_names_its_parameter() {
        let refused = |value| parse(value).err().unwrap_or_default();
        assert_eq!(refused(json!({})), "Parameter 'filePath' is required");
        assert_eq!(refused(json!({"filePath": " "})), "Parameter 'filePath' is required");
        assert_eq!(refused(json!({"filePath": 3})), "Parameter 'filePath' must be a string");
        assert_eq!(
            refused(json!({"filePath": "a", "pdfPage": 1.5})),
            "Parameter 'pdfPage' must be a whole number (0-based page index)"
        );
        assert_eq!(refused(json!({"filePath": "a", "page": 1})), "Unknown parameter 'page'");
        assert_eq!(
            refused(json!({"filePath": "a", "pdfPage": 1, "pages": "2"})),
            "Parameters 'pdfPage' and 'pages' cannot be given together"
        );
        assert_eq!(
            refused(json!({"filePath": "a", "startLine": 0})),
            "Parameter 'startLine' must be a whole number, 1 or more"
        );
        assert_eq!(
            refused(json!({"filePath": "a", "as": "jpeg"})),
            "Parameter 'as' must be one of auto, document, image, text, markdown, path, mixed"
        );
    }
}
