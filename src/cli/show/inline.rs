//! Pictures that the terminal decodes itself: the protocols of kitty and iTerm2, which take PNGs.

use crate::tool::base64;

/// Bytes of base64 in one command of kitty's protocol.
const CHUNK: usize = 4_096;

/// Columns and rows of cells that a picture takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A PNG in kitty's graphics protocol. The terminal answers nothing.
pub(super) fn kitty(png: &[u8], cells: Cells) -> String {
    let data = base64(png);
    let mut text = String::new();
    let chunks = data.as_bytes().chunks(CHUNK).filter_map(|chunk| std::str::from_utf8(chunk).ok());
    let last = data.len().div_ceil(CHUNK).saturating_sub(1);
    for (at, chunk) in chunks.enumerate() {
        let more = u8::from(at < last);
        let keys = match at {
            0 => format!("a=T,f=100,q=2,c={},r={},m={more}", cells.columns, cells.rows),
            _ => format!("q=2,m={more}"),
        };
        text.push_str(&format!("\u{1b}_G{keys};{chunk}\u{1b}\\"));
    }
    text.push('\n');
    text
}

/// A PNG in iTerm2's inline images protocol.
pub(super) fn iterm(png: &[u8], cells: Cells) -> String {
    let (size, Cells { columns, rows }) = (png.len(), cells);
    let keys = format!("inline=1;size={size};width={columns};height={rows};preserveAspectRatio=1");
    format!("\u{1b}]1337;File={keys}:{}\u{7}\n", base64(png))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    const CELLS: Cells = Cells { columns: 3, rows: 2 };

    #[test]
    fn a_long_picture_is_sent_to_kitty_in_pieces() {
        let text = kitty(&[0; 6_000], CELLS);
        let pieces = text.trim_end().split("\u{1b}\\").filter(|piece| !piece.is_empty()).collect::<Vec<_>>();
        assert!(pieces[0].starts_with("\u{1b}_Ga=T,f=100,q=2,c=3,r=2,m=1;AAAA"), "{}", pieces[0]);
        assert!(pieces[1].starts_with("\u{1b}_Gq=2,m=0;AAAA"), "{}", pieces[1]);
        assert_eq!((pieces.len(), pieces[0].len()), (2, "\u{1b}_Ga=T,f=100,q=2,c=3,r=2,m=1;".len() + CHUNK));
        assert!(kitty(b"x", CELLS).contains("m=0;"));
    }

    #[test]
    fn iterm_is_told_the_size_in_cells() {
        let expected = "\u{1b}]1337;File=inline=1;size=1;width=3;height=2;preserveAspectRatio=1:eA==\u{7}\n";
        assert_eq!(iterm(b"x", CELLS), expected);
    }
}
