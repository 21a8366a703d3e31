//! Headings: by size, weight and place.

use super::super::bounds::quarters;
use super::super::page_structure::{Line, LineWord, has_letter, is_cell_value, page_number, roman_value};
use super::drafts::{Draft, DraftKind};
use super::drafts::{is_labelled, marker};
use super::joins::append_below;
use super::levels::{NumberKind, Outline, Rank, levels, number_kind, plain, rank, set_below, set_below_tagged_title};
use super::type_statistics::TypeStatistics;
use super::{DocumentPage, OutlineHeading};
use crate::list_marks::MarkerKind;
use crate::measures::{LARGER, NEXT_LINE_EM, SAME_EDGE_EM, SMALLER};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most lines and characters of a heading. One in much larger type, such as the title of a paper, may have
/// `TITLE_FACTOR` times as many.
const MAX_LINES: usize = 4;
const MAX_CHARACTERS: usize = 200;
const TITLE_FACTOR: usize = 2;
/// A heading with so many characters is rather the title than a shorter one in larger type.
const MIN_TITLE: usize = 20;
/// Lines in type so much larger than the body are no address, wherever they end.
const TITLE: f32 = 1.5;
/// A heading of the structure tree that looks like the body and ends as a sentence is shorter.
const MAX_SENTENCE: usize = 50;
/// A numbered sentence in type hardly larger than the body is a heading if it has no more lines.
const MAX_SENTENCE_LINES: usize = 2;
/// So much larger text is a heading even where the structure tree names others and takes it for a paragraph.
pub(super) const MUCH_LARGER: f32 = 1.25;
/// A heading in bold type of one line may be smaller: that of an abstract, or of what follows the text of a paper.
const SMALLEST: f32 = 0.75;
/// The text below such a heading is larger by less than this factor.
const LARGER_TEXT: f32 = 1.15;
/// A heading in the size of the body has more space above it than a line, in leadings.
const SPACE_ABOVE: f32 = 1.15;
/// An index has less than this share of the size of the letter beside it. Small capitals have .8 of it, and are none.
const INDEX: f32 = 0.78;
/// So much of a heading is bold. Single signs may come from another font.
const MOST: f32 = 0.85;
/// A list of names has at least so many commas, and a list of key words more.
const MIN_COMMAS: usize = 2;
const MIN_KEY_COMMAS: usize = 4;
/// Minimum characters of a paragraph that is text and no address.
const MIN_TEXT: usize = 120;
/// So many characters of paragraphs in one size show that it is one of text.
const MIN_TEXTS: usize = 3 * MIN_TEXT;
/// Running heads end above this share of the height of the page, and the text begins so many ems below them.
const HEAD_SHARE: f32 = 0.07;
const HEAD_SPACE_EM: f32 = 1.4;
/// A running head has at most so many parts beside each other.
const MAX_BESIDE: usize = 3;
/// Maximum number of headings in one look with nothing between them.
const MAX_RUN: usize = 4;
/// Lines over no text are taken for labels of charts only if at least so many headings stand over text.
const MIN_SECTIONS: usize = 3;

/// The drafts in the order of the text, without notes, running lines and figures.
#[derive(Clone, Copy)]
pub(super) struct Flow<'f, 'd> {
    /// All drafts.
    drafts: &'f [Draft<'d>],
    /// The indices of those that are part of it.
    order: &'f [usize],
}

impl<'f, 'd> Flow<'f, 'd> {
    pub(super) fn draft(self, index: usize) -> Option<&'f Draft<'d>> {
        self.drafts.get(index)
    }

    /// The index of the draft after one.
    pub(super) fn next_index(self, index: usize) -> Option<usize> {
        self.order.get(self.order.partition_point(|other| *other <= index)).copied()
    }

    pub(super) fn next(self, index: usize) -> Option<&'f Draft<'d>> {
        self.next_index(index).and_then(|next| self.draft(next))
    }

    fn before(self, index: usize) -> Option<&'f Draft<'d>> {
        let before = self.order.partition_point(|other| *other < index).checked_sub(1)?;
        self.order.get(before).and_then(|before| self.draft(*before))
    }
}

