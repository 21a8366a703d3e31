//! Arguments of the PDF tools.

use serde_json::{Map, Value};

use super::arguments::{Fields, whole_number, wrong_form};
use super::error::ToolError;
use crate::context::{Dpi, Region};

/// Characters of text in one answer, where none are asked for.
pub const DEFAULT_MAX_CHARS: u64 = 50_000;

/// Checked arguments of `pdf_info` and `pdf_outline`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentArguments {
    /// `path`.
    pub path: String,
    /// `password`.
    pub password: Option<String>,
}

impl DocumentArguments {
    /// Reads the arguments of a call of `tool`.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(tool: &'static str, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = Fields { tool, arguments };
        fields.only(&["path", "password"])?;
        Ok(Self { path: fields.required_string("path")?, password: fields.string("password")? })
    }
}

/// Checked arguments of `pdf_extract_text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextArguments {
    /// `path`.
    pub path: String,
    /// `pages`.
    pub pages: Option<String>,
    /// `max_chars`.
    pub max_chars: u64,
    /// `password`.
    pub password: Option<String>,
}

impl TextArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = Fields { tool: "pdf_extract_text", arguments };
        fields.only(&["path", "pages", "max_chars", "password"])?;
        Ok(Self {
            path: fields.required_string("path")?,
            pages: fields.selection()?.filter(|pages| !pages.trim().is_empty()),
            max_chars: fields.positive("max_chars")?.unwrap_or(DEFAULT_MAX_CHARS),
            password: fields.string("password")?,
        })
    }
}

/// Checked arguments of `pdf_render_page`.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderArguments {
    /// `path`.
    pub path: String,
    /// `page`, kept wide so that an absurd number is answered with the page count.
    pub page: i128,
    /// `dpi`, clamped.
    pub dpi: Dpi,
    /// `region`.
    pub region: Option<Region>,
    /// `password`.
    pub password: Option<String>,
}

impl RenderArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = Fields { tool: "pdf_render_page", arguments };
        fields.only(&["path", "page", "dpi", "region", "password"])?;
        let path = fields.required_string("path")?;
        let page = fields.value("page").ok_or_else(|| ToolError::required("page"))?;
        Ok(Self {
            path,
            page: whole_number(page).ok_or_else(|| wrong_form("page", "a whole number, 1 or more"))?,
            dpi: dpi(&fields)?,
            region: fields.value("region").map(region).transpose()?,
            password: fields.string("password")?,
        })
    }
}

fn dpi(fields: &Fields<'_>) -> Result<Dpi, ToolError> {
    let Some(value) = fields.value("dpi") else { return Ok(Dpi::default()) };
    let number = whole_number(value).ok_or_else(|| wrong_form("dpi", "a whole number; it is clamped to 72 to 300"))?;
    Ok(Dpi::clamped(u64::try_from(number.max(0)).unwrap_or(u64::MAX)))
}

/// A list of four numbers, or the same as text, as a command line has it.
fn region(value: &Value) -> Result<Region, ToolError> {
    let expected =
        || wrong_form("region", "four shares of the page from 0 to 1: left, top, right, bottom, as [0, 0, 1, 0.5]");
    let numbers = match value {
        Value::Array(items) => items.iter().map(Value::as_f64).collect::<Option<Vec<_>>>(),
        Value::String(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
        _ => None,
    };
    match numbers.as_deref() {
        Some([left, top, right, bottom]) => Region::new(*left, *top, *right, *bottom).ok_or_else(expected),
        _ => Err(expected()),
    }
}

/// Hits in one answer, where none are asked for.
const DEFAULT_MAX_RESULTS: u64 = 50;

/// Checked arguments of `pdf_search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchArguments {
    /// `path`.
    pub path: String,
    /// `query`.
    pub query: String,
    /// `regex`.
    pub is_regex: bool,
    /// `case_sensitive`.
    pub is_case_sensitive: bool,
    /// `pages`.
    pub pages: Option<String>,
    /// `max_results`.
    pub max_results: u64,
    /// `password`.
    pub password: Option<String>,
    /// `conversation`.
    pub conversation: Option<String>,
}

impl SearchArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = Fields { tool: "pdf_search", arguments };
        let known = ["path", "query", "regex", "case_sensitive", "pages", "max_results", "password", "conversation"];
        fields.only(&known)?;
        Ok(Self {
            path: fields.required_string("path")?,
            query: fields.required_string("query")?,
            is_regex: fields.boolean("regex")?,
            is_case_sensitive: fields.boolean("case_sensitive")?,
            pages: fields.selection()?.filter(|pages| !pages.trim().is_empty()),
            max_results: fields.positive("max_results")?.unwrap_or(DEFAULT_MAX_RESULTS),
            password: fields.string("password")?,
            conversation: fields.conversation()?,
        })
    }
}
