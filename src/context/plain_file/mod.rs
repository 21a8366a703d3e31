//! `get_file` for text files and images.

mod lines;

use std::sync::Arc;

pub(super) use self::lines::shorter_diff;

use self::lines::{LineExcerpt, LineRange, abridged_lines, excerpt};
use super::answer::{AnswerDetails, AnswerDraft, Block, ImageBlock, NextCall, ResultBudget, image_usage, usage_of};
use super::conversation::FileMemory;
use super::error::ContextError;
use super::files::RequestedFile;
use super::phrases::{IF_UNSEEN, TEXT_UNCHANGED, one_line, same_content, untrusted};
use super::request::{AnswerSettings, FileRequest};
use crate::source::ImageFormat;
use crate::worker::Reader;
use pagewise_base::clean::{CleanText, is_hidden};
use pagewise_base::hash::ContentHash;
use pagewise_charset::{Charset, Extent};
use pagewise_view::Usage;
use pagewise_view::{HeldItem, LineSpan};

/// Builds one answer about a file that is not a PDF.
pub(crate) struct PlainFileAnswer<'a> {
    pub(crate) requested: &'a RequestedFile,
    pub(crate) request: &'a FileRequest,
    pub(crate) settings: &'a AnswerSettings,
    pub(crate) memory: &'a FileMemory,
    pub(crate) reader: &'a dyn Reader,
}

