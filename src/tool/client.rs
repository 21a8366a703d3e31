//! Decides in which form a client gets pages.

use schemars::JsonSchema;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};

use pagewise_view::PageForm;

/// The key under `capabilities.extensions` where a client declares the content it can show.
pub const CONTENT_EXTENSION: &str = "io.github.pagewise/content";

/// The key in a tool's `_meta` that says how many characters of its result a client should pass on.
///
/// Claude Code reads it in `tools/list` (seen in 2.1.330). Without it, a result of more than 50,000 characters is put
/// into a file, and the model gets its path.
pub const RESULT_SIZE_HINT: &str = "anthropic/maxResultSizeChars";

/// The key in a tool's `_meta` that keeps its schema in the prompt.
///
/// Claude Code (seen in 2.1.330) names the tools of a server alone, and the model has to look up a schema before its
/// first call. A look-up of "read a pdf" does not find `get_file`.
pub const ALWAYS_LOAD_HINT: &str = "anthropic/alwaysLoad";

/// The largest value that Claude Code accepts for [`RESULT_SIZE_HINT`]. Every tool bounds its own results and says
/// where it cut them; a client that cuts again does not.
pub const MAX_RESULT_SIZE_CHARS: u32 = 500_000;

/// The `as` argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum FormArgument {
    /// PDFs; for serve, the form that the client can show its model
    #[default]
    Auto,
    /// A one-page PDF
    Document,
    /// A picture of the page
    Image,
    /// The page's text
    Text,
    /// Headings, lists and tables as Markdown
    Markdown,
    /// The path of a one-page PDF
    Path,
    /// Text for plain pages, Markdown for code and where tables and formulas were read reliably, text with its columns for other
    /// tables and typed pages, and a PDF or a picture where text would leave something out
    Mixed,
}

impl FormArgument {
    /// Reads the argument's value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<ValueError>::new(text)).ok()
    }

    /// The argument's value.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Document => "document",
            Self::Image => "image",
            Self::Text => "text",
            Self::Path => "path",
            Self::Markdown => "markdown",
            Self::Mixed => "mixed",
        }
    }
}

/// Observed behaviour of one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientRow {
    /// The name that the client sends in `clientInfo`, perhaps with the name of the server behind it.
    pub name: &'static str,
    /// The best form that reaches its model.
    pub form: FormArgument,
    /// What else its answers have to allow for.
    pub habits: &'static [ClientHabit],
    /// What was observed, and in which version.
    pub evidence: &'static str,
}

/// What a client does with answers, besides pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientHabit {
    /// Gives its model the structured content of a result alone, which lacks notices that the text has.
    DropsTextBesideStructure,
    /// Cancels every request after it read the answer.
    CancelsAnsweredRequests,
    /// Gives its model the `_meta` of an error, which repeats the text.
    ShowsErrorMeta,
}

/// Clients whose handling of pages was observed with a mock model server. All others get [`FormArgument::Mixed`].
pub const CLIENTS: &[ClientRow] = &[
    ClientRow {
        name: "claude-code",
        form: FormArgument::Mixed,
        habits: &[ClientHabit::DropsTextBesideStructure],
        evidence: "2.1.330 passes text and images in one call; it saves a PDF blob to a file that the model must read \
                   with a further call, and asks the user before it reads a file in our output folder",
    },
    ClientRow {
        name: "codex-mcp-client",
        form: FormArgument::Mixed,
        habits: &[ClientHabit::DropsTextBesideStructure],
        evidence: "0.169 passes images as input_image and pastes a PDF blob as base64 text; in code mode the model's own \
                   script passes the blocks on",
    },
    ClientRow {
        name: "continue-cli-client",
        form: FormArgument::Text,
        habits: &[],
        evidence: "1.5.47 pastes pictures and PDF blobs as base64 text, until the context is full",
    },
    ClientRow {
        name: "gemini-cli-mcp-client",
        form: FormArgument::Document,
        habits: &[ClientHabit::ShowsErrorMeta],
        evidence: "0.61 passes a PDF blob as inlineData application/pdf, byte for byte",
    },
    ClientRow {
        name: "opencode",
        form: FormArgument::Document,
        habits: &[ClientHabit::CancelsAnsweredRequests],
        evidence: "1.18 passes a PDF blob as a document block (Anthropic), input_file (OpenAI Responses), inlineData \
                   (Google) or file part; a model it holds unable to read PDFs gets a sentence that says so",
    },
    ClientRow {
        name: "qwen-cli-mcp-client",
        form: FormArgument::Mixed,
        habits: &[ClientHabit::DropsTextBesideStructure],
        evidence: "0.24 passes text, and pictures if it holds the model able to see them",
    },
];

