//! How the markup annotations of a page belong together: replies, groups and reviews (ISO 32000-2, 12.5.6.2 and 12.5.6.3).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::comment::{Comment, CommentKind};
use super::is_displayed;
use super::words::WordBudget;
use crate::DocumentError;
use crate::object::{Dictionary, Object, ObjectId};
use crate::objects::Objects;
use crate::syntax::date;

/// Maximum number of replies to replies that are followed from one annotation.
const MAX_REPLIES: usize = 200;

/// The state that a reviewer gave a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// `/State`, such as `Accepted`.
    pub state: String,
    pub reviewer: Option<String>,
    /// As RFC 3339.
    pub date: Option<String>,
    /// Its contents, if they say more than the state and who set it.
    pub remark: String,
}

/// What a markup annotation of a page is. Others are named by their place among the annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A comment, and the one that it replies to.
    Comment { kind: CommentKind, reply_to: Option<usize>, is_grouped: bool },
    /// A state of another annotation. Its reviewer's later ones have more `replies` in between.
    Review { of: usize, replies: usize },
}

/// The roles of the annotations of a page.
#[derive(Debug, Default)]
pub(super) struct Threads {
    roles: Vec<Option<Role>>,
    /// Annotations that others reply to or review.
    targets: HashSet<usize>,
}

struct Node {
    kind: CommentKind,
    parent: Option<ObjectId>,
    is_grouped: bool,
    is_review: bool,
    is_displayed: bool,
}

impl Node {
    fn of(objects: &dyn Objects, annotation: &Dictionary) -> Result<Option<Self>, DocumentError> {
        let subtype = objects.get(annotation, b"Subtype")?;
        let Some(kind) = subtype.as_name().and_then(CommentKind::of) else { return Ok(None) };
        let parent = annotation.get(b"IRT").and_then(Object::as_reference);
        let has_state = annotation.get(b"State").or(annotation.get(b"StateModel")).is_some();
        Ok(Some(Self {
            kind,
            parent,
            is_grouped: parent.is_some() && objects.get(annotation, b"RT")?.as_name() == Some(b"Group"),
            is_review: has_state && parent.is_some() && kind == CommentKind::Note,
            is_displayed: is_displayed(objects, annotation)?,
        }))
    }
}

impl Threads {
    pub(super) fn of(objects: &dyn Objects, annotations: &[Object]) -> Result<Self, DocumentError> {
        let (mut nodes, mut places) = (Vec::new(), HashMap::new());
        for (at, annotation) in annotations.iter().enumerate() {
            objects.limits().deadline.check()?;
            let resolved = objects.resolve(annotation)?;
            nodes.push(resolved.as_dictionary().map(|found| Node::of(objects, found)).transpose()?.flatten());
            annotation.as_reference().map(|id| places.entry(id).or_insert(at));
        }
        let parent = |node: &Option<Node>| node.as_ref().and_then(|node| places.get(&node.parent?).copied());
        let parents = nodes.iter().map(parent).collect::<Vec<_>>();
        let roles = (0..nodes.len()).map(|at| role(at, &nodes, &parents)).collect::<Vec<_>>();
        let target = |role: &Role| match role {
            Role::Comment { reply_to, .. } => *reply_to,
            Role::Review { of, .. } => Some(*of),
        };
        let targets = roles.iter().flatten().filter_map(target).collect();
        Ok(Self { roles, targets })
    }

    /// `None` if it is hidden, or no markup annotation.
    pub(super) fn role(&self, at: usize) -> Option<Role> {
        self.roles.get(at).copied().flatten()
    }

    /// Whether another one replies to it or reviews it.
    pub(super) fn is_target(&self, at: usize) -> bool {
        self.targets.contains(&at)
    }
}

fn role(at: usize, nodes: &[Option<Node>], parents: &[Option<usize>]) -> Option<Role> {
    let node = |at: usize| nodes.get(at).and_then(Option::as_ref);
    let own = node(at)?;
    let above = |at: usize| {
        let parent = |at: &usize| parents.get(*at).copied().flatten();
        std::iter::successors(parent(&at), parent).take(MAX_REPLIES)
    };
    let is_displayed = |at: usize| node(at).is_some_and(|node| node.is_displayed);
    // A reply has no icon of its own: some editors hide it, and list it under the comment.
    let is_shown = |at: usize| {
        is_displayed(at) || node(at).is_some_and(|node| node.kind == CommentKind::Note) && above(at).any(is_displayed)
    };
    let target = above(at).enumerate().find(|(_, at)| node(*at).is_some_and(|node| !node.is_review));
    let target = target.filter(|(_, target)| *target != at && is_shown(*target));
    match target {
        Some((replies, of)) if own.is_review => Some(Role::Review { of, replies }),
        _ => is_shown(at).then(|| Role::Comment {
            kind: own.kind,
            reply_to: target.map(|(_, at)| at),
            is_grouped: own.is_grouped && target.is_some(),
        }),
    }
}

