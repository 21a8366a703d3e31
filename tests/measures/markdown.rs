//! Reads Markdown, as far as structured text has it, into blocks.

use super::typeset::{Block, Kind};

/// The blocks of a Markdown text.
pub(super) fn blocks_of(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::<Block>::new();
    // Whether the next line goes on with the last block.
    let mut is_open = false;
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let text = line.trim();
        if text.starts_with("```") {
            let code = lines.by_ref().take_while(|line| !line.trim().starts_with("```")).collect::<Vec<_>>();
            blocks.push(Block::new(Kind::Code, code.join("\n")));
            is_open = false;
        } else if text.is_empty() || text.starts_with("<!--") {
            is_open = false;
        } else if let Some(block) = beginning(line) {
            let is_row = block.kind == Kind::Table && is_open;
            match blocks.last_mut().filter(|last| is_row && last.kind == Kind::Table) {
                Some(table) => table.text = format!("{} {}", table.text, block.text),
                None => blocks.push(block),
            }
            is_open = true;
        } else {
            match blocks.last_mut().filter(|_| is_open) {
                Some(last) => last.text = format!("{} {}", last.text, plain(text)),
                None => blocks.push(Block::new(Kind::Paragraph, plain(text))),
            }
            is_open = true;
        }
    }
    blocks.retain(|block| !block.text.trim().is_empty());
    blocks
}

/// The block that begins with a line that has a mark.
fn beginning(line: &str) -> Option<Block> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let marks = text.len() - text.trim_start_matches('#').len();
    if marks > 0 && text[marks..].starts_with(' ') {
        return Some(Block { level: marks, ..Block::new(Kind::Heading, plain(&text[marks..])) });
    }
    if text.starts_with('|') || text.starts_with('<') {
        let is_rule = text.bytes().all(|byte| b"|-: ".contains(&byte));
        return Some(Block::new(Kind::Table, if is_rule { String::new() } else { plain(&text.replace('|', " ")) }));
    }
    if let Some((label, note)) = text.strip_prefix("[^").and_then(|rest| rest.split_once("]:")) {
        return Some(Block::new(Kind::Footnote, plain(&format!("{label} {note}"))));
    }
    if let Some(quote) = text.strip_prefix("> ") {
        return Some(Block::new(Kind::Paragraph, plain(quote)));
    }
    let (mark, rest) = text.split_once(' ')?;
    let number = mark.strip_suffix('.').or_else(|| mark.strip_suffix(')'));
    let is_ordered = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let level = 1 + indent.div_ceil(4);
    (is_ordered || ["-", "*", "+"].contains(&mark)).then(|| Block {
        level,
        is_ordered,
        ..Block::new(Kind::Item, plain(rest))
    })
}

/// A text without inline marks: escapes, emphasis, notes, tags.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next()),
            '*' | '`' => {}
            '[' if characters.peek() == Some(&'^') => {
                characters.next();
                out.extend(characters.by_ref().take_while(|character| *character != ']'));
            }
            '<' => {
                let tag = characters.by_ref().take_while(|character| *character != '>').collect::<String>();
                out.push_str(if tag.contains("su") { "" } else { " " });
            }
            _ => out.push(character),
        }
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&nbsp;", " ")];
    entities.iter().fold(out, |text, (entity, character)| text.replace(entity, character))
}