/// What is known about the calling client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientProfile {
    /// The name in its `clientInfo`.
    pub name: Option<String>,
    /// The MIME types it declares under [`CONTENT_EXTENSION`].
    pub accepts: Option<Vec<String>>,
    /// The largest serialized result that it declares there, in bytes.
    pub max_result_bytes: Option<u64>,
    /// The server's `--as` flag.
    pub server_form: Option<FormArgument>,
    /// The form that the server's settings give for clients of this name.
    pub named_form: Option<FormArgument>,
    /// Whether the caller is the command line or the library.
    pub is_direct: bool,
}

impl ClientProfile {
    /// The command line or an embedding program. Both get documents.
    #[must_use]
    pub fn direct() -> Self {
        Self { is_direct: true, ..Self::default() }
    }

    /// Whether the client is known to have a habit.
    #[must_use]
    pub fn has(&self, habit: ClientHabit) -> bool {
        self.name.as_deref().and_then(client_row).is_some_and(|row| row.habits.contains(&habit))
    }

    /// The bytes that a serialized result may have: the setting, or less if the client declares less. Unbounded for
    /// direct callers.
    #[must_use]
    pub fn result_bytes(&self, setting: u64) -> Option<u64> {
        let bytes = self.max_result_bytes.map_or(setting, |declared| declared.min(setting));
        (!self.is_direct).then_some(bytes)
    }
}

/// The chosen form, and what to tell the model about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormDecision {
    /// How pages are sent.
    pub form: PageForm,
    /// Whether pictures come with the page's text.
    pub with_text: bool,
    /// Whether pages whose text says everything come as text.
    pub is_mixed: bool,
}

/// Chooses the form: by argument, then declared capability, server flag, settings for the client, [`CLIENTS`], and else
/// [`FormArgument::Mixed`].
#[must_use]
pub fn decide_form(argument: FormArgument, client: &ClientProfile) -> FormDecision {
    match argument {
        FormArgument::Auto => decide_auto(client),
        FormArgument::Document => decided(PageForm::Document),
        FormArgument::Image => decided(PageForm::Image),
        FormArgument::Text => decided(PageForm::Text),
        FormArgument::Path => decided(PageForm::Path),
        FormArgument::Markdown => decided(PageForm::Markdown),
        FormArgument::Mixed => decide_mixed(client),
    }
}

fn decided(form: PageForm) -> FormDecision {
    FormDecision { form, with_text: false, is_mixed: false }
}

/// Pages with figures come in the best form that the client gets: a PDF block, else a picture.
fn decide_mixed(client: &ClientProfile) -> FormDecision {
    let takes_pdf = match client.accepts.as_deref() {
        Some(accepts) => declared_form(accepts) == FormArgument::Document,
        None => known_forms(client).find(|form| *form != FormArgument::Mixed) == Some(FormArgument::Document),
    };
    let form = if takes_pdf { PageForm::Document } else { PageForm::Image };
    FormDecision { is_mixed: true, ..decided(form) }
}

fn decide_auto(client: &ClientProfile) -> FormDecision {
    match known_forms(client).next() {
        // A picture that was not asked for comes with its text, because small print reads better there.
        Some(FormArgument::Image) => FormDecision { with_text: true, ..decided(PageForm::Image) },
        Some(form) => decide_form(form, client),
        None => decide_mixed(client),
    }
}

/// The forms known for the client, highest priority first.
fn known_forms(client: &ClientProfile) -> impl Iterator<Item = FormArgument> {
    let said = [
        client.accepts.as_deref().map(declared_form),
        client.server_form,
        client.is_direct.then_some(FormArgument::Document),
        client.named_form,
        client.name.as_deref().and_then(table_form),
    ];
    said.into_iter().flatten().filter(|form| *form != FormArgument::Auto)
}

fn declared_form(accepts: &[String]) -> FormArgument {
    let accepts = |mime: &str| accepts.iter().any(|accepted| accepted == mime);
    if accepts("application/pdf") {
        FormArgument::Document
    } else if accepts("image/png") {
        FormArgument::Mixed
    } else {
        FormArgument::Text
    }
}

fn table_form(name: &str) -> Option<FormArgument> {
    client_row(name).map(|row| row.form)
}

