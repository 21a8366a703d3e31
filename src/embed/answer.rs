//! What a request gives back.

use std::convert::Infallible;

use serde_json::Value;

use super::api::Api;
use super::error::Error;
use crate::context::{self, Block, Delivery};
use crate::tool::{DataAnswer, DeliverError, Dispatch, deliver, details_json, document_header};
use pagewise_base::page::PageSet;
use pagewise_view::ConversationId;

/// Content blocks for the model, the same as data, and the record of them, not yet made. Dropping it records nothing.
#[derive(Debug)]
#[must_use = "an answer that is not committed is sent again"]
pub struct Answer {
    blocks: Vec<Block>,
    /// Introduces documents where an API has no titles for them.
    header: Option<String>,
    sent: Vec<u32>,
    held: Vec<u32>,
    deferred: Vec<u32>,
    data: Value,
    delivery: Option<Delivery>,
}

impl Answer {
    /// An answer of `get_file` in `conversation`.
    pub(super) fn of_file(answer: context::FileAnswer, conversation: Option<&ConversationId>) -> Self {
        let numbers = |pages: &PageSet| pages.iter().map(|page| page.number().get()).collect();
        Self {
            header: document_header(&answer),
            sent: answer.details.sent.iter().map(|page| page.page.get()).collect(),
            held: numbers(&answer.details.already_held),
            deferred: numbers(&answer.details.deferred),
            data: details_json(&answer.details, conversation.map(ConversationId::as_str)),
            blocks: answer.blocks,
            delivery: Some(answer.delivery),
        }
    }

    /// Blocks, and the same as data. Nothing counts as sent unless there is a delivery.
    pub(super) fn of_blocks(blocks: Vec<Block>, data: Value, delivery: Option<Delivery>) -> Self {
        Self { blocks, header: None, sent: Vec::new(), held: Vec::new(), deferred: Vec::new(), data, delivery }
    }

    pub(super) fn of_data(answer: DataAnswer, delivery: Option<Delivery>) -> Self {
        Self::of_blocks(vec![Block::Text(answer.text)], answer.structure, delivery)
    }

    /// The texts of the blocks, with an empty line between them.
    #[must_use]
    pub fn text(&self) -> String {
        self.blocks.iter().filter_map(Block::text).collect::<Vec<_>>().join("\n\n")
    }

    /// The answer as data: what the command prints with `--json`; of [`get_file`](super::Pagewise::get_file) and
    /// [`render`](super::Pagewise::render), what the server sends as details.
    #[must_use]
    pub fn data(&self) -> &Value {
        &self.data
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
        match deliver(Dispatch::of(self.delivery), || Ok::<(), Infallible>(())) {
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