/// Turns drafts into headings, with their levels.
pub(super) fn mark(
    drafts: &mut [Draft],
    pages: &[DocumentPage],
    outline: &[OutlineHeading],
    statistics: &TypeStatistics,
) {
    let outline = Outline::new(outline);
    doubt_tags(drafts, statistics);
    let is_tagged = drafts.iter().any(|draft| matches!(draft.kind, DraftKind::Heading { .. }));
    let is_open = |draft: &Draft| !is_tagged || draft.tag.is_none();
    let order: Vec<usize> = (0..drafts.len()).filter(|at| drafts.get(*at).is_some_and(is_in_flow)).collect();
    let flow = Flow { drafts, order: &order };
    let (turns, texts) = (page_turns(drafts), text_sizes(drafts));
    let mut headings = Vec::new();
    for index in &order {
        let Some(draft) = flow.draft(*index).filter(|draft| turns.get(&draft.place.page) == Some(&draft.turn)) else {
            continue;
        };
        let next = flow.next(*index);
        // A tree that names headings names most of them, but often not the title.
        let is_large = heading_size(draft) >= MUCH_LARGER * statistics.body_size;
        let is_label = heading_size(draft) < SMALLEST * statistics.body_size;
        if (is_open(draft) || is_large)
            && (is_heading(draft, next, statistics, &texts) || !is_label && is_entry(draft, &outline))
        {
            headings.push(*index);
        }
    }
    headings.retain(|index| !is_line_of_block(flow, *index, statistics) && !is_among_items(flow, *index));
    headings.retain(|index| !is_running(flow, *index, pages, statistics));
    headings = without_parts_of_contents(flow, &headings);
    headings = without_labels(flow, &headings);
    headings = without_lone_looks(flow, &headings, statistics);
    let title = title(flow, &headings, statistics);
    let first = title.unwrap_or(0);
    let text = text_after(flow, first);
    if let Some(title) = title {
        let beside = [kickers(flow, &headings, title), byline(flow, &headings, title, text)].concat();
        headings.retain(|index| !beside.contains(index));
    }
    let front = first..headings.iter().copied().find(|at| *at > first).unwrap_or(text).min(text);
    headings = with_next(flow, &headings);
    headings = by_looks(flow, &headings, &outline, statistics, &front, &is_open);
    let levels = levels(flow, &headings, &outline, statistics);
    match title {
        Some(title) => set_below(drafts, title),
        None => set_below_tagged_title(drafts),
    }
    for (index, level) in headings.into_iter().zip(levels) {
        if let Some(draft) = drafts.get_mut(index) {
            draft.kind = DraftKind::Heading { level };
            draft.marker = None;
        }
    }
    join_lines(drafts, &order, statistics);
}

/// Joins the lines of a large heading that are drafts of their own: they are centred, or elements of the structure tree.
fn join_lines(drafts: &mut [Draft], order: &[usize], statistics: &TypeStatistics) {
    let mut open: Option<usize> = None;
    for index in order {
        let pair = open.and_then(|above| Some((above, drafts.get(above)?, drafts.get(*index)?)));
        match pair.filter(|(_, above, draft)| is_rest_of_heading(above, draft, statistics)).map(|(above, ..)| above) {
            Some(above) => append_below(drafts, above, *index),
            None => open = Some(*index),
        }
    }
}

/// Whether a heading is the next line of the one above it.
fn is_rest_of_heading(above: &Draft, draft: &Draft, statistics: &TypeStatistics) -> bool {
    let (Some(last), Some(first)) = (above.lines.last(), draft.lines.first()) else { return false };
    let is_large = draft.size() >= MUCH_LARGER * statistics.body_size;
    let step = first.baseline - last.baseline;
    let (own, other) = (last.bounds, first.bounds);
    let is_flush = (own.x0 - other.x0).abs() < SAME_EDGE_EM * first.size;
    let is_centred = ((own.x0 + own.x1) - (other.x0 + other.x1)).abs() < 2.0 * SAME_EDGE_EM * first.size;
    // Plain lines at one edge may be the labels of a form.
    let is_aligned =
        if is_flush { draft.tag.is_some() || draft.share(|style| style.is_bold) > MOST } else { is_centred };
    matches!(above.kind, DraftKind::Heading { .. })
        && above.kind == draft.kind
        && above.place == draft.place
        && look(above) == look(draft)
        && is_large
        && NEXT_LINE_EM.contains(&(step / first.size))
        && is_aligned
        && draft_depth(draft).is_none()
        && !above.ends_sentence()
        && above.lines.len() + draft.lines.len() <= TITLE_FACTOR * MAX_LINES
}

/// The direction of most text of each page. Text in another one stands at the side, or labels a chart.
pub(super) fn page_turns(drafts: &[Draft]) -> BTreeMap<usize, u16> {
    let mut lengths: BTreeMap<usize, BTreeMap<u16, usize>> = BTreeMap::new();
    for draft in drafts {
        *lengths.entry(draft.place.page).or_default().entry(draft.turn).or_default() += draft.len();
    }
    let longest = |own: BTreeMap<u16, usize>| own.into_iter().max_by_key(|(_, length)| *length).map(|(turn, _)| turn);
    lengths.into_iter().filter_map(|(page, own)| Some((page, longest(own)?))).collect()
}

/// Headings without those that follow each other by many in one look: the labels of a chart, the names of a list, but not
/// the lines with which a document begins.
fn without_labels(flow: Flow, headings: &[usize]) -> Vec<usize> {
    let look = |at: &usize| flow.draft(*at).map(rank);
    let is_next = |above: &usize, below: &usize| flow.next_index(*above) == Some(*below) && look(above) == look(below);
    let text = |at: &usize| flow.draft(*at).map(|draft| plain(&draft.text()));
    let is_title = |run: &[usize]| {
        let texts: BTreeSet<Option<String>> = run.iter().map(text).collect();
        let is_on_first = run.first().and_then(|at| flow.draft(*at)).is_some_and(|draft| draft.place.page == 0);
        is_on_first && run.first() == headings.first() && texts.len() == run.len()
    };
    let runs = headings.chunk_by(is_next).filter(|run| run.len() <= MAX_RUN || is_title(run));
    runs.flatten().copied().collect()
}

