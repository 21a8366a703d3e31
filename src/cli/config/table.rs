//! The settings, a row each.

use super::target::SettingTarget;
use super::{Config, USUAL_FOLDERS};

/// Settings about one subject.
pub(super) struct Group {
    /// Its heading.
    pub(super) title: &'static str,
    pub(super) settings: &'static [Setting],
}

/// One setting.
pub(super) struct Setting {
    /// The key in the file and, in capitals, the end of the variable. A dot leads into a table.
    pub(super) name: &'static str,
    /// What a number counts; empty for other values.
    pub(super) unit: &'static str,
    /// What it does, in one line.
    pub(super) meaning: &'static str,
    /// The field that it sets.
    pub(super) target: fn(&mut Config) -> SettingTarget<'_>,
    /// A flag of its own besides `--set`: clap's id, and the flag as it is typed.
    pub(super) flag: Option<(&'static str, &'static str)>,
    /// The default in words, if it depends on the system.
    pub(super) default: Option<&'static str>,
    /// Variables of other programs that set it if its own does not.
    pub(super) env_aliases: &'static [&'static str],
}

const fn number(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    target: fn(&mut Config) -> SettingTarget<'_>,
) -> Setting {
    Setting { name, unit, meaning, target, flag: None, default: None, env_aliases: &[] }
}

const fn setting(name: &'static str, meaning: &'static str, target: fn(&mut Config) -> SettingTarget<'_>) -> Setting {
    number(name, "", meaning, target)
}

impl Setting {
    const fn flag(self, id: &'static str, typed: &'static str) -> Self {
        Self { flag: Some((id, typed)), ..self }
    }

    const fn default(self, words: &'static str) -> Self {
        Self { default: Some(words), ..self }
    }

    const fn env_aliases(self, variables: &'static [&'static str]) -> Self {
        Self { env_aliases: variables, ..self }
    }

    /// The part of `name` after this setting's own name and a dot, if this setting is a table.
    pub(super) fn entry<'a>(&self, name: &'a str) -> Option<&'a str> {
        let entry = name.strip_prefix(self.name)?.strip_prefix('.')?;
        (self.target)(&mut Config::default()).is_table().then_some(entry)
    }

    /// The environment variable.
    pub(super) fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.name.replace('.', "_").to_uppercase())
    }
}

/// The prefix of all variables.
pub(super) const VARIABLES: &str = "PAGEWISE_";

/// The variable with the path of the file. No setting: a file cannot name itself.
pub(super) const FILE_VARIABLE: &str = "PAGEWISE_CONFIG";

/// Every setting, in the order of the documentation.
pub(super) fn settings() -> impl Iterator<Item = &'static Setting> {
    GROUPS.iter().flat_map(|group| group.settings)
}

