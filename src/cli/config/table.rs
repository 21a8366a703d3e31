//! The settings, a row each.

use super::Config;
use super::slot::Slot;

/// One setting.
pub(super) struct Setting {
    /// Its name, which is the key of the file and, in capitals, the end of the variable. A dot leads into a table.
    pub(super) name: &'static str,
    /// What it is for.
    pub(super) meaning: &'static str,
    /// Where its value lies.
    pub(super) slot: fn(&mut Config) -> Slot<'_>,
    /// The flag of its own, which some have beside `--set`: clap's id, and how it is typed.
    pub(super) flag: Option<(&'static str, &'static str)>,
    /// The default in words, where it depends on the system.
    pub(super) default: Option<&'static str>,
    /// Variables of others that set it too, where its own does not.
    pub(super) also: &'static [&'static str],
}

impl Setting {
    const fn new(name: &'static str, meaning: &'static str, slot: fn(&mut Config) -> Slot<'_>) -> Self {
        Self { name, meaning, slot, flag: None, default: None, also: &[] }
    }

    const fn flag(self, id: &'static str, typed: &'static str) -> Self {
        Self { flag: Some((id, typed)), ..self }
    }

    const fn default(self, words: &'static str) -> Self {
        Self { default: Some(words), ..self }
    }

    /// The variable of the environment.
    pub(super) fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.name.replace('.', "_").to_uppercase())
    }
}

/// How all variables begin.
pub(super) const VARIABLES: &str = "PAGEWISE_";

/// Where the file is looked for: beside the settings, since a file cannot name itself.
pub(super) const FILE_VARIABLE: &str = "PAGEWISE_CONFIG";

