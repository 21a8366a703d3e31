//! Asks models, and retries temporary refusals.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::error::ModelError;
use super::exchange::{ModelExchange, total_timeout};
use super::name::ModelName;
use super::question::{ModelReply, Question, ReplyListener};
use super::settings::ModelSettings;
use pagewise_base::limits::Cancellation;
use pagewise_web::http::{self, Client};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The first wait before a retry; it doubles each time.
const BACKOFF: Duration = Duration::from_millis(500);

/// The longest wait before a retry. For a longer one, the next model is asked instead.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A year.
const FOR_EVER: Duration = Duration::from_secs(31_536_000);

/// Asks models.
#[derive(Debug)]
pub struct ModelClient {
    settings: ModelSettings,
}

/// One question to one or more models, with its deadline and cancellation.
pub struct ModelSession<'a> {
    models: &'a ModelClient,
    runtime: tokio::runtime::Runtime,
    client: Client,
    deadline: Instant,
    cancellation: &'a Cancellation,
    listener: &'a dyn ReplyListener,
}

impl ModelClient {
    /// Creates a client with these settings.
    #[must_use]
    pub fn new(settings: ModelSettings) -> Self {
        // A year is long enough, and can be added to a clock.
        let bounded = |time: Duration| time.min(FOR_EVER);
        let (pdf_timeout, pdf_idle_timeout) = (bounded(settings.pdf_timeout), bounded(settings.pdf_idle_timeout));
        Self { settings: ModelSettings { pdf_timeout, pdf_idle_timeout, ..settings } }
    }

    #[must_use]
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Starts a question and its timeout.
    ///
    /// # Errors
    /// [`ModelError::Unusable`] if the HTTP client or the runtime cannot be created.
    pub fn session<'a>(
        &'a self,
        listener: &'a dyn ReplyListener,
        cancellation: &'a Cancellation,
    ) -> Result<ModelSession<'a>, ModelError> {
        let unusable = |reason: String| ModelError::Unusable { reason };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let mut client = http::client().connect_timeout(CONNECT_TIMEOUT);
        if let Some(file) = &self.settings.ca_file {
            let pem = std::fs::read(file).map_err(|error| unusable(format!("{}: {error}", file.display())))?;
            client = http::trusting(client, &pem).map_err(|error| unusable(format!("{}: {error}", file.display())))?;
        }
        let client = client.build();
        Ok(ModelSession {
            models: self,
            runtime: runtime.map_err(|error| unusable(error.to_string()))?,
            client: client.map_err(|error| unusable(error.to_string()))?,
            deadline: Instant::now() + self.settings.pdf_timeout,
            cancellation,
            listener,
        })
    }
}

impl ModelSession<'_> {
    /// Asks one model. Blocks until it has answered or failed.
    ///
    /// # Errors
    /// Every [`ModelError`].
    pub fn ask(&self, name: &ModelName, question: &Question) -> Result<ModelReply, ModelError> {
        let stop = Arc::new(Notify::new());
        let wake = Arc::clone(&stop);
        let _waking = self.cancellation.on_cancel(move || wake.notify_one());
        self.runtime.block_on(self.ask_with_retries(name, question, &stop))
    }

    /// Whether the question was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    async fn ask_with_retries(
        &self,
        name: &ModelName,
        question: &Question,
        stop: &Notify,
    ) -> Result<ModelReply, ModelError> {
        let settings = &self.models.settings;
        let exchange = ModelExchange {
            client: &self.client,
            settings,
            endpoint: settings.endpoint(name)?,
            name,
            question,
            listener: self.listener,
            stop,
            deadline: self.deadline,
        };
        let mut again = 0;
        loop {
            if self.cancellation.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            if Instant::now() >= self.deadline {
                return Err(total_timeout(settings));
            }
            let error = match exchange.run().await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let wait = error.retry_after().unwrap_or(BACKOFF.saturating_mul(1 << again.min(16)));
            let is_in_time = wait <= MAX_WAIT && Instant::now() + wait < self.deadline;
            if !error.is_passing() || again >= settings.pdf_retries || !is_in_time {
                return Err(error);
            }
            again += 1;
            tokio::select! {
                () = stop.notified() => return Err(ModelError::Cancelled),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }
}
