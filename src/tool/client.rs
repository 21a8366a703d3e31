//! Which form of a page a client can pass on to its model.

use crate::view::PageForm;

/// The key under `capabilities.extensions` where a client declares what it can show.
pub const CONTENT_EXTENSION: &str = "io.github.pagewise/content";

/// The key of a tool's `_meta` that says how many characters of its result a client should pass on.
///
/// Claude Code reads it in `tools/list` (seen in 2.1.330): a result of more than 50,000 characters is else put in a file,
/// of which the model gets the path, and the default of `pdf_extract_text` is 50,000 characters and its heading.
pub const RESULT_SIZE_HINT: &str = "anthropic/maxResultSizeChars";

/// The most that it takes as the value of [`RESULT_SIZE_HINT`]. Every tool bounds its results itself, and says where it
/// cut them; a client that cuts once more does not.
pub const MAX_RESULT_SIZE_CHARS: u32 = 500_000;

/// The `as` argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FormArgument {
    /// What the client can pass to its model.
    #[default]
    Auto,
    /// A PDF block.
    Document,
    /// A picture of the page.
    Image,
    /// The page's text.
    Text,
    /// A PDF in a file, named.
    Path,
    /// Text where that tells the whole page, and a page with figures as the client can see them.
    Mixed,
}

impl FormArgument {
    /// Reads the argument's value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            "document" => Some(Self::Document),
            "image" => Some(Self::Image),
            "text" => Some(Self::Text),
            "path" => Some(Self::Path),
            "mixed" => Some(Self::Mixed),
            _ => None,
        }
    }

    /// The argument's value, as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Document => "document",
            Self::Image => "image",
            Self::Text => "text",
            Self::Path => "path",
            Self::Mixed => "mixed",
        }
    }
}

/// One row of what clients were seen to do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientRow {
    /// The name that the client gives itself on the wire.
    pub name: &'static str,
    /// The form that reaches its model.
    pub form: FormArgument,
    /// What was seen, and with which version.
    pub evidence: &'static str,
}

/// Clients whose handling of a page was observed with a model server standing in. All others get text and image.
pub const CLIENTS: &[ClientRow] = &[
    ClientRow {
        name: "claude-code",
        form: FormArgument::Document,
        evidence: "2.1.330 saves a PDF blob in a folder of its own and names it; its Read opens it there unasked and gives \
                   the model a document block; a file in another folder needs the user's permission",
    },
    ClientRow {
        name: "codex-mcp-client",
        form: FormArgument::Image,
        evidence: "0.169 passes images as input_image and pastes a PDF blob as base64 text; in code mode the model's own \
                   script passes the blocks on",
    },
    ClientRow {
        name: "gemini-cli-mcp-client",
        form: FormArgument::Document,
        evidence: "0.61 passes a PDF blob as inlineData application/pdf, byte for byte",
    },
    ClientRow {
        name: "opencode",
        form: FormArgument::Document,
        evidence: "1.18 passes a PDF blob as a document block (Anthropic), input_file (OpenAI Responses), inlineData \
                   (Google) or file part; a model it holds unable to read PDFs gets a sentence that says so",
    },
];

/// What is known of the client that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientProfile {
    /// The name it gives itself.
    pub name: Option<String>,
    /// The MIME types it declares under [`CONTENT_EXTENSION`].
    pub accepts: Option<Vec<String>>,
    /// The bytes that it declares there a serialized result may have at most.
    pub max_result_bytes: Option<u64>,
    /// The server's `--as` flag.
    pub server_form: Option<FormArgument>,
    /// What the server's settings say of clients of its name.
    pub named_form: Option<FormArgument>,
    /// Whether the caller is this program's own user: command line or library.
    pub is_direct: bool,
}

impl ClientProfile {
    /// The command line or a program that embeds the library: both get documents.
    #[must_use]
    pub fn direct() -> Self {
        Self { is_direct: true, ..Self::default() }
    }

    /// The bytes that a serialized result may have: the setting's, or fewer where the client declares it. Nothing bounds
    /// what goes to this program's own user.
    #[must_use]
    pub fn result_bytes(&self, setting: u64) -> Option<u64> {
        let bytes = self.max_result_bytes.map_or(setting, |declared| declared.min(setting));
        (!self.is_direct).then_some(bytes)
    }
}

