//! What a request gives back.

use std::convert::Infallible;

use serde_json::Value;

use super::api::Api;
use super::error::Error;
use crate::context::{self, Block, Delivery};
use crate::tool::{DeliverError, Dispatch, deliver, document_header};
use pagewise_base::page::PageSet;

/// Content blocks for the model, and the record of them, not yet made. Dropping it records nothing.
#[derive(Debug)]
#[must_use = "an answer that is not committed is sent again"]
pub struct Answer {
    blocks: Vec<Block>,
    /// Introduces documents where an API has no titles for them.
    header: Option<String>,
    sent: Vec<u32>,
    held: Vec<u32>,
    deferred: Vec<u32>,
    delivery: Delivery,
}

impl Answer {
    pub(super) fn new(answer: context::FileAnswer) -> Self {
        let numbers = |pages: &PageSet| pages.iter().map(|page| page.number().get()).collect();
        Self {
            header: document_header(&answer),
            sent: answer.details.sent.iter().map(|page| page.page.get()).collect(),
            held: numbers(&answer.details.already_held),
            deferred: numbers(&answer.details.deferred),
            blocks: answer.blocks,
            delivery: answer.delivery,
        }
    }

    /// The blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks as the content of a message or a tool result. Where `api` has no titles for documents, a text that
    /// names the file and its pages comes first.
    #[must_use]
    pub fn to_json(&self, api: Api) -> Vec<Value> {
        let header = self.header.iter().filter(|_| api != Api::Anthropic).map(|text| Block::Text(text.clone()));
        header.map(|block| block.to_json(api)).chain(self.blocks.iter().map(|block| block.to_json(api))).collect()
    }

    /// Numbers, from 1, of the pages in this answer.
    #[must_use]
    pub fn sent_pages(&self) -> Vec<u32> {
        self.sent.clone()
    }

    /// Numbers of the requested pages that the conversation holds already.
    #[must_use]
    pub fn held_pages(&self) -> Vec<u32> {
        self.held.clone()
    }

    /// Numbers of the requested pages that did not fit into this answer.
    #[must_use]
    pub fn deferred_pages(&self) -> Vec<u32> {
        self.deferred.clone()
    }

    /// Records the answer as delivered to its conversation, if it has one. Call this once the model has it, which is when
    /// the provider has accepted the request, and not before: what is recorded is not sent again.
    ///
    /// # Errors
    /// Where the memory cannot be written. The pages are sent again then.
    pub fn commit(self) -> Result<(), Error> {
        match deliver(Dispatch::of(Some(self.delivery)), || Ok::<(), Infallible>(())) {
            Ok(_) => Ok(()),
            Err(DeliverError::Store(error)) => Err(Error::store(&error.to_string())),
            Err(DeliverError::Write(never)) => match never {},
        }
    }
}

impl Block {
    /// The block as an API takes it.
    #[must_use]
    pub fn to_json(&self, api: Api) -> Value {
        crate::tool::emit_block(self, api.format())
    }
}
