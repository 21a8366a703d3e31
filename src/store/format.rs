//! The stored form of a conversation: its head, and its body with everything else.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use pagewise_base::hash::ContentHash;
use pagewise_view::{
    Conversation, ConversationHead, ConversationHistory, ConversationView, FileKey, HeldItem, Holding, Revision,
    Sequence,
};

/// Why a stored conversation cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a stored conversation is damaged: {0}")]
pub(crate) struct FormatError(#[from] postcard::Error);

/// Changes of this type, or of a type in it, need a new version of the schema.
#[derive(Serialize, Deserialize)]
struct StoredBody<'a> {
    holdings: Vec<HoldingGroup>,
    names: Cow<'a, BTreeMap<FileKey, String>>,
    page_counts: Cow<'a, BTreeMap<ContentHash, u32>>,
    history: Cow<'a, ConversationHistory>,
}

/// What is held of one content from one file, so that a page costs little more than its fingerprint.
#[derive(Serialize, Deserialize)]
struct HoldingGroup {
    content: ContentHash,
    file: FileKey,
    items: Vec<(HeldItem, Sequence)>,
}

pub(crate) fn head_bytes(head: &ConversationHead) -> Vec<u8> {
    bytes_of(head)
}

pub(crate) fn body_bytes(conversation: &Conversation) -> Vec<u8> {
    let mut groups: Vec<HoldingGroup> = Vec::new();
    // Holdings are in the order of their contents and files.
    for (Holding { content, file, what }, at) in conversation.view.holdings() {
        match groups.last_mut().filter(|group| (group.content, group.file) == (*content, *file)) {
            Some(group) => group.items.push((*what, at)),
            None => groups.push(HoldingGroup { content: *content, file: *file, items: vec![(*what, at)] }),
        }
    }
    bytes_of(&StoredBody {
        holdings: groups,
        names: Cow::Borrowed(&conversation.names),
        page_counts: Cow::Borrowed(&conversation.page_counts),
        history: Cow::Borrowed(&conversation.history),
    })
}

/// Memory does not run out, and every type has a form.
fn bytes_of(value: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(value, Vec::new()).unwrap_or_default()
}

pub(crate) fn head(bytes: &[u8]) -> Result<ConversationHead, FormatError> {
    Ok(postcard::from_bytes(bytes)?)
}

pub(crate) fn conversation(revision: Revision, head: &[u8], body: &[u8]) -> Result<Conversation, FormatError> {
    let StoredBody { holdings, names, page_counts, history } = postcard::from_bytes(body)?;
    let holding = |HoldingGroup { content, file, items }: HoldingGroup| {
        items.into_iter().map(move |(what, at)| (Holding { content, file, what }, at))
    };
    Ok(Conversation {
        revision,
        head: self::head(head)?,
        view: holdings.into_iter().flat_map(holding).collect::<ConversationView>(),
        names: names.into_owned(),
        page_counts: page_counts.into_owned(),
        history: history.into_owned(),
    })
}