/// The form chosen, and what the model must be told about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormDecision {
    /// How pages are sent.
    pub form: PageForm,
    /// Whether pictures come with the page's text.
    pub with_text: bool,
    /// Whether pages that their text tells whole come as text.
    pub is_mixed: bool,
    /// A sentence for the model where the form is less than it may expect.
    pub note: Option<&'static str>,
}

/// Said where pages come as pictures to a client that is not known.
pub const PICTURES_INSTEAD: &str = "Pages are given as text and as pictures here, because this client is not known to \
     pass PDF pages to its model. Use as: \"path\" to get a one-page PDF file, or as: \"document\" if you can see PDF \
     blocks.";

/// Decides the form: argument, then declared capability, then server flag, then what the settings say of the client,
/// then [`CLIENTS`], then text and image.
#[must_use]
pub fn decide_form(argument: FormArgument, client: &ClientProfile) -> FormDecision {
    match argument {
        FormArgument::Auto => decide_auto(client),
        FormArgument::Document => decided(PageForm::Document),
        FormArgument::Image => decided(PageForm::Image),
        FormArgument::Text => decided(PageForm::Text),
        FormArgument::Path => decided(PageForm::Path),
        FormArgument::Mixed => decide_mixed(client),
    }
}

fn decided(form: PageForm) -> FormDecision {
    FormDecision { form, with_text: false, is_mixed: false, note: None }
}

/// Pages with figures as the client gets them at best: a PDF block, else a picture.
fn decide_mixed(client: &ClientProfile) -> FormDecision {
    let best = known_forms(client).find(|form| *form != FormArgument::Mixed);
    let form = if best == Some(FormArgument::Document) { PageForm::Document } else { PageForm::Image };
    FormDecision { is_mixed: true, ..decided(form) }
}

fn decide_auto(client: &ClientProfile) -> FormDecision {
    match known_forms(client).next() {
        // A picture that nobody asked for comes with its text: small print is read better there.
        Some(FormArgument::Image) => FormDecision { with_text: true, ..decided(PageForm::Image) },
        Some(form) => decide_form(form, client),
        None => FormDecision { with_text: true, note: Some(PICTURES_INSTEAD), ..decided(PageForm::Image) },
    }
}

/// What is said of the client's form, the weightiest first.
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
        FormArgument::Image
    } else {
        FormArgument::Text
    }
}

fn table_form(name: &str) -> Option<FormArgument> {
    CLIENTS.iter().find(|row| row.name == name).map(|row| row.form)
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
        assert_eq!(decided(FormArgument::Auto, &set(FormArgument::Auto)), (PageForm::Image, true));
        assert_eq!(decided(FormArgument::Text, &set(FormArgument::Document)), (PageForm::Text, false));
        let flagged = ClientProfile { server_form: Some(FormArgument::Path), ..set(FormArgument::Document) };
        assert_eq!(decided(FormArgument::Auto, &flagged), (PageForm::Path, false));
        let declared = ClientProfile { accepts: Some(vec!["image/png".into()]), ..set(FormArgument::Document) };
        assert_eq!(decided(FormArgument::Auto, &declared), (PageForm::Image, true));
        let mixed = decide_form(FormArgument::Auto, &set(FormArgument::Mixed));
        assert_eq!((mixed.form, mixed.is_mixed), (PageForm::Image, true));
    }

    #[test]
    fn a_server_may_be_told_to_mix() {
        let client = ClientProfile { server_form: Some(FormArgument::Mixed), ..named("opencode") };
        let mixed = decide_form(FormArgument::Auto, &client);
        assert_eq!((mixed.form, mixed.is_mixed, mixed.note), (PageForm::Document, true, None));
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
    fn an_unknown_client_gets_text_and_pictures_and_never_a_blob() {
        for client in [ClientProfile::default(), named("mcp"), named("codex-mcp-client")] {
            assert_eq!(decided(FormArgument::Auto, &client), (PageForm::Image, true));
        }
        assert_eq!(decided(FormArgument::Auto, &ClientProfile::direct()), (PageForm::Document, false));
    }
}