/// The headings without labels of charts. Lines in one look are such labels if the look is plain and none of them has a
/// section number or stands over text, or over a section with text, while other headings of the document do. The first page may
/// have subtitles, and a page a heading alone.
fn without_lone_looks(flow: Flow, headings: &[usize], statistics: &TypeStatistics) -> Vec<usize> {
    let draft = |at: &usize| flow.draft(*at);
    let is_section = |draft: &Draft| is_emphasised(draft, statistics) || draft_depth(draft).is_some();
    let is_row = |next: &Draft| next.lines.iter().any(|line| line.is_row());
    let holds_text = |next: &Draft| {
        let is_block = !next.is_paragraph() && next.kind != DraftKind::Caption;
        has_lines(next) || next.marker.is_some() || is_row(next) || is_block
    };
    let mut holding: BTreeSet<usize> = BTreeSet::new();
    for (at, own) in headings.iter().rev().filter_map(|at| Some((at, draft(at)?))) {
        let Some((below, next)) = flow.next_index(*at).and_then(|below| Some((below, draft(&below)?))) else {
            continue;
        };
        let holds = match headings.binary_search(&below) {
            Ok(_) => rank(own) < rank(next) && is_section(next) && holding.contains(&below),
            Err(_) => holds_text(next),
        };
        holding.extend(holds.then_some(*at));
    }
    let mut looks: BTreeMap<Rank, bool> = BTreeMap::new();
    let mut count = 0;
    for (at, own) in headings.iter().filter_map(|at| Some((at, draft(at)?))) {
        let is_own = own.place.page == 0 || is_section(own) || holding.contains(at);
        count += usize::from(own.place.page > 0 && is_own);
        *looks.entry(rank(own)).or_default() |= is_own;
    }
    let is_kept =
        |at: &&usize| count < MIN_SECTIONS || draft(at).is_some_and(|own| looks.get(&rank(own)) == Some(&true));
    headings.iter().filter(is_kept).copied().collect()
}

/// Whether a draft is a line of a block of similar lines, such as an address. Titles are larger, and headings have space
/// around them.
fn is_line_of_block(flow: Flow, index: usize, statistics: &TypeStatistics) -> bool {
    let is_small = |draft: &Draft| heading_size(draft) < MUCH_LARGER * statistics.body_size;
    flow.draft(index).is_some_and(is_small) && is_in_block(flow, index)
}

/// Whether a line stands where running heads do, far above the text and in type hardly larger. A page that is read alone does
/// not show that they repeat.
fn is_running(flow: Flow, index: usize, pages: &[DocumentPage], statistics: &TypeStatistics) -> bool {
    let Some(draft) = flow.draft(index) else { return false };
    let Some(page) = pages.get(draft.place.page).map(|page| &page.structure) else { return false };
    let own = draft.bounds_on(page);
    let next = std::iter::successors(flow.next_index(index), |at| flow.next_index(*at)).filter_map(|at| flow.draft(at));
    let on_page = next.take_while(|next| next.place.page == draft.place.page).map(|next| next.bounds_on(page).y0);
    // What stands beside it is part of the running head.
    let below = on_page.take(MAX_BESIDE).find(|top| *top > own.y1);
    heading_size(draft) < MUCH_LARGER * statistics.body_size
        && own.y1 < HEAD_SHARE * page.height
        && below.is_some_and(|top| top - own.y1 > HEAD_SPACE_EM * statistics.body_size)
}

/// Removes from the headings the titles of parts that stand between the entries of a table of contents. A title in the look of
/// another heading stays, since it may begin a list of figures.
fn without_parts_of_contents(flow: Flow, headings: &[usize]) -> Vec<usize> {
    let look = |at: &usize| flow.draft(*at).map(rank);
    let (parts, others): (Vec<usize>, Vec<usize>) = headings.iter().partition(|at| is_among_entries(flow, **at));
    let looks: BTreeSet<Option<Rank>> = others.iter().map(look).collect();
    headings.iter().filter(|at| parts.binary_search(at).is_err() || looks.contains(&look(at))).copied().collect()
}

/// Whether a line stands between lines that end in the numbers of pages.
fn is_among_entries(flow: Flow, index: usize) -> bool {
    let is_entry =
        |line: &Line| line.is_row() && line.words.last().is_some_and(|last| page_number(&last.text).is_some());
    let are_entries = |draft: &Draft| draft.is_paragraph() && draft.is_all(is_entry);
    flow.before(index).is_some_and(are_entries) && flow.next(index).is_some_and(are_entries)
}

