//! Models of other providers, asked about PDFs.
//!
//! A [`Question`] is documents, texts and pictures in order, then a prompt. [`ModelSession::ask`] sends it to one
//! [`ModelName`] and reads the streamed [`ModelReply`]; which models are asked in which order, and what is packed for each, is
//! for the caller to say. [`PROVIDERS`] holds how they are reached, and [`provider`](crate::provider) what they take.
//!
//! # What is promised
//!
//! - **A request that would pass a known limit is not sent**: its length is known before its first byte goes.
//! - **A request's data lies in memory once, and raw**: base64 is made while it is sent.
//! - **No key leaves but in its header.** [`ProviderKey`] has no text form, and what servers say is searched for keys.
//! - **Nothing waits for ever**: `pdf_idle_timeout` where nothing moves, `pdf_timeout` for all together, and a
//!   [`Cancellation`](crate::limits::Cancellation) that closes the connection.
//! - **An answer is whole or an error**: a stream that ends without its end is [`ModelError::Broken`].
//!
//! # Why no library does it
//!
//! The crates that speak to several providers, read as sources on 2026-11-22. "Crates" is what each adds to the 319
//! that this one was built of then, with no default features and its HTTP client.
//!
//! | crate | crates | PDF blocks: Anthropic, Google, OpenAI | base URL | refusals | time, end |
//! |---|---|---|---|---|---|
//! | `genai` 0.7.2 | 18 | yes, without a title; yes; yes | by a resolver | status and headers; one variant holds the request | header and read timeouts; by dropping |
//! | `rig-core` 0.46.0 | 15, with `aws-lc-sys`; Rust 1.97.1 | yes; yes; yes, all named `document.pdf` | yes | typed | idle timeout; by dropping |
//! | `async-openai` 0.43.0 | 25, with `aws-lc-sys` | no; no; yes | yes | typed | of the client; by dropping |
//! | `aisdk` 0.5.2 | 28, with a second reqwest and OpenSSL | no; no; no | yes | text | no |
//! | `llm` 1.3.8 | 27, with a second reqwest | yes; yes; refused | yes | text | one timeout |
//!
//! `genai` comes close. But it builds the request as a JSON value and then as bytes, so that a PDF lies in memory as
//! base64 more than once, where the bound here is one and a half (measured: 128 MB resident for ten PDFs of 10 MB, whose
//! base64 is 133 MB); and it marks what is to be cached by message, not by block. Retrying, deadlines over several models, limits by provider and packing would be ours with any of them.
//! What is left, the four shapes of requests and events, is 290 lines of this room of 2,200.

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