/// Replies and reviews whose comments may come later.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// The comment of each annotation.
    comments: HashMap<usize, usize>,
    replies: Vec<(usize, usize)>,
    reviews: BTreeMap<usize, Vec<(usize, GivenState)>>,
}

/// A state that a reviewer gave. It replaces the earlier states of this reviewer in the same model (`/StateModel`).
#[derive(Debug)]
struct GivenState {
    /// Whether the model is `Marked`, not `Review`.
    is_mark: bool,
    review: Review,
}

impl Replies {
    pub(super) fn add_comment(&mut self, at: usize, comment: usize, reply_to: Option<usize>) {
        self.comments.insert(at, comment);
        self.replies.extend(reply_to.map(|to| (comment, to)));
    }

    pub(super) fn add_review(
        &mut self,
        objects: &dyn Objects,
        annotation: &Dictionary,
        (of, replies): (usize, usize),
        budget: &WordBudget,
    ) -> Result<(), DocumentError> {
        let line = |key: &[u8]| budget.line(objects, annotation, key);
        let (model, state) = (line(b"StateModel")?, line(b"State")?);
        let is_mark = match model.as_deref() {
            Some(model) => model == "Marked",
            None => matches!(state.as_deref(), Some("Marked" | "Unmarked")),
        };
        let state = state.unwrap_or_else(|| if is_mark { "Unmarked" } else { "None" }.to_owned());
        let (reviewer, contents) = (line(b"T")?, line(b"Contents")?.unwrap_or_default());
        let set_by = format!("{state} set by {}", reviewer.as_deref().unwrap_or_default());
        let remark = if contents == state || contents == set_by { String::new() } else { contents };
        let date = line(b"M")?.as_deref().and_then(date::date);
        let review = Review { state, reviewer, date, remark };
        self.reviews.entry(of).or_default().push((replies, GivenState { is_mark, review }));
        Ok(())
    }

    /// Sets what each comment replies to, and its last states. Returns the number of reviews of comments that were left
    /// out.
    pub(super) fn settle(self, comments: &mut [Comment]) -> usize {
        for (reply, to) in self.replies {
            if let Some(reply) = comments.get_mut(reply) {
                reply.reply_to = self.comments.get(&to).copied();
                reply.is_grouped &= reply.reply_to.is_some();
            }
        }
        cut_cycles(comments);
        let mut left_out = 0;
        for (of, reviews) in self.reviews {
            match self.comments.get(&of).and_then(|at| comments.get_mut(*at)) {
                Some(comment) => comment.reviews = last_states(reviews),
                None => left_out += reviews.len(),
            }
        }
        left_out
    }
}

/// The last state of each reviewer in each model, without those that take a state away. Marks come last.
fn last_states(mut reviews: Vec<(usize, GivenState)>) -> Vec<Review> {
    reviews.sort_by_key(|(replies, _)| *replies);
    let key = |given: &GivenState| (given.is_mark, given.review.reviewer.clone());
    let last = reviews.into_iter().map(|(_, given)| (key(&given), given.review)).collect::<BTreeMap<_, _>>();
    let is_given = |review: &Review| !matches!(review.state.as_str(), "None" | "Unmarked") || !review.remark.is_empty();
    last.into_values().filter(is_given).collect()
}

/// Lets the first of comments that reply to each other in a circle reply to none.
fn cut_cycles(comments: &mut [Comment]) {
    let mut walks = vec![usize::MAX; comments.len()];
    for start in 0..comments.len() {
        let mut at = start;
        while let Some(walk) = walks.get_mut(at).filter(|walk| **walk == usize::MAX) {
            *walk = start;
            let Some(next) = comments.get(at).and_then(|comment| comment.reply_to) else { break };
            if walks.get(next) == Some(&start) {
                comments.get_mut(next).into_iter().for_each(|first| (first.reply_to, first.is_grouped) = (None, false));
                break;
            }
            at = next;
        }
    }
}