fn is_in_block(flow: Flow, index: usize) -> bool {
    let Some(draft) = flow.draft(index) else { return false };
    let follows = |above: &Draft, below: &Draft| {
        above.place == below.place && below.space_above < SPACE_ABOVE && look(above) == look(below)
    };
    let is_next = flow.next(index).is_some_and(|next| next.is_paragraph() && follows(draft, next));
    let is_after = flow.before(index).is_some_and(|above| above.is_paragraph() && follows(above, draft));
    draft_depth(draft).is_none() && draft.marker.is_none() && (is_next || is_after)
}

/// Whether the next number, or the one before, stands right beside it in the same size. Such lines are items, however large.
fn is_among_items(flow: Flow, index: usize) -> bool {
    let follows = |(above, below): (&Draft, &Draft)| {
        let marks = above.marker.as_ref().zip(below.marker.as_ref());
        above.place == below.place
            && size_key(above.size()) == size_key(below.size())
            && marks.is_some_and(|(above, below)| below.kind.follows(&above.kind))
    };
    let own = flow.draft(index);
    flow.before(index).zip(own).is_some_and(follows) || own.zip(flow.next(index)).is_some_and(follows)
}

/// Whether a draft of several lines that do not fill its column is an address or a list, not one text.
fn is_broken(draft: &Draft) -> bool {
    let leaves_room = |above: &Line, below: &Line| {
        (above.bounds.x0 - below.bounds.x0).abs() < 0.3 * above.size
            && above.bounds.x1 + below.first_width() + above.size < draft.right
    };
    let mut pairs = draft.lines.windows(2);
    draft.lines.len() > 2 && pairs.all(|pair| matches!(pair, [above, below] if leaves_room(above, below)))
}

/// Takes headings of the structure tree for paragraphs if they look like text, or most of one level in their look do: some
/// producers take numbered paragraphs for headings.
fn doubt_tags(drafts: &mut [Draft], statistics: &TypeStatistics) {
    let look = |draft: &Draft| match draft.kind {
        DraftKind::Heading { level } => Some((level, rank(draft))),
        _ => None,
    };
    let mut votes: BTreeMap<_, [usize; 2]> = BTreeMap::new();
    for (own, draft) in drafts.iter().filter_map(|draft| Some((look(draft)?, draft))) {
        let [heading, text] = votes.entry(own).or_default();
        let vote = if is_tagged_text(draft, statistics) { text } else { heading };
        *vote += 1;
    }
    let is_text = |draft: &Draft| {
        let is_most = votes.get(&look(draft)?).is_some_and(|[heading, text]| text > heading);
        Some(is_most || is_tagged_text(draft, statistics))
    };
    let texts = drafts.iter_mut().filter_map(|draft| is_text(draft)?.then_some(draft));
    texts.for_each(|draft| draft.kind = DraftKind::Paragraph { depth: 0 });
}

/// Whether a heading of the structure tree is too long for one, or a sentence like the body.
fn is_tagged_text(draft: &Draft, statistics: &TypeStatistics) -> bool {
    let is_plain = heading_size(draft) < LARGER * statistics.body_size && !is_emphasised(draft, statistics);
    is_too_long(draft) || is_plain && is_sentence(draft)
}

fn is_too_long(draft: &Draft) -> bool {
    draft.lines.len() > MAX_LINES || draft.len() > MAX_CHARACTERS
}

/// Adds paragraphs that look like an earlier heading and continue its numbering.
fn with_next(flow: Flow, headings: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    let mut numbered: Vec<(Rank, MarkerKind)> = Vec::new();
    for index in flow.order {
        let Some(draft) = flow.draft(*index) else { continue };
        let is_heading = headings.binary_search(index).is_ok();
        let Some(kind) = draft.lines.first().and_then(|line| marker(line)).map(|marker| marker.kind) else {
            all.extend(is_heading.then_some(*index));
            continue;
        };
        let own = rank(draft);
        let is_next = |(other, before): &(Rank, MarkerKind)| *other == own && kind.follows(before);
        let is_next = kind.is_ordered() && may_be_next(draft) && numbered.iter().any(is_next);
        if is_heading || is_next {
            all.push(*index);
            numbered.retain(|(other, _)| *other != own);
            numbered.push((own, kind));
        }
    }
    all
}

/// What lines of one kind have in common: their rank, their colour, and whether they have the number of a section. The colour is
/// that of the last word: a label or a number may have its own.
type Look = (Rank, [u8; 3], bool);

fn look(draft: &Draft) -> Look {
    let last = draft.lines.last().and_then(|line| line.words.last());
    (rank(draft), last.map_or([0; 3], |word| word.style.color), draft_depth(draft).is_some())
}

/// How many lines in one look are headings, may be headings, and are text.
#[derive(Default)]
struct Votes {
    headings: usize,
    others: usize,
    texts: usize,
}

