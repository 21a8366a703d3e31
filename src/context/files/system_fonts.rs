//! System fonts for pages that name a font but do not embed it.

use crate::source::system_font;
use crate::worker::{FontFiles, OpenFont};
use pagewise_render::{WantedFont, WantedScript};

/// A font file by its usual name, and the index of its font for each of the four scripts.
struct KnownFont {
    file: &'static str,
    /// Japanese, Korean, simplified and traditional Chinese; `None` if the font lacks the script.
    places: [Option<u32>; 4],
}

/// In order of preference.
const SANS: [KnownFont; 9] = [
    KnownFont { file: "NotoSansCJK-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    KnownFont { file: "SourceHanSans-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    KnownFont { file: "DroidSansFallbackFull.ttf", places: [Some(0); 4] },
    KnownFont { file: "DroidSansFallback.ttf", places: [Some(0); 4] },
    KnownFont { file: "wqy-zenhei.ttc", places: [Some(0), None, Some(0), Some(0)] },
    KnownFont { file: "wqy-microhei.ttc", places: [Some(0), None, Some(0), Some(0)] },
    KnownFont { file: "ipag.ttf", places: [Some(0), None, None, None] },
    KnownFont { file: "NanumGothic.ttf", places: [None, Some(0), None, None] },
    KnownFont { file: "PingFang.ttc", places: [None, None, Some(0), Some(0)] },
];

const SERIF: [KnownFont; 3] = [
    KnownFont { file: "NotoSerifCJK-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    KnownFont { file: "SourceHanSerif-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    KnownFont { file: "ipam.ttf", places: [Some(0), None, None, None] },
];

/// For other scripts: fonts that cover many.
const WIDE: [&str; 6] = [
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "FreeSans.ttf",
    "Arial Unicode.ttf",
    "Arial.ttf",
    "LiberationSans-Regular.ttf",
];

const WIDE_SERIF: [&str; 5] =
    ["DejaVuSerif.ttf", "NotoSerif-Regular.ttf", "FreeSerif.ttf", "Times New Roman.ttf", "LiberationSerif-Regular.ttf"];

/// System fonts, located on first use.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemFonts;

impl FontFiles for SystemFonts {
    fn open(&self, wanted: WantedFont) -> Option<OpenFont> {
        let (names, places): (Vec<_>, Vec<_>) = fitting(wanted).into_iter().unzip();
        let (at, file, length) = system_font(&names)?;
        let (name, index) = (*names.get(at)?, *places.get(at)?);
        Some(OpenFont { file, length, name: name.to_owned(), index })
    }
}

/// Candidate files with the index of the wanted font, best first.
fn fitting(wanted: WantedFont) -> Vec<(&'static str, u32)> {
    let Some(position) = position(wanted.script) else {
        let order: [&[&str]; 2] = if wanted.is_serif { [&WIDE_SERIF, &WIDE] } else { [&WIDE, &WIDE_SERIF] };
        return order.into_iter().flatten().map(|name| (*name, 0)).collect();
    };
    let order: [&[KnownFont]; 2] = if wanted.is_serif { [&SERIF, &SANS] } else { [&SANS, &SERIF] };
    let place = |known: &KnownFont| known.places.get(position).copied().flatten();
    order.into_iter().flatten().filter_map(|known| Some((known.file, place(known)?))).collect()
}

/// The script's index in [`KnownFont::places`].
fn position(script: WantedScript) -> Option<usize> {
    match script {
        WantedScript::Japanese => Some(0),
        WantedScript::Korean => Some(1),
        WantedScript::SimplifiedChinese => Some(2),
        WantedScript::TraditionalChinese => Some(3),
        WantedScript::Any => None,
    }
}