fn client_row(name: &str) -> Option<&'static ClientRow> {
    let names = |row: &&ClientRow| {
        name.strip_prefix(row.name).is_some_and(|server| server.is_empty() || server.starts_with('-'))
    };
    CLIENTS.iter().find(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(argument: FormArgument, client: &ClientProfile) -> (PageForm, bool) {
        let decision = decide_form(argument, client);
        (decision.form, decision.with_text)
    }

    fn named(name: &str) -> ClientProfile {
        ClientProfile { name: Some(name.to_owned()), ..ClientProfile::default() }
    }

    #[test]
    fn the_argument_wins_over_everything() {
        let client = ClientProfile { accepts: Some(vec!["image/png".into()]), ..named("codex-mcp-client") };
        assert_eq!(decided(FormArgument::Document, &client), (PageForm::Document, false));
        assert_eq!(decided(FormArgument::Image, &client), (PageForm::Image, false));
    }

    #[test]
    fn a_declaration_wins_over_the_flag_and_the_table() {
        let accepts = Some(vec!["text/plain".into(), "application/pdf".into()]);
        let client = ClientProfile { accepts, server_form: Some(FormArgument::Text), ..named("codex-mcp-client") };
        assert_eq!(decided(FormArgument::Auto, &client), (PageForm::Document, false));
        let client = ClientProfile { accepts: Some(vec![]), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), (PageForm::Text, false));
    }

    #[test]
    fn a_client_may_declare_smaller_results_and_no_larger_ones() {
        let declaring = |bytes| ClientProfile { max_result_bytes: bytes, ..ClientProfile::default() };
        let bounds = [None, Some(10), Some(1_000)].map(|bytes| declaring(bytes).result_bytes(100));
        assert_eq!(bounds, [Some(100), Some(10), Some(100)]);
        assert_eq!(ClientProfile::direct().result_bytes(100), None);
    }

    #[test]
    fn the_flag_wins_over_the_table() {
        let client = ClientProfile { server_form: Some(FormArgument::Path), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), (PageForm::Path, false));
        let client = ClientProfile { server_form: Some(FormArgument::Auto), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), (PageForm::Document, false));
    }

    #[test]
    fn what_is_set_for_a_client_wins_over_the_table_alone() {
        let set = |form| ClientProfile { named_form: Some(form), ..named("codex-mcp-client") };
        assert_eq!(decided(FormArgument::Auto, &set(FormArgument::Document)), (PageForm::Document, false));
        assert_eq!(decided(FormArgument::Auto, &set(FormArgument::Auto)), (PageForm::Image, false), "mixed");
        assert_eq!(decided(FormArgument::Auto, &set(FormArgument::Image)), (PageForm::Image, true));
        assert_eq!(decided(FormArgument::Text, &set(FormArgument::Document)), (PageForm::Text, false));
        let flagged = ClientProfile { server_form: Some(FormArgument::Path), ..set(FormArgument::Document) };
        assert_eq!(decided(FormArgument::Auto, &flagged), (PageForm::Path, false));
        let declared = ClientProfile { accepts: Some(vec!["image/png".into()]), ..set(FormArgument::Document) };
        assert_eq!(decided(FormArgument::Auto, &declared), (PageForm::Image, false));
        let mixed = decide_form(FormArgument::Auto, &set(FormArgument::Mixed));
        assert_eq!((mixed.form, mixed.is_mixed), (PageForm::Image, true));
    }

    #[test]
    fn a_server_may_be_told_to_mix() {
        let client = ClientProfile { server_form: Some(FormArgument::Mixed), ..named("opencode") };
        let mixed = decide_form(FormArgument::Auto, &client);
        assert_eq!((mixed.form, mixed.is_mixed), (PageForm::Document, true));
    }

    #[test]
    fn mixed_pages_with_figures_come_as_the_client_sees_them() {
        let mixed = |client: &ClientProfile| decide_form(FormArgument::Mixed, client);
        let seen = |client: &ClientProfile| (mixed(client).form, mixed(client).is_mixed);
        assert_eq!(seen(&named("opencode")), (PageForm::Document, true));
        assert_eq!(seen(&named("codex-mcp-client")), (PageForm::Image, true));
        assert_eq!(seen(&ClientProfile::default()), (PageForm::Image, true));
    }

    #[test]
    fn claude_code_gets_text_or_pictures_and_documents_on_request() {
        let client = named("claude-code");
        let by_itself = decide_form(FormArgument::Auto, &client);
        assert_eq!((by_itself.form, by_itself.is_mixed), (PageForm::Image, true));
        let set = ClientProfile { named_form: Some(FormArgument::Document), ..client };
        assert_eq!(decided(FormArgument::Auto, &set), (PageForm::Document, false));
    }

    #[test]
    fn a_client_is_known_by_its_name_with_that_of_the_server_behind_it() {
        let drops = |name: &str| named(name).has(ClientHabit::DropsTextBesideStructure);
        assert!(drops("qwen-cli-mcp-client") && drops("qwen-cli-mcp-client-pagewise"));
        assert!(
            !drops("qwen-cli-mcp-clients")
                && !drops("qwen")
                && !ClientProfile::direct().has(ClientHabit::ShowsErrorMeta)
        );
    }

    #[test]
    fn an_unknown_client_gets_text_or_pictures_and_never_a_blob() {
        let declared = ClientProfile { accepts: Some(vec!["image/png".into()]), ..ClientProfile::default() };
        for client in [ClientProfile::default(), named("mcp"), named("codex-mcp-client"), declared] {
            let decision = decide_form(FormArgument::Auto, &client);
            assert_eq!((decision.form, decision.is_mixed), (PageForm::Image, true));
        }
        assert_eq!(decided(FormArgument::Auto, &ClientProfile::direct()), (PageForm::Document, false));
    }
}