/// The headings, and lines in a look in which most are headings, without those in a look that is mostly text: space decides
/// which line is a heading, and may differ at the edge of a page or between lines of one kind. What stands above the text of
/// the first page looks like sections too, and has no vote.
fn by_looks(
    flow: Flow,
    headings: &[usize],
    outline: &Outline,
    statistics: &TypeStatistics,
    front: &Range<usize>,
    is_open: &dyn Fn(&Draft) -> bool,
) -> Vec<usize> {
    let is_heading = |at: usize| headings.binary_search(&at).is_ok();
    let is_larger = |draft: &Draft| heading_size(draft) >= LARGER * statistics.body_size;
    let stands_out = |draft: &&Draft| {
        let is_apart = is_larger(draft) || is_emphasised(draft, statistics);
        is_apart && is_open(draft) && draft.is_paragraph() && !draft.is_run_in()
    };
    let may_be = |draft: &Draft| {
        draft.is_free()
            && draft.lines.len() <= 2
            && !is_listed(draft)
            && !draft.ends_sentence()
            && !draft.begins_small()
            && has_word(draft)
            && !draft.lines.iter().any(|line| line.is_row() || line.has_cells() || is_cell_value(after_label(line)))
    };
    let mut votes: BTreeMap<Look, Votes> = BTreeMap::new();
    for (at, draft) in flow.order.iter().filter_map(|at| Some((*at, flow.draft(*at).filter(stands_out)?))) {
        let own = votes.entry(look(draft)).or_default();
        match () {
            () if is_heading(at) => own.headings += 1,
            () if front.contains(&at) => (),
            () if is_sentence(draft) || is_in_block(flow, at) => own.texts += 1,
            () => own.others += usize::from(may_be(draft)),
        }
    }
    let is_meant = |at: &usize| {
        let own = flow.draft(*at).filter(stands_out);
        let Some((draft, own)) = own.and_then(|own| Some((own, votes.get(&look(own))?))) else {
            return is_heading(*at);
        };
        let is_numbered = draft_depth(draft).is_some();
        let is_over = || flow.next(*at).is_some_and(|next| look(next) != look(draft) && !next.begins_small());
        let is_most = own.headings >= MIN_SECTIONS * own.others.max(1) && own.headings >= own.texts;
        match is_heading(*at) {
            true => {
                // In the size of the body, bold sentences do not make a bold line text.
                let is_text = is_larger(draft) && own.texts >= 2 * own.headings && *at > front.end;
                !is_text && (own.others <= own.headings || !is_numbered) || is_entry(draft, outline)
            }
            false => is_most && *at >= front.end && may_be(draft) && !is_in_block(flow, *at) && is_over(),
        }
    };
    flow.order.iter().copied().filter(is_meant).collect()
}

/// Whether a draft is too long for a heading, or a sentence without a section number.
fn is_sentence(draft: &Draft) -> bool {
    is_too_long(draft) || draft.ends_sentence() && draft.len() > MAX_SENTENCE && draft_depth(draft).is_none()
}

/// Whether a paragraph may be a heading if one before it looks like it: apart, bold or italic.
fn may_be_next(draft: &Draft) -> bool {
    let is_set_off = draft.share(|style| style.is_bold) > MOST || draft.share(|style| style.is_italic) > MOST;
    draft.is_free() && is_set_off && draft.space_above >= SPACE_ABOVE && !draft.ends_sentence()
}

/// The title: the highest heading of the first page. If the highest is short, it may be the name of a journal: then the
/// title is a longer one in large type that stands over no text, but over its authors, and below neither text nor items.
fn title(flow: Flow, headings: &[usize], statistics: &TypeStatistics) -> Option<usize> {
    let on_first = headings.iter().filter_map(|at| Some((*at, flow.draft(*at)?)));
    let on_first: Vec<(usize, &Draft)> = on_first.filter(|(_, draft)| draft.place.page == 0).collect();
    let text = flow.order.iter().find(|at| flow.draft(**at).is_some_and(is_body)).copied().unwrap_or(usize::MAX);
    let is_long = |at: usize, draft: &Draft| {
        let is_over_text = flow.next(at).is_some_and(is_text);
        draft.len() >= MIN_TITLE && heading_size(draft) >= TITLE * statistics.body_size && !is_over_text && at < text
    };
    let highest = |is_meant: &dyn Fn(usize, &Draft) -> bool| {
        let meant = on_first.iter().filter(|(at, draft)| is_meant(*at, draft));
        meant.min_by_key(|(_, draft)| rank(draft)).map(|(at, _)| *at)
    };
    highest(&is_long).or_else(|| highest(&|_, _| true))
}

/// The headings beside the title that are none. The name of the journal is in larger type than the title. The kind of the
/// article stands above it without text between, and looks like no heading below.
fn kickers(flow: Flow, headings: &[usize], title: usize) -> Vec<usize> {
    let look = |at: &usize| flow.draft(*at).map(rank);
    let below: BTreeSet<Option<Rank>> = headings.iter().filter(|at| **at >= title).map(look).collect();
    let is_over_text = flow.order.iter().filter(|at| **at < title).any(|at| flow.draft(*at).is_some_and(is_body));
    let is_name = |at: &usize| flow.draft(*at).is_some_and(|draft| draft.place.page == 0) && look(at) < look(&title);
    let is_kind = |at: &usize| *at < title && !is_over_text && !below.contains(&look(at));
    headings.iter().filter(|at| is_name(at) || is_kind(at)).copied().collect()
}

