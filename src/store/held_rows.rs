//! Maps holdings to rows. The numbers here are part of the schema: new ones may be added, existing ones never change.

use rusqlite::Row;

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::PageIndex;
use pagewise_view::{FileKey, HeldItem, Holding, LineSpan, PageForm, Sequence};

/// The columns of a held item: kind, first, last, form, fingerprint. Of a page, the first and the last are the same unless
/// it is shared.
pub(super) struct HeldItemRow {
    pub(super) kind: u8,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) form: u8,
    /// Empty unless the item is a page: primary key columns cannot be NULL.
    pub(super) fingerprint: Vec<u8>,
}

impl HeldItemRow {
    pub(super) fn of(held: HeldItem) -> Self {
        let row = |kind, first, last| Self { kind, first, last, form: 0, fingerprint: Vec::new() };
        match held {
            HeldItem::Summary { supports_page_extraction: true } => row(0, 0, 0),
            HeldItem::Summary { supports_page_extraction: false } => row(1, 0, 0),
            HeldItem::Page { fingerprint, page, form, is_shared } => {
                let last = if is_shared { page.0.wrapping_add(1) } else { page.0 };
                Self { form: form_number(form), fingerprint: fingerprint.0.to_vec(), ..row(2, page.0, last) }
            }
            HeldItem::Text(lines) => row(3, lines.first(), lines.last()),
            HeldItem::Binary => row(4, 0, 0),
            HeldItem::Followed => row(5, 0, 0),
        }
    }

    /// `None` for a row that this version does not know. It counts as not held, and is sent again.
    pub(super) fn held(&self) -> Option<HeldItem> {
        match self.kind {
            0 => Some(HeldItem::Summary { supports_page_extraction: true }),
            1 => Some(HeldItem::Summary { supports_page_extraction: false }),
            2 => Some(HeldItem::Page {
                fingerprint: PageFingerprint(self.fingerprint.as_slice().try_into().ok()?),
                page: PageIndex(self.first),
                form: form_of(self.form)?,
                is_shared: self.last != self.first,
            }),
            3 => LineSpan::new(self.first, self.last).map(HeldItem::Text),
            4 => Some(HeldItem::Binary),
            5 => Some(HeldItem::Followed),
            _ => None,
        }
    }
}

fn form_number(form: PageForm) -> u8 {
    match form {
        PageForm::Document => 0,
        PageForm::Image => 1,
        PageForm::Text => 2,
        PageForm::Path => 3,
        PageForm::Markdown => 4,
    }
}

fn form_of(number: u8) -> Option<PageForm> {
    PageForm::ALL.into_iter().find(|form| form_number(*form) == number)
}

/// Reads a holding from the columns content, file, kind, first, last, form, fingerprint, sequence.
pub(super) fn holding(row: &Row<'_>) -> rusqlite::Result<Option<(Holding, Sequence)>> {
    let (content, file) = (ContentHash(row.get(0)?), FileKey(row.get(1)?));
    let held = HeldItemRow {
        kind: row.get(2)?,
        first: row.get(3)?,
        last: row.get(4)?,
        form: row.get(5)?,
        fingerprint: row.get(6)?,
    };
    let at = sequence(row.get(7)?);
    Ok(held.held().map(|what| (Holding { content, file, what }, at)))
}

/// A number as SQLite's signed integer.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// SQLite's signed integer as a count; negative values become 0.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn sequence(number: i64) -> Sequence {
    Sequence(unsigned(number))
}