impl PlainFileAnswer<'_> {
    /// The picture, unchanged, once it was decoded.
    pub(crate) fn image(&self, format: ImageFormat) -> Result<AnswerDraft, ContextError> {
        if !self.request.force && self.memory.holds_binary() {
            return Ok(self.unchanged());
        }
        let (limit, setting) = self.image_bound();
        self.requested.check_size(limit, setting)?;
        self.requested.check_picture(self.reader, &self.request.cancellation)?;
        let bytes = self.requested.read_all(limit, setting)?;
        self.check_bounds(&image_usage(&bytes))?;
        let image = ImageBlock { mime_type: format.mime(), bytes: bytes.into() };
        Ok(self.draft(vec![Block::Image(image)], vec![HeldItem::Binary]))
    }

    /// The byte bound of an image and the setting behind it. An image is sent whole or not at all.
    fn image_bound(&self) -> (u64, &'static str) {
        let budget = self.request.max_result_bytes.map_or(u64::MAX, |bytes| ResultBudget::of(bytes).data_bytes());
        let usual = self.settings.max_image_bytes;
        if budget < usual { (budget, "max_result_bytes") } else { (usual, "max_image_bytes") }
    }

    /// The text, and its decoded form to keep for a later diff. `sent_text` looks up texts of earlier answers.
    pub(crate) fn text(
        &self,
        charset: Charset,
        sent_text: &dyn Fn(&ContentHash) -> Option<Arc<str>>,
    ) -> Result<(AnswerDraft, Option<Arc<str>>), ContextError> {
        let DecodedText { text, charset, is_sound, hidden } =
            read_text(self.requested, charset, self.settings.max_text_file_bytes)?;
        let mut draft = match self.held_or_diff(&text, sent_text) {
            Some(draft) => draft,
            None => {
                let lines = self.lines(&self.excerpt(&text)?, charset, hidden);
                self.check_bounds(&usage_of(&lines.blocks))?;
                lines
            }
        };
        if !is_sound {
            draft
                .details
                .notes
                .push("Some bytes are not text in the file's encoding; they are shown as U+FFFD.".into());
        }
        let keeps = !draft.holdings.is_empty();
        Ok((draft, keeps.then(|| Arc::from(text))))
    }

    /// The requested lines. Of a whole file, those from the first to the last that the conversation lacks.
    fn excerpt(&self, text: &str) -> Result<LineExcerpt, ContextError> {
        let requested = LineRange { start: self.request.start_line, count: self.request.line_count };
        let missing = self.missing_lines(text).filter(|_| self.asks_for_whole());
        let range = missing.map_or(requested, |missing| LineRange {
            start: Some(missing.first().into()),
            count: Some(u64::from(missing.last() - missing.first()).saturating_add(1)),
        });
        excerpt(text, range, self.settings).ok_or_else(|| ContextError::StartLine {
            path: self.requested.path.clone(),
            start_line: range.start.unwrap_or(1),
            lines: u64::try_from(text.lines().count()).unwrap_or(u64::MAX),
        })
    }

    /// Whether the whole file is requested, without what is held. Lines that are asked for by number are given.
    fn asks_for_whole(&self) -> bool {
        !self.request.force && self.request.start_line.is_none() && self.request.line_count.is_none()
    }

    /// From the first to the last line that the conversation lacks; `None` if it has all. Abridged lines are never held.
    fn missing_lines(&self, text: &str) -> Option<LineSpan> {
        let missing = whole_span(text).and_then(|all| self.memory.missing_lines(all));
        let abridged = abridged_lines(text, self.settings.max_line_characters);
        missing.into_iter().chain(abridged).reduce(|one, other| {
            LineSpan::new(one.first().min(other.first()), one.last().max(other.last())).unwrap_or(one)
        })
    }

    /// The note that the file is held, or a diff, in place of the lines.
    fn held_or_diff(&self, text: &str, sent_text: &dyn Fn(&ContentHash) -> Option<Arc<str>>) -> Option<AnswerDraft> {
        // That a file is empty is said as quickly as that it is held.
        if !self.asks_for_whole() || text.is_empty() {
            return None;
        }
        if self.missing_lines(text).is_none() {
            return Some(self.unchanged());
        }
        let earlier = self.memory.earlier_content()?;
        let old = sent_text(&earlier)?;
        if !self.memory.holds_lines_of(&earlier, whole_span(&old)?) {
            return None;
        }
        let diff = shorter_diff(&old, text).filter(|diff| diff.chars().count() <= self.settings.max_text_characters)?;
        let opening = "This file has changed since it was given to you. The changes, as a unified diff:";
        let block = format!("{opening}\n{}\n{diff}", untrusted(&self.requested.path));
        let diff = self.draft(vec![Block::Text(block)], vec![HeldItem::Text(whole_span(text)?)]);
        // The lines themselves would be longer and be refused too.
        self.check_bounds(&usage_of(&diff.blocks)).is_ok().then_some(diff)
    }

    fn lines(&self, excerpt: &LineExcerpt, charset: Charset, hidden: usize) -> AnswerDraft {
        let LineExcerpt { first, last, total, .. } = excerpt;
        let mut text = match total {
            0 => "[The file is empty: 0 bytes]\n".to_owned(),
            _ => format!("[Lines {first}-{last} of {total}]\n"),
        };
        if charset != Charset::UTF_8 {
            let guessed = if charset.is_unicode() { "" } else { ", as its bytes suggest" };
            text.push_str(&format!("Charset: {}{guessed}\n", charset.name()));
        }
        if hidden > 0 {
            text.push_str(&format!("Characters of the file that cannot be seen are left out: {hidden}\n"));
        }
        if self.memory.earlier_content().is_some() {
            text.push_str("This file has changed since it was given to you; these lines replace the earlier ones.\n");
        }
        let left_out = self.lines_left_out(excerpt);
        text.push_str(&left_out);
        text.push_str(&untrusted(&self.requested.path));
        text.push('\n');
        text.push_str(&excerpt.text);
        let next = excerpt.is_cut.then(|| NextCall::Lines {
            first: last.saturating_add(1),
            count: self
                .request
                .line_count
                .map(|count| count.saturating_add(*first).saturating_sub(last.saturating_add(1))),
        });
        text.extend(next.as_ref().map(|next| {
            format!("[Cut at {} characters. {}]\n", self.settings.max_text_characters, self.request.next_call(next))
        }));
        let mut holdings: Vec<_> = excerpt.whole_lines().into_iter().map(HeldItem::Text).collect();
        if !left_out.is_empty() {
            holdings.extend(self.memory.held_elsewhere());
        }
        // Abridged lines are not held, but the agent knows of the file.
        if holdings.is_empty() {
            holdings.push(HeldItem::Followed);
        }
        let mut draft = self.draft(vec![Block::Text(text)], holdings);
        draft.details.next = next;
        draft
    }

    /// Which lines of a whole file are left out because they are held.
    fn lines_left_out(&self, excerpt: &LineExcerpt) -> String {
        let LineExcerpt { first, last, total, is_cut, .. } = excerpt;
        let before = (*first > 1).then(|| format!("1-{}", first.saturating_sub(1)));
        let after = (last < total && !is_cut).then(|| format!("{}-{total}", last.saturating_add(1)));
        let held = before.into_iter().chain(after).collect::<Vec<_>>().join(",");
        if held.is_empty() || !self.asks_for_whole() {
            return String::new();
        }
        match self.memory.given_as() {
            Some(path) => {
                format!("Lines {held} are the same as in {}, which you already have. {IF_UNSEEN}\n", one_line(&path))
            }
            None => format!("Lines {held} have already been provided to you in this conversation. {IF_UNSEEN}\n"),
        }
    }

    /// Refuses content that would make every later request exceed a provider's limits.
    fn check_bounds(&self, more: &Usage) -> Result<(), ContextError> {
        let sent = self.memory.sent();
        let checked = sent.map_or(Ok(()), |sent| self.settings.request_bounds.check(&sent, more));
        checked.map_err(|full| ContextError::ConversationFull { path: self.requested.path.clone(), full })
    }

    fn unchanged(&self) -> AnswerDraft {
        let given_as = self.memory.given_as().map(|path| same_content(&path)).unwrap_or_default();
        let text = format!("{TEXT_UNCHANGED}{given_as}\n{IF_UNSEEN}");
        self.draft(vec![Block::Text(text)], self.memory.held_elsewhere())
    }

    fn draft(&self, blocks: Vec<Block>, holdings: Vec<HeldItem>) -> AnswerDraft {
        let details = AnswerDetails {
            file: self.requested.path.clone(),
            mime_type: self.requested.kind.mime(),
            blake3: self.requested.known_hash(),
            ..AnswerDetails::default()
        };
        AnswerDraft { blocks, details, holdings, ..AnswerDraft::default() }
    }
}