/// The index of the text after the title.
fn text_after(flow: Flow, title: usize) -> usize {
    let is_text = |at: &&usize| flow.draft(**at).is_some_and(|draft| draft.place.page > 0 || is_text(draft));
    flow.order.iter().filter(|at| **at > title).find(is_text).copied().unwrap_or(usize::MAX)
}

/// The headings of the first page that are authors, affiliations and dates: they stand between the title and the text,
/// and have the marks of affiliations, are a list of names, or are centred and no text follows them.
fn byline(flow: Flow, headings: &[usize], first: usize, end: usize) -> Vec<usize> {
    let Some(title) = flow.draft(first) else { return Vec::new() };
    let is_over_text = |at: usize| flow.next(at).is_some_and(|next| next.is_paragraph() && next.len() >= MIN_TEXT);
    let is_byline = |at: &&usize| {
        flow.draft(**at).is_some_and(|draft| {
            let is_smaller = heading_size(draft) < heading_size(title);
            let is_centred = || is_smaller && !is_over_text(**at) && is_centered_below(title, draft);
            // The initials of a name look like the number of a section.
            let is_numbered = draft_depth(draft).is_some() && number_kind(draft) == NumberKind::Digits;
            !is_numbered && (draft.has_raised_word() || is_list_of_names(draft) || is_centred())
        })
    };
    let between = headings.iter().filter(|at| (first + 1..end).contains(at)).filter(is_byline);
    between.copied().chain(above_addresses(flow, headings, first)).collect()
}

/// The headings of the first page after `first` that are addresses of mail, and those right above them: authors and their
/// affiliations, which may stand in several columns.
fn above_addresses(flow: Flow, headings: &[usize], first: usize) -> Vec<usize> {
    let has_address = |at: &usize| {
        let words = flow.draft(*at).into_iter().flat_map(|draft| &draft.lines).flat_map(|line| &line.words);
        words.into_iter().any(|word| word.text.trim_matches('@').contains('@'))
    };
    let is_on_first = |at: &&usize| **at > first && flow.draft(**at).is_some_and(|draft| draft.place.page == 0);
    let own: Vec<usize> = headings.iter().filter(is_on_first).copied().collect();
    let runs = own.chunk_by(|at, next| flow.next_index(*at) == Some(*next));
    let above = runs.filter_map(|run| run.get(..=run.iter().rposition(has_address)?));
    above.flatten().copied().collect()
}

fn is_centered_below(title: &Draft, draft: &Draft) -> bool {
    let (above, own) = (title.bounds(), draft.bounds());
    let is_set_in = own.x0 - draft.origin > 2.0 * draft.size();
    is_set_in && ((above.x0 + above.x1) - (own.x0 + own.x1)).abs() < 2.0 * draft.size()
}

/// Whether all parts between commas or bars begin with a capital, and are a few words each.
fn is_list_of_names(draft: &Draft) -> bool {
    const MARKS: [char; 2] = [',', '|'];
    let text = draft.text();
    let text = text.trim_end_matches(' ').trim_end_matches('|');
    let is_name = |part: &str| {
        let words = part.split_whitespace().count();
        (2..=5).contains(&words) && part.trim_start().starts_with(char::is_uppercase)
    };
    text.matches(MARKS).count() >= MIN_COMMAS && text.split(MARKS).rev().skip(1).all(is_name)
}

pub(super) fn has_lines(draft: &Draft) -> bool {
    draft.is_paragraph() && draft.lines.len() > 1
}

/// Whether a draft is a paragraph of the text, not the address of an author.
fn is_text(draft: &Draft) -> bool {
    has_lines(draft) && draft.len() >= MIN_TEXT && draft.ends_sentence()
}

/// Whether a draft is a paragraph of the text, or a marked item.
fn is_body(draft: &Draft) -> bool {
    is_text(draft) || is_listed(draft)
}

fn is_in_flow(draft: &Draft) -> bool {
    draft.turn.is_multiple_of(90)
        && !draft.is_outside_text()
        && !matches!(draft.kind, DraftKind::Label | DraftKind::Figure(_))
}

/// The sizes in which a document has paragraphs. Long lists of references may be set in another one, and be most of it.
fn text_sizes(drafts: &[Draft]) -> BTreeSet<i32> {
    let mut lengths: BTreeMap<i32, usize> = BTreeMap::new();
    for draft in drafts.iter().filter(|draft| draft.is_free() && is_text(draft)) {
        *lengths.entry(size_key(draft.size())).or_default() += draft.len();
    }
    lengths.retain(|_, length| *length >= MIN_TEXTS);
    lengths.into_keys().collect()
}

pub(super) fn size_key(size: f32) -> i32 {
    quarters(size) / 2
}