/// Every setting, in the order of the documentation.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new("data_dir", "where conversations are remembered", |c| Slot::Folder(&mut c.data_dir))
        .default("`$XDG_DATA_HOME/pagewise`, else `~/.local/share/pagewise`"),
    Setting::new("output_dir", "where pages and pictures are written that are given as a path", |c| Slot::Folder(&mut c.output_dir))
        .flag("out_dir", "--out-dir").default("`pages` in `data_dir`"),
    Setting::new("roots", "folders beside the working directory beneath which a server opens files", |c| Slot::Folders(&mut c.roots))
        .flag("root", "--root"),
    Setting::new("password", "the password of an encrypted PDF; the variable keeps it off a command line", |c| Slot::Secret(&mut c.password))
        .flag("password", "--password"),
    Setting::new("form", "how pages come where a call does not say: auto, document, image, text, path", |c| Slot::Form(&mut c.form))
        .flag("form", "--as"),
    Setting::new("no_sandbox", "read PDFs in this process", |c| Slot::Switch(&mut c.no_sandbox)).flag("no_sandbox", "--no-sandbox"),
    Setting::new("require_sandbox", "refuse to read PDFs where a layer of the sandbox is missing", |c| Slot::Switch(&mut c.require_sandbox))
        .flag("require_sandbox", "--require-sandbox"),
    Setting::new("max_answer_pages", "pages in one answer", |c| Slot::Usize(&mut c.answers.max_pages)),
    Setting::new("max_block_bytes", "one page of an answer as a PDF; a larger one comes as text", |c| Slot::U64(&mut c.answers.max_block_bytes)),
    Setting::new("max_answer_bytes", "all pages of one answer as PDFs", |c| Slot::U64(&mut c.answers.max_answer_bytes)),
    Setting::new("max_text_characters", "text in one answer", |c| Slot::Usize(&mut c.answers.max_text_characters)),
    Setting::new("max_line_characters", "one line of a text file; a longer one is abridged", |c| Slot::Usize(&mut c.answers.max_line_characters)),
    Setting::new("max_image_bytes", "an image file that is given", |c| Slot::U64(&mut c.answers.max_image_bytes)),
    Setting::new("max_picture_bytes", "a drawn page as PNG", |c| Slot::U64(&mut c.answers.max_picture_bytes)),
    Setting::new("max_summary_outline_items", "entries of the outline in a summary", |c| Slot::Usize(&mut c.answers.max_outline_items)),
    Setting::new("max_conversation_blocks", "pages and pictures in all that a conversation was sent: one request to a provider carries it", |c| Slot::U64(&mut c.answers.request_bounds.max_media_blocks)),
    Setting::new("max_conversation_pages", "PDF pages in all that a conversation was sent", |c| Slot::U64(&mut c.answers.request_bounds.max_pdf_pages)),
    Setting::new("max_conversation_bytes", "bytes of all that a conversation was sent, media in base64", |c| Slot::U64(&mut c.answers.request_bounds.max_request_bytes)),
    Setting::new("max_unused_days", "days after which a conversation that was not used is dropped", |c| Slot::U32(&mut c.answers.retention.max_unused_days)),
    Setting::new("max_holdings", "what all conversations may hold before the least recently used are dropped", |c| Slot::U64(&mut c.answers.retention.max_holdings)),
    Setting::new("max_file_bytes", "size of a PDF that is opened", |c| Slot::U64(&mut c.limits.max_file_bytes)),
    Setting::new("max_nesting", "arrays and dictionaries inside each other", |c| Slot::U32(&mut c.limits.max_nesting)),
    Setting::new("max_page_tree_depth", "levels of the page tree", |c| Slot::U32(&mut c.limits.max_page_tree_depth)),
    Setting::new("max_pages", "pages of a document", |c| Slot::U32(&mut c.limits.max_pages)),
    Setting::new("max_reference_hops", "references that lead to references", |c| Slot::U32(&mut c.limits.max_reference_hops)),
    Setting::new("max_xref_sections", "sections of incremental updates", |c| Slot::U32(&mut c.limits.max_xref_sections)),
    Setting::new("max_filters", "filters on one stream", |c| Slot::U32(&mut c.limits.max_filters)),
    Setting::new("max_stream_bytes", "what one stream may decode to", |c| Slot::U64(&mut c.limits.max_stream_bytes)),
    Setting::new("max_decoded_bytes", "what all streams decoded for one page may come to", |c| Slot::U64(&mut c.limits.max_decoded_bytes)),
    Setting::new("max_page_objects", "objects that one page may reach", |c| Slot::U32(&mut c.limits.max_page_objects)),
    Setting::new("max_page_bytes", "one page as a PDF", |c| Slot::U64(&mut c.limits.max_page_bytes)),
    Setting::new("max_outline_items", "entries of an outline", |c| Slot::U32(&mut c.limits.max_outline_items)),
    Setting::new("max_text_bytes", "text of one page", |c| Slot::U64(&mut c.limits.max_text_bytes)),
    Setting::new("max_ratio", "what a stream decodes to, as a multiple of its stored bytes, above 10 MB", |c| Slot::U64(&mut c.limits.max_ratio)),
    Setting::new("workers", "confined processes that read PDFs for a server", |c| Slot::Count(&mut c.workers.workers))
        .default("one a processor, 8 at most"),
    Setting::new("worker_deadline_ms", "time for one operation of a reader", |c| Slot::Milliseconds(&mut c.workers.deadline)),
    Setting::new("worker_memory_bytes", "address space of a reader", |c| Slot::U64(&mut c.workers.memory_bytes)),
    Setting::new("max_waiting", "requests that wait for a reader; one more is answered `busy`", |c| Slot::Usize(&mut c.workers.max_waiting)),
    Setting::new("http_address", "where `serve` listens for HTTP, such as 127.0.0.1:8700; without it it serves standard input", |c| Slot::Address(&mut c.http_address))
        .flag("http", "--http"),
    Setting::new("http_tokens", "bearer tokens, one for each principal; needed where others can reach the address", |c| Slot::Secrets(&mut c.http_tokens)),
    Setting::new("http_allowed_hosts", "what `Host` may be, beside the address itself and the names of loopback", |c| Slot::Texts(&mut c.http.allowed_hosts)),
    Setting::new("http_allowed_origins", "web pages that may call, such as https://app.example:443, beside those of this machine on loopback", |c| Slot::Texts(&mut c.http.allowed_origins)),
    Setting::new("http_session_is_conversation", "whether a session of the older protocols is a conversation; some clients share one among several", |c| Slot::Switch(&mut c.http.session_is_conversation)),
    Setting::new("http_log", "a line on standard error for each request", |c| Slot::Switch(&mut c.http_log)),
    Setting::new("http_max_body_bytes", "a request's body", |c| Slot::Usize(&mut c.http.max_body_bytes)),
    Setting::new("http_max_header_bytes", "a request's head", |c| Slot::Usize(&mut c.http.max_header_bytes)),
    Setting::new("http_max_connections", "connections at once", |c| Slot::Usize(&mut c.http.max_connections)),
    Setting::new("http_max_requests", "requests at once; one more is answered `busy`", |c| Slot::Usize(&mut c.http.max_requests)),
    Setting::new("http_max_sessions", "sessions of clients of the older protocols", |c| Slot::Usize(&mut c.http.max_sessions)),
    Setting::new("http_session_idle_seconds", "time without a request after which such a session ends", |c| Slot::Seconds(&mut c.http.session_idle)),
    Setting::new("http_read_timeout_seconds", "time for a request's head, and again for its body", |c| Slot::Seconds(&mut c.http.read_timeout)),
    Setting::new("http_write_timeout_seconds", "how long a client may take nothing of an answer", |c| Slot::Seconds(&mut c.http.write_timeout)),
    Setting::new("http_drain_seconds", "time for answers under way when the server is told to end", |c| Slot::Seconds(&mut c.http.drain)),
];
