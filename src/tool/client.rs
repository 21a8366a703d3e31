//! Which form of a page a client can pass on to its model.

use crate::view::Form;

/// The key under `capabilities.extensions` where a client declares what it can show.
pub const CONTENT_EXTENSION: &str = "io.github.pagewise/content";

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
            _ => None,
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
        form: FormArgument::Path,
        evidence: "2.1.330 saves a blob to disk and names it; a PDF at a path named in text is read natively",
    },
    ClientRow {
        name: "codex-mcp-client",
        form: FormArgument::Image,
        evidence: "0.169 pastes a blob into the prompt as base64 text; images are passed as images",
    },
    ClientRow {
        name: "gemini-cli-mcp-client",
        form: FormArgument::Document,
        evidence: "0.61 passes a PDF blob as inlineData application/pdf",
    },
    ClientRow {
        name: "opencode",
        form: FormArgument::Document,
        evidence: "1.18 passes a PDF blob as a document block",
    },
];

/// What is known of the client that asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientFacts {
    /// The name it gives itself.
    pub name: Option<String>,
    /// The MIME types it declares under [`CONTENT_EXTENSION`].
    pub accepts: Option<Vec<String>>,
    /// The server's `--as` flag.
    pub server_form: Option<FormArgument>,
    /// Whether the caller is this program's own user: command line or library.
    pub is_direct: bool,
}

impl ClientFacts {
    /// The command line or a program that embeds the library: both get documents.
    #[must_use]
    pub fn direct() -> Self {
        Self { is_direct: true, ..Self::default() }
    }
}

/// The form chosen, and what the model must be told about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormDecision {
    /// How pages are sent.
    pub form: Form,
    /// A sentence for the model where the form is less than it may expect.
    pub note: Option<&'static str>,
}

/// Said where an image would have been best.
pub const TEXT_INSTEAD_OF_IMAGE: &str = "Pages are given as text here, because this client is not known to pass PDF \
     pages to its model and page images are not available; layout and pictures are missing. \
     Use as: \"path\" to get a one-page PDF file, or as: \"document\" if you can see PDF blocks.";

/// Decides the form: argument, then declared capability, then server flag, then table, then text and image.
///
/// `None` for an explicit [`FormArgument::Image`], which needs a renderer.
#[must_use]
pub fn decide_form(argument: FormArgument, client: &ClientFacts) -> Option<FormDecision> {
    match argument {
        FormArgument::Auto => Some(decide_auto(client)),
        FormArgument::Image => None,
        explicit => Some(available(explicit)),
    }
}

fn decide_auto(client: &ClientFacts) -> FormDecision {
    let declared = client.accepts.as_deref().map(declared_form);
    let chosen = declared.or(client.server_form.filter(|form| *form != FormArgument::Auto));
    let chosen = chosen.or(client.is_direct.then_some(FormArgument::Document));
    let chosen = chosen.or_else(|| client.name.as_deref().and_then(table_form));
    available(chosen.unwrap_or(FormArgument::Image))
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

/// The nearest form that can be made.
fn available(form: FormArgument) -> FormDecision {
    match form {
        FormArgument::Document => FormDecision { form: Form::Document, note: None },
        FormArgument::Path => FormDecision { form: Form::Path, note: None },
        FormArgument::Text => FormDecision { form: Form::Text, note: None },
        FormArgument::Auto | FormArgument::Image => {
            FormDecision { form: Form::Text, note: Some(TEXT_INSTEAD_OF_IMAGE) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(argument: FormArgument, client: &ClientFacts) -> Option<(Form, bool)> {
        decide_form(argument, client).map(|decision| (decision.form, decision.note.is_some()))
    }

    fn named(name: &str) -> ClientFacts {
        ClientFacts { name: Some(name.to_owned()), ..ClientFacts::default() }
    }

    #[test]
    fn the_argument_wins_over_everything() {
        let client = ClientFacts { accepts: Some(vec!["image/png".into()]), ..named("codex-mcp-client") };
        assert_eq!(decided(FormArgument::Document, &client), Some((Form::Document, false)));
        assert_eq!(decided(FormArgument::Image, &client), None);
    }

    #[test]
    fn a_declaration_wins_over_the_flag_and_the_table() {
        let accepts = Some(vec!["text/plain".into(), "application/pdf".into()]);
        let client = ClientFacts { accepts, server_form: Some(FormArgument::Text), ..named("codex-mcp-client") };
        assert_eq!(decided(FormArgument::Auto, &client), Some((Form::Document, false)));
        let client = ClientFacts { accepts: Some(vec![]), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), Some((Form::Text, false)));
    }

    #[test]
    fn the_flag_wins_over_the_table() {
        let client = ClientFacts { server_form: Some(FormArgument::Path), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), Some((Form::Path, false)));
        let client = ClientFacts { server_form: Some(FormArgument::Auto), ..named("opencode") };
        assert_eq!(decided(FormArgument::Auto, &client), Some((Form::Document, false)));
    }

    #[test]
    fn an_unknown_client_never_gets_a_blob() {
        for client in [ClientFacts::default(), named("mcp"), named("codex-mcp-client")] {
            assert_eq!(decided(FormArgument::Auto, &client), Some((Form::Text, true)));
        }
        assert_eq!(decided(FormArgument::Auto, &ClientFacts::direct()), Some((Form::Document, false)));
    }
}