fn is_heading(draft: &Draft, next: Option<&Draft>, statistics: &TypeStatistics, texts: &BTreeSet<i32>) -> bool {
    let size = heading_size(draft);
    let ratio =
        if texts.contains(&size_key(size)) { size.min(statistics.body_size) } else { size } / statistics.body_size;
    if draft.is_run_in() && draft.is_paragraph() {
        return true;
    }
    let factor = if ratio >= MUCH_LARGER { TITLE_FACTOR } else { 1 };
    let is_short = draft.lines.len() <= factor * MAX_LINES && draft.len() <= factor * MAX_CHARACTERS;
    if !draft.is_paragraph()
        || draft.is_formula
        || !is_short
        || ratio < TITLE && !is_emphasised(draft, statistics) && is_broken(draft)
        || is_listed(draft)
        || draft.begins_small() && ratio < MUCH_LARGER
        || !has_word(draft)
        || draft.text().matches([',', ';', '·']).count() >= MIN_KEY_COMMAS
        || draft.lines.iter().any(|line| line.is_row() || ratio < MUCH_LARGER && line.has_heads())
        || ratio < if is_small_heading(draft, next) { SMALLEST } else { SMALLER }
    {
        return false;
    }
    let is_sentence = draft.ends_sentence() || draft.last_sign().is_some_and(|sign| matches!(sign, ',' | ';'));
    let opens_list = next.is_some_and(|next| next.marker.is_some());
    let is_over = next.is_some_and(|next| next.space_above < SPACE_ABOVE) && !opens_list;
    let has_cells = draft.lines.iter().any(|line| line.has_cells());
    let has_value = draft.lines.first().is_some_and(|line| is_cell_value(after_label(line)));
    let is_label = has_value || is_over && (has_cells || draft.last_sign() == Some(':'));
    if ratio < MUCH_LARGER && is_label {
        return false;
    }
    if ratio >= LARGER {
        let may_be_numbered = draft.lines.len() <= MAX_SENTENCE_LINES || ratio >= MUCH_LARGER;
        let is_numbered = draft_depth(draft).is_some() && may_be_numbered;
        return !is_sentence || draft.len() <= MAX_CHARACTERS / 3 || is_numbered;
    }
    if next.is_some_and(|next| is_item_over(draft, next)) {
        return false;
    }
    let is_apart = draft.space_above >= SPACE_ABOVE;
    let is_followed =
        next.is_some_and(|next| !matches!(next.kind, DraftKind::Table(_)) || is_emphasised(draft, statistics));
    let is_numbered = draft_depth(draft).is_some();
    is_apart
        && is_followed
        && (!is_sentence || is_numbered || is_question(draft) || introduces(draft, next))
        && draft.lines.len() < MAX_LINES
        && (is_emphasised(draft, statistics) || is_plain_heading(draft, next, statistics))
}

/// Whether a bold line asks a question, as the headings of answers do.
fn is_question(draft: &Draft) -> bool {
    let is_asked = draft.last_sign().is_some_and(|sign| matches!(sign, '?' | '？'));
    is_asked && draft.len() <= MAX_CHARACTERS / 2 && is_bold_line(draft)
}

/// Whether a short bold line with a colon stands over a list or a text.
fn introduces(draft: &Draft, next: Option<&Draft>) -> bool {
    let is_text = |next: &Draft| next.marker.is_some() || has_lines(next);
    draft.last_sign() == Some(':') && draft.len() <= MAX_SENTENCE && is_bold_line(draft) && next.is_some_and(is_text)
}

fn is_bold_line(draft: &Draft) -> bool {
    draft.lines.len() == 1 && draft.share(|style| style.is_bold) > MOST
}

/// Whether it has a mark that no heading has.
fn is_listed(draft: &Draft) -> bool {
    let kind = draft.marker.as_ref().map(|marker| &marker.kind);
    matches!(kind, Some(MarkerKind::Bullet(_) | MarkerKind::WeakBullet(_) | MarkerKind::Reference))
}

/// Whether a line of bold type is a heading although it is smaller than the body: it has a number or is in capitals, or
/// its text is no larger than itself, or hardly so and begins right below it.
fn is_small_heading(draft: &Draft, next: Option<&Draft>) -> bool {
    let is_over_text = |next: &Draft| {
        let is_flush = (next.first_left() - draft.first_left()).abs() < 0.3 * draft.size();
        let factor = if is_flush { LARGER_TEXT } else { 1.02 };
        next.is_paragraph() && next.lines.len() > 1 && next.size() < factor * draft.size()
    };
    is_bold_line(draft) && (draft_depth(draft).is_some() || is_capitals(draft) || next.is_some_and(is_over_text))
}

/// Whether a marked line is the first of an item: the paragraph below it begins where the text after its mark does.
fn is_item_over(draft: &Draft, next: &Draft) -> bool {
    let Some(marker) = &draft.marker else { return false };
    let is_below = |left: f32| (left - marker.text_left).abs() < 0.3 * draft.size();
    next.is_paragraph() && next.marker.is_none() && is_below(next.first_left()) && is_below(next.text_left())
}

