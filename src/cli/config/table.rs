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

    const fn also(self, variables: &'static [&'static str]) -> Self {
        Self { also: variables, ..self }
    }

    /// The entry that `name` is, where this setting is a table: what stands behind its own name and a dot.
    pub(super) fn entry<'a>(&self, name: &'a str) -> Option<&'a str> {
        let entry = name.strip_prefix(self.name)?.strip_prefix('.')?;
        (self.slot)(&mut Config::default()).is_table().then_some(entry)
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
    Setting::new("store", "a database where conversations are remembered in its place, which many machines can share, such as postgres://user@host/database; a password can stand in `PGPASSWORD` or a password file", |c| Slot::Secret(&mut c.store)),
    Setting::new("store_connections", "connections to that database", |c| Slot::Positive(&mut c.store_connections)),
    Setting::new("output_dir", "where pages and pictures are written that are given as a path", |c| Slot::Folder(&mut c.output_dir))
        .flag("out_dir", "--out-dir").default("`pages` in `data_dir`"),
    Setting::new("max_output_days", "a page or picture there that is older is removed; 0 keeps all; a folder that is named to a command is bounded where this is set", |c| Slot::U32(&mut c.answers.output_bounds.max_days)),
    Setting::new("max_output_bytes", "pages and pictures there; beyond it the oldest are removed; 0 is no bound; the same of a named folder", |c| Slot::U64(&mut c.answers.output_bounds.max_bytes)),
    Setting::new("roots", "folders beside the working directory beneath which a server opens files", |c| Slot::Folders(&mut c.roots))
        .flag("root", "--root"),
    Setting::new("password", "opens encrypted PDFs for calls that bring no password; the variable keeps it off a command line", |c| Slot::Secret(&mut c.password))
        .flag("password", "--password"),
    Setting::new("form", "how pages come where a call does not say: auto, document, image, text, path, mixed; of `get-file` and `serve`", |c| Slot::Form(&mut c.form))
        .flag("form", "--as"),
    Setting::new("client_forms", "the same by the name that a client gives itself, such as `claude-code = \"document\"` in a table; before what is known of clients", |c| Slot::Forms(&mut c.client_forms)),
    Setting::new("no_sandbox", "read PDFs in this process", |c| Slot::Switch(&mut c.no_sandbox)).flag("no_sandbox", "--no-sandbox"),
    Setting::new("require_sandbox", "refuse to read PDFs where a layer of the sandbox is missing, and every URL", |c| Slot::Switch(&mut c.require_sandbox))
        .flag("require_sandbox", "--require-sandbox"),
    Setting::new("max_answer_pages", "pages in one answer", |c| Slot::Usize(&mut c.answers.max_pages)),
    Setting::new("max_block_bytes", "one page of an answer as a PDF; a larger one comes as text", |c| Slot::U64(&mut c.answers.max_block_bytes)),
    Setting::new("max_answer_bytes", "all pages of one answer as PDFs", |c| Slot::U64(&mut c.answers.max_answer_bytes)),
    Setting::new("max_text_characters", "text in one answer of get_file and context_updates", |c| Slot::Usize(&mut c.answers.max_text_characters)),
    Setting::new("max_text_file_bytes", "a text file that is given", |c| Slot::U64(&mut c.answers.max_text_file_bytes)),
    Setting::new("max_line_characters", "one line of a text file; a longer one is abridged", |c| Slot::Usize(&mut c.answers.max_line_characters)),
    Setting::new("max_image_bytes", "an image file that is given", |c| Slot::U64(&mut c.answers.max_image_bytes)),
    Setting::new("max_picture_bytes", "a drawn page as PNG that is shown to a model", |c| Slot::U64(&mut c.answers.max_picture_bytes)),
    Setting::new("max_summary_outline_items", "entries of the outline in a summary", |c| Slot::Usize(&mut c.answers.max_outline_items)),
    Setting::new("max_result_bytes", "one whole result over MCP as it is serialized; a client may declare less", |c| Slot::U64(&mut c.answers.max_result_bytes)),
    Setting::new("max_conversation_blocks", "pages and pictures in all that a conversation was sent: one request to a provider carries it", |c| Slot::U64(&mut c.answers.request_bounds.max_media_blocks)),
    Setting::new("max_conversation_pages", "PDF pages in all that a conversation was sent", |c| Slot::U64(&mut c.answers.request_bounds.max_pdf_pages)),
    Setting::new("max_conversation_bytes", "bytes of all that a conversation was sent, media in base64", |c| Slot::U64(&mut c.answers.request_bounds.max_request_bytes)),
    Setting::new("max_unused_days", "a conversation that was not used for longer is dropped", |c| Slot::U32(&mut c.answers.retention.max_unused_days)),
    Setting::new("max_holdings", "what all conversations may hold before the least recently used are dropped", |c| Slot::U64(&mut c.answers.retention.max_holdings)),
    Setting::new("max_file_bytes", "size of a PDF that is opened", |c| Slot::U64(&mut c.limits.max_file_bytes)),
    Setting::new("max_nesting", "arrays and dictionaries inside each other", |c| Slot::U32(&mut c.limits.max_nesting)),
    Setting::new("max_object_values", "values in one object", |c| Slot::U32(&mut c.limits.max_object_values)),
    Setting::new("max_page_tree_depth", "levels of the page tree", |c| Slot::U32(&mut c.limits.max_page_tree_depth)),
    Setting::new("max_pages", "pages of a document", |c| Slot::U32(&mut c.limits.max_pages)),
    Setting::new("max_reference_hops", "references that lead to references", |c| Slot::U32(&mut c.limits.max_reference_hops)),
    Setting::new("max_xref_sections", "sections of incremental updates", |c| Slot::U32(&mut c.limits.max_xref_sections)),
    Setting::new("max_filters", "filters on one stream", |c| Slot::U32(&mut c.limits.max_filters)),
    Setting::new("max_stream_bytes", "what one stream may decode to", |c| Slot::U64(&mut c.limits.max_stream_bytes)),
    Setting::new("max_decoded_bytes", "what all streams decoded in one operation may come to", |c| Slot::U64(&mut c.limits.max_decoded_bytes)),
    Setting::new("max_page_objects", "objects that one page may reach", |c| Slot::U32(&mut c.limits.max_page_objects)),
    Setting::new("max_page_bytes", "one page as a PDF", |c| Slot::U64(&mut c.limits.max_page_bytes)),
    Setting::new("max_outline_items", "entries of an outline", |c| Slot::U32(&mut c.limits.max_outline_items)),
    Setting::new("max_text_bytes", "text of one page", |c| Slot::U64(&mut c.limits.max_text_bytes)),
    Setting::new("max_form_depth", "patterns, masks and glyphs drawn within each other", |c| Slot::U32(&mut c.limits.max_form_depth)),
    Setting::new("max_page_steps", "what reading or drawing one page may come to, in steps of 50 ns or 6 bytes", |c| Slot::U64(&mut c.limits.max_page_steps)),
    Setting::new("max_pixels", "a picture of a page", |c| Slot::U64(&mut c.limits.max_pixels)),
    Setting::new("max_side_pixels", "the longer side of a picture of a page, 65,535 at most", |c| Slot::U16(&mut c.limits.max_side_pixels)),
    Setting::new("max_ratio", "what a stream decodes to, as a multiple of its stored bytes, above 10 MB", |c| Slot::U64(&mut c.limits.max_ratio)),
    Setting::new("workers", "confined processes that read PDFs for a server", |c| Slot::Count(&mut c.workers.workers))
        .default("one a processor, 8 at most"),
    Setting::new("worker_deadline_ms", "time for one operation of a reader", |c| Slot::Milliseconds(&mut c.workers.deadline)),
    Setting::new("worker_memory_bytes", "address space of a reader", |c| Slot::U64(&mut c.workers.memory_bytes)),
    Setting::new("max_waiting", "requests that wait for a reader; one more is answered `busy`", |c| Slot::Usize(&mut c.workers.max_waiting)),
    Setting::new("pdf_model.primary", "the model that is asked about PDFs, as provider/model", |c| Slot::Text(&mut c.models.pdf_model.primary))
        .default("the first provider with a key"),
    Setting::new("pdf_model.fallbacks", "the models that are asked in turn where it fails", |c| Slot::Texts(&mut c.models.pdf_model.fallbacks)),
    Setting::new("image_model.primary", "the model that is asked where none for PDFs can be", |c| Slot::Text(&mut c.models.image_model.primary)),
    Setting::new("image_model.fallbacks", "the models that are asked in turn where that one fails", |c| Slot::Texts(&mut c.models.image_model.fallbacks)),
    Setting::new("text_only_models", "models that see no pictures, by the beginning of their names", |c| Slot::Texts(&mut c.models.text_only_models)),
    Setting::new("anthropic_api_key", "key for anthropic; also `ANTHROPIC_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("anthropic").key))
        .also(&["ANTHROPIC_API_KEY"]),
    Setting::new("anthropic_base_url", "address of anthropic; also `ANTHROPIC_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("anthropic").base_url))
        .also(&["ANTHROPIC_BASE_URL"]).default("the provider's own"),
    Setting::new("google_api_key", "key for google; also `GEMINI_API_KEY` or `GOOGLE_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("google").key))
        .also(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    Setting::new("google_base_url", "address of google; also `GOOGLE_GEMINI_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("google").base_url))
        .also(&["GOOGLE_GEMINI_BASE_URL"]).default("the provider's own"),
    Setting::new("openai_api_key", "key for openai; also `OPENAI_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("openai").key))
        .also(&["OPENAI_API_KEY"]),
    Setting::new("openai_base_url", "address of openai; also `OPENAI_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("openai").base_url))
        .also(&["OPENAI_BASE_URL"]).default("the provider's own"),
    Setting::new("compatible_api_key", "key for a server of your own that speaks chat completions", |c| Slot::Secret(&mut c.models.endpoint("compatible").key)),
    Setting::new("compatible_base_url", "address of a server of your own that speaks chat completions", |c| Slot::Text(&mut c.models.endpoint("compatible").base_url)),
    Setting::new("openrouter_api_key", "key for openrouter; also `OPENROUTER_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("openrouter").key))
        .also(&["OPENROUTER_API_KEY"]),
    Setting::new("openrouter_base_url", "address of openrouter; also `OPENROUTER_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("openrouter").base_url))
        .also(&["OPENROUTER_BASE_URL"]).default("the provider's own"),
    Setting::new("mistral_api_key", "key for mistral; also `MISTRAL_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("mistral").key))
        .also(&["MISTRAL_API_KEY"]),
    Setting::new("mistral_base_url", "address of mistral; also `MISTRAL_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("mistral").base_url))
        .also(&["MISTRAL_BASE_URL"]).default("the provider's own"),
    Setting::new("groq_api_key", "key for groq; also `GROQ_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("groq").key))
        .also(&["GROQ_API_KEY"]),
    Setting::new("groq_base_url", "address of groq; also `GROQ_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("groq").base_url))
        .also(&["GROQ_BASE_URL"]).default("the provider's own"),
    Setting::new("xai_api_key", "key for xai; also `XAI_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("xai").key))
        .also(&["XAI_API_KEY"]),
    Setting::new("xai_base_url", "address of xai; also `XAI_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("xai").base_url))
        .also(&["XAI_BASE_URL"]).default("the provider's own"),
    Setting::new("deepseek_api_key", "key for deepseek; also `DEEPSEEK_API_KEY`", |c| Slot::Secret(&mut c.models.endpoint("deepseek").key))
        .also(&["DEEPSEEK_API_KEY"]),
    Setting::new("deepseek_base_url", "address of deepseek; also `DEEPSEEK_BASE_URL`", |c| Slot::Text(&mut c.models.endpoint("deepseek").base_url))
        .also(&["DEEPSEEK_BASE_URL"]).default("the provider's own"),
    Setting::new("pdf_max_bytes_mb", "MiB of a PDF in a question", |c| Slot::U64(&mut c.models.max_bytes_mb)),
    Setting::new("pdf_max_pages", "pages of a PDF that are cut, read or drawn for a question", |c| Slot::U32(&mut c.models.settings.pdf_max_pages)),
    Setting::new("strict_native_pages", "refuse `pages` to models that take whole PDFs", |c| Slot::Switch(&mut c.models.settings.strict_native_pages)),
    Setting::new("pdf_request_bytes", "a request to a model, for gateways with another bound than the provider's", |c| Slot::U64(&mut c.models.request_bytes))
        .default("0: the provider's own"),
    Setting::new("pdf_max_text_chars", "characters of text in a question", |c| Slot::Usize(&mut c.models.settings.pdf_max_text_chars)),
    Setting::new("pdf_image_dpi", "pixels per inch of pages drawn for a model, within 4 megapixels", |c| Slot::Bounded(&mut c.models.settings.pdf_image_dpi, 1..=300)),
    Setting::new("pdf_max_output_tokens", "tokens of an answer, where the provider wants a bound", |c| Slot::U64(&mut c.models.settings.pdf_max_output_tokens)),
    Setting::new("pdf_max_answer_bytes", "an answer", |c| Slot::U64(&mut c.models.settings.pdf_max_answer_bytes)),
    Setting::new("pdf_idle_timeout_ms", "time in which nothing goes to a model and nothing comes", |c| Slot::Milliseconds(&mut c.models.settings.pdf_idle_timeout)),
    Setting::new("pdf_timeout_ms", "time for a question with all models and repetitions", |c| Slot::Milliseconds(&mut c.models.settings.pdf_timeout)),
    Setting::new("pdf_retries", "times that a model is asked again after 429, 500, 502, 503, 504 or 529", |c| Slot::U32(&mut c.models.settings.pdf_retries)),
    Setting::new("offline", "fetch nothing: every URL is refused", |c| Slot::Switch(&mut c.web.offline)).flag("offline", "--offline"),
    Setting::new("web_references", "whether tools that take a path take a URL", |c| Slot::Switch(&mut c.web.references)),
    Setting::new("web_allow_hosts", "the only hosts that are asked, like `example.com` or `*.example.com`", |c| Slot::Hosts(&mut c.web.allow_hosts)),
    Setting::new("web_deny_hosts", "hosts that are never asked", |c| Slot::Hosts(&mut c.web.deny_hosts)),
    Setting::new("web_allow_ranges", "inner addresses that may be connected to, like `10.1.0.0/16`", |c| Slot::Ranges(&mut c.web.allow_ranges)),
    Setting::new("web_deny_ranges", "addresses that are never connected to", |c| Slot::Ranges(&mut c.web.deny_ranges)),
    Setting::new("web_ca_file", "a file of certificates of further authorities, in PEM", |c| Slot::Folder(&mut c.web.ca_file)),
    Setting::new("web_max_bytes", "a body that is fetched, decompressed", |c| Slot::U64(&mut c.web.max_bytes)),
    Setting::new("web_max_text_bytes", "the text that is kept of one document", |c| Slot::U64(&mut c.web.max_text_bytes)),
    Setting::new("web_max_header_bytes", "the header of an answer", |c| Slot::U64(&mut c.web.max_header_bytes)),
    Setting::new("web_max_redirects", "redirects that are followed", |c| Slot::U32(&mut c.web.max_redirects)),
    Setting::new("web_deadline_ms", "time for one URL, redirects included", |c| Slot::Milliseconds(&mut c.web.deadline)),
    Setting::new("web_min_bytes_per_second", "the least speed of a body", |c| Slot::U64(&mut c.web.min_bytes_per_second)),
    Setting::new("web_floor_window_ms", "the time over which that speed is taken", |c| Slot::Milliseconds(&mut c.web.floor_window)),
    Setting::new("web_host_connections", "requests at once to one host", |c| Slot::Positive(&mut c.web.host_connections)),
    Setting::new("web_fresh_ms", "how long what was fetched is used without asking, where its server does not say", |c| Slot::Milliseconds(&mut c.web.fresh)),
    Setting::new("web_store_bytes", "what is kept of what was fetched", |c| Slot::U64(&mut c.web.store_bytes)),
    Setting::new("web_store_seconds", "how long is kept what nobody uses", |c| Slot::Seconds(&mut c.web.store_age)),
    Setting::new("http_address", "where `serve` listens for HTTP, such as 127.0.0.1:8700; without it it serves standard input", |c| Slot::Address(&mut c.http_address))
        .flag("http", "--http"),
    Setting::new("http_tokens", "bearer tokens, one for each principal; needed where others can reach the address", |c| Slot::Secrets(&mut c.http_tokens)),
    Setting::new("http_allowed_hosts", "what `Host` may be, beside the address itself and the names of loopback", |c| Slot::Texts(&mut c.http.allowed_hosts)),
    Setting::new("http_allowed_origins", "web pages that may call, such as https://app.example:443, beside those of this machine on loopback", |c| Slot::Texts(&mut c.http.allowed_origins)),
    Setting::new("http_session_is_conversation", "whether a session of the older protocols is a conversation; some clients share one among several", |c| Slot::Switch(&mut c.http.session_is_conversation)),
    Setting::new("log_level", "what a server tells on standard error: `off`, `error`, `warn` or `info`", |c| Slot::LogLevel(&mut c.log_level)),
    Setting::new("log_format", "how it tells it: `text` or `json`, a line an event", |c| Slot::LogFormat(&mut c.log_format)),
    Setting::new("http_log", "a line on standard error for each request, at the level `info`", |c| Slot::Switch(&mut c.http_log)),
    Setting::new("http_max_body_bytes", "a request's body", |c| Slot::Usize(&mut c.http.max_body_bytes)),
    Setting::new("http_max_header_bytes", "a request's head", |c| Slot::Usize(&mut c.http.max_header_bytes)),
    Setting::new("http_max_connections", "connections at once", |c| Slot::Positive(&mut c.http.max_connections)),
    Setting::new("http_max_requests", "requests at once; one more is answered `busy`", |c| Slot::Positive(&mut c.http.max_requests)),
    Setting::new("http_max_sessions", "sessions of clients of the older protocols", |c| Slot::Usize(&mut c.http.max_sessions)),
    Setting::new("http_session_idle_seconds", "time without a request after which such a session ends", |c| Slot::Seconds(&mut c.http.session_idle)),
    Setting::new("http_read_timeout_seconds", "time for a request's head, and again for its body", |c| Slot::Seconds(&mut c.http.read_timeout)),
    Setting::new("http_write_timeout_seconds", "how long a client may take next to nothing of an answer", |c| Slot::Seconds(&mut c.http.write_timeout)),
    Setting::new("http_drain_seconds", "time for answers under way when the server is told to end", |c| Slot::Seconds(&mut c.http.drain)),
];