/// The settings by subject.
#[rustfmt::skip]
pub(super) const GROUPS: &[Group] = &[
    Group { title: "Conversations", settings: &[
        setting("data_dir", "Folder for conversations, fetched files and models; $XDG_DATA_HOME/pagewise if that variable is set", |c| SettingTarget::Folder(&mut c.data_dir))
            .default(USUAL_FOLDERS[0]),
        setting("store", "PostgreSQL database for the conversations of several machines, such as postgres://user@host/database", |c| SettingTarget::Secret(&mut c.store)),
        number("store_connections", "connections", "Connections to that database", |c| SettingTarget::Positive(&mut c.store_connections)),
        number("max_unused_days", "days", "Conversations unused for longer are forgotten", |c| SettingTarget::U32(&mut c.answers.retention.max_unused_days)),
        number("max_holdings", "pages", "Pages remembered in all; beyond it, the user with the most pages loses conversations, the least recently used first", |c| SettingTarget::U64(&mut c.answers.retention.max_holdings)),
    ] },
    Group { title: "Files", settings: &[
        setting("roots", "Folders that a server may read, besides its working directory", |c| SettingTarget::Folders(&mut c.roots))
            .flag("root", "--root"),
        setting("password", "Password for encrypted PDFs; the variable keeps it off the command line", |c| SettingTarget::Secret(&mut c.password))
            .flag("password", "--password"),
        setting("output_dir", "Folder for pages and pictures that are given as a path", |c| SettingTarget::Folder(&mut c.output_dir))
            .flag("out_dir", "--out-dir").default("pages in data_dir"),
        setting("index", "Where the index of ranked searches is kept: memory, until the process ends, or disk, in data_dir", |c| SettingTarget::Index(&mut c.index)),
        number("max_index_bytes", "bytes", "Size of that index, beyond which no further documents are added", |c| SettingTarget::U64(&mut c.answers.max_index_bytes)),
        number("max_indexed_text_bytes", "bytes", "Text of one document in that index; pages beyond it are not searched. After a change: pagewise index clear", |c| SettingTarget::U64(&mut c.answers.max_indexed_text_bytes)),
        number("max_output_days", "days", "Age in output_dir beyond which files are removed; 0 keeps all", |c| SettingTarget::U32(&mut c.answers.output_bounds.max_days)),
        number("max_output_bytes", "bytes", "Size of output_dir; beyond it the oldest files are removed; 0 is no limit", |c| SettingTarget::U64(&mut c.answers.output_bounds.max_bytes)),
    ] },
    Group { title: "Answers", settings: &[
        setting("form", "Form of pages if a call names none: auto, document, image, text, markdown, path or mixed", |c| SettingTarget::Form(&mut c.form))
            .flag("form", "--as"),
        setting("client_forms", "Form of pages for a client, by the name that it reports, such as claude-code = \"document\"", |c| SettingTarget::Forms(&mut c.client_forms)),
        setting("tools", "Tools that a server lists: core, all, or names; a tool that core leaves out can still be called", |c| SettingTarget::Tools(&mut c.tools))
            .flag("tools", "--tools"),
        number("max_answer_pages", "pages", "Pages in one answer", |c| SettingTarget::Usize(&mut c.answers.max_pages)),
        number("max_answer_bytes", "bytes", "All PDF pages of one answer", |c| SettingTarget::U64(&mut c.answers.max_answer_bytes)),
        number("max_block_bytes", "bytes", "One PDF page of an answer; a larger one comes as text", |c| SettingTarget::U64(&mut c.answers.max_block_bytes)),
        number("max_text_characters", "characters", "Text in one answer of get_file; pdf_extract_text has max_chars", |c| SettingTarget::Usize(&mut c.answers.max_text_characters)),
        number("max_text_file_bytes", "bytes", "Size of a text file that can be read", |c| SettingTarget::U64(&mut c.answers.max_text_file_bytes)),
        number("max_image_bytes", "bytes", "Size of an image file that can be read", |c| SettingTarget::U64(&mut c.answers.max_image_bytes)),
        number("max_picture_bytes", "bytes", "A page drawn as PNG for a model", |c| SettingTarget::U64(&mut c.answers.max_picture_bytes)),
        number("max_result_bytes", "bytes", "One serialized MCP result; a client may declare less", |c| SettingTarget::U64(&mut c.answers.max_result_bytes)),
        number("max_conversation_blocks", "blocks", "PDF and image blocks sent to one conversation, since each request to the provider repeats them", |c| SettingTarget::U64(&mut c.answers.request_bounds.max_media_blocks)),
        number("max_conversation_pages", "pages", "PDF pages sent to one conversation", |c| SettingTarget::U64(&mut c.answers.request_bounds.max_pdf_pages)),
        number("max_conversation_bytes", "bytes", "Everything sent to one conversation, media in base64", |c| SettingTarget::U64(&mut c.answers.request_bounds.max_request_bytes)),
    ] },
    Group { title: "Reading PDFs", settings: &[
        setting("no_sandbox", "Read PDFs in this process, without a sandbox", |c| SettingTarget::Switch(&mut c.no_sandbox)).flag("no_sandbox", "--no-sandbox"),
        setting("require_sandbox", "Refuse to read PDFs if a layer of the sandbox is missing, and refuse every URL", |c| SettingTarget::Switch(&mut c.require_sandbox))
            .flag("require_sandbox", "--require-sandbox"),
        number("workers", "processes", "Confined processes that read PDFs for a server", |c| SettingTarget::Count(&mut c.workers.workers))
            .default("one per processor, at most 8"),
        number("worker_deadline_ms", "ms", "Time for one operation on a PDF", |c| SettingTarget::Milliseconds(&mut c.workers.deadline)),
        number("worker_memory_bytes", "bytes", "Address space of a worker; one request may fill two fifths of it", |c| SettingTarget::U64(&mut c.workers.memory_bytes)),
        number("worker_cache_bytes", "bytes", "Maximum size of pages, texts and pictures kept in memory; those of the user with the most are dropped first; 0 keeps none", |c| SettingTarget::U64(&mut c.workers.cache_bytes)),
        setting("ocr_models", "Folder of the models for OCR", |c| SettingTarget::Folder(&mut c.ocr_models))
            .default("ocr in data_dir"),
        setting("ocr_tesseract", "Whether the tesseract of the system reads scans if there are no models", |c| SettingTarget::Switch(&mut c.workers.uses_tesseract)),
        setting("ocr_language", "Language for tesseract, by its code, such as deu or eng+fra", |c| SettingTarget::Text(&mut c.workers.ocr_language))
            .default("guessed"),
        number("ocr_max_pages", "pages", "Pages that one call reads by OCR; the answer names the rest and the next call", |c| SettingTarget::U64(&mut c.limits.max_ocr_pages)),
        number("ocr_search_ms", "ms", "Time for OCR in one search; the answer names the pages left and the next call", |c| SettingTarget::U64(&mut c.limits.max_ocr_search_ms)),
        number("ocr_max_ms", "ms", "Time for OCR in any other call of a client; a command has no limit", |c| SettingTarget::U64(&mut c.limits.max_ocr_ms)),
        number("max_waiting", "requests", "Requests that wait for a worker, at most half of them from one user; further ones are answered busy", |c| SettingTarget::Usize(&mut c.workers.max_waiting)),
        number("max_file_bytes", "bytes", "Size of a PDF", |c| SettingTarget::U64(&mut c.limits.max_file_bytes)),
        number("max_pages", "pages", "Pages of a document", |c| SettingTarget::U32(&mut c.limits.max_pages)),
        number("max_stream_bytes", "bytes", "Decoded size of one stream", |c| SettingTarget::U64(&mut c.limits.max_stream_bytes)),
        number("max_decoded_bytes", "bytes", "Decoded size of all streams in one operation", |c| SettingTarget::U64(&mut c.limits.max_decoded_bytes)),
        number("max_ratio", "times", "Decoded size of a stream relative to its stored size, above 10 MB", |c| SettingTarget::U64(&mut c.limits.max_ratio)),
        number("max_page_cpu_ms", "ms", "Processor time for the text or the picture of one page, at most a quarter of worker_deadline_ms", |c| SettingTarget::U64(&mut c.limits.max_page_cpu_ms)),
        number("max_pixels", "pixels", "Pixels of a drawn page", |c| SettingTarget::U64(&mut c.limits.max_pixels)),
        number("max_image_pixels", "pixels", "Pixels of one image on a page, with its masks", |c| SettingTarget::U64(&mut c.limits.max_image_pixels)),
    ] },
    Group { title: "Models asked about PDFs", settings: &[
        setting("pdf_model.primary", "Model that is asked, as provider/model", |c| SettingTarget::Text(&mut c.models.pdf_model.primary))
            .default("the first provider with a key"),
        setting("pdf_model.fallbacks", "Models to try in turn if pdf_model.primary fails", |c| SettingTarget::Texts(&mut c.models.pdf_model.fallbacks)),
        setting("image_model.primary", "Model that is asked with pictures of pages, if no model takes PDFs", |c| SettingTarget::Text(&mut c.models.image_model.primary)),
        setting("image_model.fallbacks", "Models to try in turn if image_model.primary fails", |c| SettingTarget::Texts(&mut c.models.image_model.fallbacks)),
        setting("text_only_models", "Prefixes of the names of models that take no images", |c| SettingTarget::Texts(&mut c.models.text_only_models)),
        setting("anthropic_api_key", "Key for Anthropic; also ANTHROPIC_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("anthropic").key))
            .env_aliases(&["ANTHROPIC_API_KEY"]),
        setting("anthropic_base_url", "Address of Anthropic; also ANTHROPIC_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("anthropic").base_url))
            .env_aliases(&["ANTHROPIC_BASE_URL"]).default("the provider's own"),
        setting("google_api_key", "Key for Google; also GEMINI_API_KEY or GOOGLE_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("google").key))
            .env_aliases(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
        setting("google_base_url", "Address of Google; also GOOGLE_GEMINI_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("google").base_url))
            .env_aliases(&["GOOGLE_GEMINI_BASE_URL"]).default("the provider's own"),
        setting("openai_api_key", "Key for OpenAI; also OPENAI_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("openai").key))
            .env_aliases(&["OPENAI_API_KEY"]),
        setting("openai_base_url", "Address of OpenAI; also OPENAI_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("openai").base_url))
            .env_aliases(&["OPENAI_BASE_URL"]).default("the provider's own"),
        setting("compatible_api_key", "Key for your own server that speaks chat completions", |c| SettingTarget::Secret(&mut c.models.endpoint("compatible").key)),
        setting("compatible_base_url", "Address of your own server that speaks chat completions", |c| SettingTarget::Text(&mut c.models.endpoint("compatible").base_url)),
        setting("openrouter_api_key", "Key for OpenRouter; also OPENROUTER_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("openrouter").key))
            .env_aliases(&["OPENROUTER_API_KEY"]),
        setting("openrouter_base_url", "Address of OpenRouter; also OPENROUTER_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("openrouter").base_url))
            .env_aliases(&["OPENROUTER_BASE_URL"]).default("the provider's own"),
        setting("mistral_api_key", "Key for Mistral; also MISTRAL_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("mistral").key))
            .env_aliases(&["MISTRAL_API_KEY"]),
        setting("mistral_base_url", "Address of Mistral; also MISTRAL_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("mistral").base_url))
            .env_aliases(&["MISTRAL_BASE_URL"]).default("the provider's own"),
        setting("groq_api_key", "Key for Groq; also GROQ_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("groq").key))
            .env_aliases(&["GROQ_API_KEY"]),
        setting("groq_base_url", "Address of Groq; also GROQ_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("groq").base_url))
            .env_aliases(&["GROQ_BASE_URL"]).default("the provider's own"),
        setting("xai_api_key", "Key for xAI; also XAI_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("xai").key))
            .env_aliases(&["XAI_API_KEY"]),
        setting("xai_base_url", "Address of xAI; also XAI_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("xai").base_url))
            .env_aliases(&["XAI_BASE_URL"]).default("the provider's own"),
        setting("deepseek_api_key", "Key for DeepSeek; also DEEPSEEK_API_KEY", |c| SettingTarget::Secret(&mut c.models.endpoint("deepseek").key))
            .env_aliases(&["DEEPSEEK_API_KEY"]),
        setting("deepseek_base_url", "Address of DeepSeek; also DEEPSEEK_BASE_URL", |c| SettingTarget::Text(&mut c.models.endpoint("deepseek").base_url))
            .env_aliases(&["DEEPSEEK_BASE_URL"]).default("the provider's own"),
        number("pdf_max_bytes_mb", "MiB", "Size of one PDF in a question", |c| SettingTarget::U64(&mut c.models.max_bytes_mb)),
        number("pdf_max_pages", "pages", "Pages of one PDF that are cut, read or drawn for a question", |c| SettingTarget::U32(&mut c.models.settings.pdf_max_pages)),
        setting("strict_native_pages", "Refuse questions about chosen pages if the model takes whole PDFs", |c| SettingTarget::Switch(&mut c.models.settings.strict_native_pages)),
        number("pdf_request_bytes", "bytes", "Size of a request, if a gateway has another limit than the provider", |c| SettingTarget::U64(&mut c.models.request_bytes))
            .default("the provider's own"),
        number("pdf_max_text_chars", "characters", "Text in a question", |c| SettingTarget::Usize(&mut c.models.settings.pdf_max_text_chars)),
        number("pdf_image_dpi", "dpi", "Resolution of pages drawn for a model, within 4 megapixels", |c| SettingTarget::Bounded(&mut c.models.settings.pdf_image_dpi, 1..=300)),
        number("pdf_max_output_tokens", "tokens", "Length of an answer, for providers that require a limit", |c| SettingTarget::U64(&mut c.models.settings.pdf_max_output_tokens)),
        number("pdf_max_answer_bytes", "bytes", "Size of an answer", |c| SettingTarget::U64(&mut c.models.settings.pdf_max_answer_bytes)),
        number("pdf_idle_timeout_ms", "ms", "Time without any data sent or received", |c| SettingTarget::Milliseconds(&mut c.models.settings.pdf_idle_timeout)),
        number("pdf_timeout_ms", "ms", "Time for a question, with all models and retries", |c| SettingTarget::Milliseconds(&mut c.models.settings.pdf_timeout)),
        number("pdf_retries", "times", "Retries of a model after status 429, 500, 502, 503, 504 or 529", |c| SettingTarget::U32(&mut c.models.settings.pdf_retries)),
    ] },
    Group { title: "Web", settings: &[
        setting("offline", "Fetch and upload nothing, and refuse every URL; models that are asked are still reached", |c| SettingTarget::Switch(&mut c.web.offline)).flag("offline", "--offline"),
        setting("web_references", "Whether tools that take a path also take a URL", |c| SettingTarget::Switch(&mut c.web.references)),
        setting("web_allow_hosts", "The only hosts that may be fetched from, such as example.com or *.example.com", |c| SettingTarget::Hosts(&mut c.web.allow_hosts)),
        setting("web_deny_hosts", "Hosts that are never fetched from", |c| SettingTarget::Hosts(&mut c.web.deny_hosts)),
        setting("web_allow_ranges", "Private addresses that may be fetched from, such as 10.1.0.0/16", |c| SettingTarget::Ranges(&mut c.web.allow_ranges)),
        setting("web_deny_ranges", "Addresses that are never fetched from", |c| SettingTarget::Ranges(&mut c.web.deny_ranges)),
        setting("object_storage", "Object storage that may be read, such as s3://bucket/reports, gs://bucket or az://container", |c| SettingTarget::Texts(&mut c.web.object_storage)),
        setting("web_ca_file", "PEM file with further certificate authorities, for models and an issuer too", |c| SettingTarget::Folder(&mut c.web.ca_file)),
        number("web_max_bytes", "bytes", "Decompressed size of a response", |c| SettingTarget::U64(&mut c.web.max_bytes)),
        number("web_max_text_bytes", "bytes", "Text kept of one fetched document", |c| SettingTarget::U64(&mut c.web.max_text_bytes)),
        number("web_max_redirects", "redirects", "Redirects that are followed", |c| SettingTarget::U32(&mut c.web.max_redirects)),
        number("web_deadline_ms", "ms", "Time for one URL, redirects included", |c| SettingTarget::Milliseconds(&mut c.web.deadline)),
        number("web_min_bytes_per_second", "bytes/s", "Minimum speed of a response, measured over 5 seconds", |c| SettingTarget::U64(&mut c.web.min_bytes_per_second)),
        number("web_fresh_ms", "ms", "Time for which a kept response is used before its server is asked again, unless the server names one", |c| SettingTarget::Milliseconds(&mut c.web.fresh)),
        number("web_store_bytes", "bytes", "Size of everything that was fetched and kept", |c| SettingTarget::U64(&mut c.web.store_bytes)),
        number("web_store_seconds", "s", "Time for which an unused response is kept", |c| SettingTarget::Seconds(&mut c.web.store_age)),
    ] },
    Group { title: "HTTP server", settings: &[
        setting("http_address", "Address to listen on, such as 127.0.0.1:8700; without it, serve uses standard input and output", |c| SettingTarget::Address(&mut c.http_address))
            .flag("http", "--http"),
        setting("http_tokens", "Bearer tokens, one for each user or program; an address other than loopback requires them, or http_issuer", |c| SettingTarget::Secrets(&mut c.http_tokens)),
        setting("http_issuer", "Issuer whose JSON Web Tokens are accepted, such as https://login.example/realm; requires http_audience", |c| SettingTarget::Text(&mut c.http.issuer)),
        setting("http_audience", "Audience that these tokens must name: normally the URL of this server, such as https://pdf.example/mcp", |c| SettingTarget::Text(&mut c.http.audience)),
        setting("http_scopes", "Scopes that these tokens must have", |c| SettingTarget::Texts(&mut c.http.scopes)),
        setting("http_allowed_hosts", "Further values of the header Host that are accepted, such as pdf.example", |c| SettingTarget::Texts(&mut c.http.allowed_hosts)),
        setting("http_allowed_origins", "Origins whose web pages may call, such as https://app.example:443", |c| SettingTarget::Texts(&mut c.http.allowed_origins)),
        setting("http_session_is_conversation", "Whether a session of the older protocol versions is a conversation; some clients share one for several", |c| SettingTarget::Switch(&mut c.http.session_is_conversation)),
        number("http_max_body_bytes", "bytes", "Body of a request", |c| SettingTarget::Usize(&mut c.http.max_body_bytes)),
        number("http_max_header_bytes", "bytes", "Header of a request", |c| SettingTarget::Usize(&mut c.http.max_header_bytes)),
        number("http_max_connections", "connections", "Open connections", |c| SettingTarget::Positive(&mut c.http.max_connections)),
        number("http_max_requests", "requests", "Requests open at once; further ones are answered busy", |c| SettingTarget::Positive(&mut c.http.max_requests)),
        number("http_max_requests_per_principal", "requests", "Requests open at once from one user: a bearer token, or a subject of the issuer", |c| SettingTarget::Positive(&mut c.http.max_requests_per_principal)),
        setting("http_upload_storage", "Object storage for uploads, shared by all servers, such as s3://bucket/uploads; without it, uploads are kept on disk", |c| SettingTarget::Text(&mut c.web.upload_storage)),
        number("http_max_upload_bytes", "bytes", "Size of a file that is uploaded", |c| SettingTarget::U64(&mut c.web.max_upload_bytes)),
        number("http_max_kept_bytes", "bytes", "Size of all uploads of one user", |c| SettingTarget::U64(&mut c.web.max_kept_bytes)),
        number("http_upload_seconds", "s", "Time for which an upload is kept", |c| SettingTarget::Seconds(&mut c.web.upload_age)),
        number("http_max_sessions", "sessions", "Open sessions of the older protocol versions; if there are several users, each has at most half", |c| SettingTarget::Usize(&mut c.http.max_sessions)),
        number("http_session_idle_seconds", "s", "Time without a request after which such a session ends", |c| SettingTarget::Seconds(&mut c.http.session_idle)),
        number("http_read_timeout_seconds", "s", "Time for the header of a request, and again for its body", |c| SettingTarget::Seconds(&mut c.http.read_timeout)),
        number("http_write_timeout_seconds", "s", "Time without progress after which an answer that a client does not read is dropped", |c| SettingTarget::Seconds(&mut c.http.write_timeout)),
        number("http_drain_seconds", "s", "Time for open requests to finish after the server is told to stop", |c| SettingTarget::Seconds(&mut c.http.drain)),
        setting("push_token", "Bearer token of pagewise push; the variable keeps it off the command line", |c| SettingTarget::Secret(&mut c.push_token)),
    ] },
    Group { title: "Log of a server", settings: &[
        setting("log_level", "Minimum level that is logged: off, error, warn, info or debug; commands log only if it is debug", |c| SettingTarget::LogLevel(&mut c.log_level)),
        setting("log_format", "Format of log lines: text or json", |c| SettingTarget::LogFormat(&mut c.log_format)),
        setting("http_log", "Whether each HTTP request is logged, at level info", |c| SettingTarget::Switch(&mut c.http_log)),
    ] },
];