/// All lines of a text. An empty file counts as one line.
pub(crate) fn whole_span(text: &str) -> Option<LineSpan> {
    LineSpan::new(1, u32::try_from(text.lines().count().max(1)).ok()?)
}

/// A text file, decoded.
pub(crate) struct DecodedText {
    pub(crate) text: String,
    pub(crate) charset: Charset,
    /// Whether all bytes were valid.
    pub(crate) is_sound: bool,
    /// Characters that are left out.
    hidden: usize,
}

/// The decoded text of a file whose beginning is in `charset`.
pub(crate) fn read_text(requested: &RequestedFile, charset: Charset, limit: u64) -> Result<DecodedText, ContextError> {
    let bytes = requested.read_all(limit, "max_text_file_bytes")?;
    Ok(decoded(&bytes, charset))
}

/// The decoded text. Where the beginning tells another charset than the whole, the whole decides.
fn decoded(bytes: &[u8], charset: Charset) -> DecodedText {
    let (text, is_sound) = charset.decode(bytes);
    let whole = || Charset::detect(bytes, Extent::Whole).filter(|whole| *whole != charset);
    let is_decided = is_sound && charset.is_unicode();
    let (text, is_sound, charset) = match if is_decided { None } else { whole() } {
        None => (text, is_sound, charset),
        Some(charset) => {
            let (text, is_sound) = charset.decode(bytes);
            (text, is_sound, charset)
        }
    };
    let hidden = text.chars().filter(|character| is_hidden(*character) && !"\n\t\r".contains(*character)).count();
    DecodedText { text: CleanText::of(text).into_string(), charset, is_sound, hidden }
}