/// Whether a heading is smaller than the body.
pub(super) fn is_small(draft: &Draft, statistics: &TypeStatistics) -> bool {
    heading_size(draft) < SMALLER * statistics.body_size
}

/// The size of its largest word. Small capitals are smaller than their heading.
pub(super) fn heading_size(draft: &Draft) -> f32 {
    let words = draft.lines.first().into_iter().flat_map(|line| &line.words).filter(|word| has_letter(&word.text));
    let largest = words.map(|word| word.style.size).fold(0.0, f32::max);
    if draft.is_all(|line| line.is_capitals()) { largest.max(draft.size()) } else { draft.size() }
}

/// Whether it has at least two letters of words or numbers. An index is a letter beside another one in smaller type.
fn has_word(draft: &Draft) -> bool {
    let words = || draft.lines.iter().flat_map(|line| &line.words);
    let largest = words().map(|word| word.style.size).fold(0.0, f32::max);
    let full = words().filter(|word| word.style.size > INDEX * largest);
    full.flat_map(|word| word.text.chars()).filter(|sign| sign.is_alphabetic()).count() >= 2
}

/// Whether text in the size of the body stands out by its weight, its capitals or its colour.
fn is_emphasised(draft: &Draft, statistics: &TypeStatistics) -> bool {
    let is_bold = !statistics.is_bold && draft.share(|style| style.is_bold) > MOST;
    let is_coloured = draft.share(|style| is_vivid(style.color)) > MOST
        && draft.is_all(|line| line.words.iter().all(|word| word.target.is_none()))
        && !is_vivid(statistics.color);
    is_bold || is_coloured || (is_capitals(draft) && !statistics.is_capitals)
}

/// Whether a colour is neither black nor grey nor white.
pub(super) fn is_vivid([red, green, blue]: [u8; 3]) -> bool {
    red.max(green).max(blue) - red.min(green).min(blue) > 48
}

pub(super) fn is_capitals(draft: &Draft) -> bool {
    draft.is_all(|line| line.is_capitals())
}

/// Whether a line in another font stands alone at the left edge, over text that differs.
fn is_plain_heading(draft: &Draft, next: Option<&Draft>, statistics: &TypeStatistics) -> bool {
    let width = draft.bounds().width();
    let body = statistics.font(draft.place.page);
    let has_other_font = |draft: &Draft| draft.is_all(|line| line.is_all(|style| Some(style.font) != body));
    draft.lines.len() == 1
        && draft.lines.iter().all(|line| after_label(line).is_empty())
        && has_other_font(draft)
        && width < 0.75 * (draft.right - draft.origin)
        && ((draft.first_left() - draft.origin).abs() < 0.5 * draft.size() || is_centred_section(draft))
        && next.is_some_and(|next| has_lines(next) && !next.is_all(|line| line.is_italic()) && !has_other_font(next))
}

/// The words after the label with which a line begins.
fn after_label(line: &Line) -> &[LineWord] {
    let label = line.words.iter().position(|word| word.text.ends_with(':')).filter(|_| is_labelled(line));
    label.and_then(|at| line.words.get(at + 1..)).unwrap_or_default()
}

/// Whether a numbered line stands in the middle of its column.
fn is_centred_section(draft: &Draft) -> bool {
    let bounds = draft.bounds();
    let (before, after) = (bounds.x0 - draft.origin, draft.right - bounds.x1);
    let first = draft.lines.first().and_then(|line| line.words.first());
    first.is_some_and(|word| word.text.ends_with(['.', ')']))
        && draft_depth(draft).is_some()
        && before > draft.size()
        && (before - after).abs() < 2.0 * draft.size()
}

pub(super) fn draft_depth(draft: &Draft) -> Option<usize> {
    draft.lines.first().and_then(|line| section_depth(line))
}

/// The depth of a section number at the beginning: `2` is 1, `2.1` is 2, `IV.` is 1.
pub(super) fn section_depth(line: &Line) -> Option<usize> {
    let first = line.words.first()?.text.as_str();
    line.words.get(1)?;
    let parts: Vec<&str> = first.trim_end_matches(['.', ')']).split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.len() <= 3 && part.chars().all(|sign| sign.is_ascii_digit());
    let (head, tail) = parts.split_first()?;
    let is_letter = head.len() == 1
        && head.chars().all(|sign| sign.is_ascii_uppercase())
        && parts.len() + usize::from(first.ends_with('.')) > 1;
    let is_roman = first.ends_with('.') && roman_value(head).is_some();
    ((is_number(head) || is_letter || is_roman) && tail.iter().all(is_number)).then_some(parts.len())
}

/// Whether a draft is an entry of the outline.
fn is_entry(draft: &Draft, outline: &Outline) -> bool {
    draft.is_paragraph()
        && !is_listed(draft)
        && draft.lines.len() <= MAX_LINES
        && !draft.lines.iter().any(|line| line.is_row())
        && outline.depth(draft).is_some()
}
