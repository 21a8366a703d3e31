//! Makes one segment of several, without the documents that nobody wants any more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

use super::error::SegmentError;
use super::postings::{Posting, PostingsBuilder, PostingsReader};
use super::reader::{Segment, StoredPostings};
use super::writer::SegmentWriter;
use pagewise_base::hash::ContentHash;

/// A page that is left out.
const DROPPED: u32 = u32::MAX;

/// Writes the documents of `segments` that `is_wanted` as one segment. Returns the output, `None` if nothing is left.
///
/// # Errors
/// Those of reading the segments and of the output.
pub fn merge<W: Write>(
    segments: &[&Segment],
    mut is_wanted: impl FnMut(&ContentHash) -> bool,
    out: W,
) -> Result<Option<W>, SegmentError> {
    let mut writer = SegmentWriter::new(out);
    let mut pages = Vec::with_capacity(segments.len());
    for segment in segments {
        pages.push(copy_documents(segment, &mut is_wanted, &mut writer)?);
    }
    if writer.page_count() == 0 {
        return Ok(None);
    }
    writer.begin_postings();
    copy_postings(segments, &pages, &mut writer)?;
    let languages = segments.iter().fold(0, |all, segment| all | segment.languages());
    writer.finish(languages).map(Some)
}

/// Copies the texts of a segment. Returns the new number of each page.
fn copy_documents<W: Write>(
    segment: &Segment,
    is_wanted: &mut impl FnMut(&ContentHash) -> bool,
    writer: &mut SegmentWriter<W>,
) -> Result<Vec<u32>, SegmentError> {
    let mut numbers = Vec::new();
    for document in segment.documents() {
        let first = writer.page_count();
        let is_wanted = is_wanted(&document.content);
        for page in document.first..document.first.saturating_add(document.pages) {
            numbers.push(if is_wanted { writer.page_count() } else { DROPPED });
            if is_wanted {
                writer.page(&segment.stored_page(page)?, segment.is_contents(page))?;
            }
        }
        if is_wanted {
            writer.document(document.content, first, &segment.stored_details(document)?)?;
        }
    }
    Ok(numbers)
}

fn copy_postings<W: Write>(
    segments: &[&Segment],
    pages: &[Vec<u32>],
    writer: &mut SegmentWriter<W>,
) -> Result<(), SegmentError> {
    let mut terms = Vec::with_capacity(segments.len());
    for segment in segments {
        terms.push(segment.terms()?.into_iter());
    }
    // The next term of each segment, the least hash first, then the earlier segment.
    let mut next = BinaryHeap::new();
    for (at, terms) in terms.iter_mut().enumerate() {
        next.extend(terms.next().map(|(hash, stored)| Reverse((hash, at, stored))));
    }
    let mut merged: Option<(u64, PostingsBuilder)> = None;
    while let Some(Reverse((hash, at, stored))) = next.pop() {
        if let Some((own, postings)) = merged.take_if(|(own, _)| *own != hash).filter(|(_, all)| all.count() > 0) {
            writer.postings(own, &postings)?;
        }
        let (_, postings) = merged.get_or_insert_with(|| (hash, PostingsBuilder::default()));
        if let (Some(segment), Some(pages)) = (segments.get(at), pages.get(at)) {
            append(postings, segment, stored, pages)?;
        }
        let following = terms.get_mut(at).and_then(Iterator::next);
        next.extend(following.map(|(hash, stored)| Reverse((hash, at, stored))));
    }
    match merged.filter(|(_, postings)| postings.count() > 0) {
        Some((hash, postings)) => writer.postings(hash, &postings),
        None => Ok(()),
    }
}

fn append(
    postings: &mut PostingsBuilder,
    segment: &Segment,
    stored: StoredPostings,
    pages: &[u32],
) -> Result<(), SegmentError> {
    for posting in PostingsReader::new(&segment.postings(stored)?)? {
        let number = usize::try_from(posting.page).ok().and_then(|page| pages.get(page)).copied();
        match number.ok_or(SegmentError::Damaged)? {
            DROPPED => {}
            page => postings.push(Posting { page, ..posting }),
        }
    }
    Ok(())
}
