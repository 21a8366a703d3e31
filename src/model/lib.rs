//! Asks models of other providers about PDFs.
//!
//! A [`Question`] is a list of documents, texts and pictures, followed by a prompt. [`ModelSession::ask`] sends it to
//! one [`ModelName`] and reads the streamed [`ModelReply`]. The caller decides which models to ask and what to pack for
//! each. [`PROVIDERS`] says how to reach providers, and [`provider`](pagewise_base::provider) what they accept.
//!
//! # What is promised
//!
//! - **A request that would exceed a known limit is not sent**: its length is known before the first byte goes out.
//! - **The data of a request is in memory once, raw**: base64 is produced while sending.
//! - **A key is only ever sent in its header.** [`ProviderKey`] has no text form, and keys are masked in what servers
//!   say.
//! - **Nothing waits for ever**: `pdf_idle_timeout` bounds silence, `pdf_timeout` the whole question, and a
//!   [`Cancellation`](pagewise_base::limits::Cancellation) closes the connection.
//! - **An answer is complete or an error**: a stream that ends early is [`ModelError::Broken`].
//!
//! # Why no library does it
//!
//! A comparison of the crates that speak to several providers, from their sources on 2026-11-22. "Crates" is what each
//! adds to the 319 that this crate depended on then, with its HTTP client and without default features.
//!
//! | crate | crates | PDF blocks: Anthropic, Google, OpenAI | base URL | refusals | time, end |
//! |---|---|---|---|---|---|
//! | `genai` 0.7.2 | 18 | yes, without a title; yes; yes | by a resolver | status and headers; one variant holds the request | header and read timeouts; by dropping |
//! | `rig-core` 0.46.0 | 15, with `aws-lc-sys`; Rust 1.97.1 | yes; yes; yes, all named `document.pdf` | yes | typed | idle timeout; by dropping |
//! | `async-openai` 0.43.0 | 25, with `aws-lc-sys` | no; no; yes | yes | typed | of the client; by dropping |
//! | `aisdk` 0.5.2 | 28, with a second reqwest and OpenSSL | no; no; no | yes | text | no |
//! | `llm` 1.3.8 | 27, with a second reqwest | yes; yes; refused | yes | text | one timeout |
//!
//! `genai` comes close. But it holds a PDF in memory as base64 more than once (`benches/README.md`), and it sets cache
//! marks per message, not per block. Retries, deadlines over several models, limits per provider and packing would be
//! needed with any of them.

mod body;
mod client;
mod error;
mod exchange;
mod name;
mod protocol;
mod provider;
mod question;
mod settings;
mod sse;

pub use self::body::{base64, base64_length, push_base64};
pub use self::client::{ModelClient, ModelSession};
pub use self::error::ModelError;
pub use self::name::{ModelName, ProviderKey};
pub use self::protocol::ProviderProtocol;
pub use self::provider::{PROVIDERS, Provider};
pub use self::question::{ModelReply, NoReplyListener, Question, QuestionPart, ReplyListener, TokenUsage};
pub use self::settings::{Endpoint, ModelChain, ModelSettings, RemoteReferences};
