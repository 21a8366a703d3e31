//! The system's fonts, for pages that name a font and do not carry it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::render::{FontFile, FontSource, WantedFont, WantedScript};
use crate::source::system_font;

/// A font file by its usual name, and the place in it of the fonts for the four scripts.
struct Known {
    file: &'static str,
    /// Japanese, Korean, simplified and traditional Chinese; `None` where the font is for another script.
    places: [Option<u32>; 4],
}

/// In order of preference, without serifs first.
const SANS: [Known; 9] = [
    Known { file: "NotoSansCJK-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    Known { file: "SourceHanSans-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    Known { file: "DroidSansFallbackFull.ttf", places: [Some(0); 4] },
    Known { file: "DroidSansFallback.ttf", places: [Some(0); 4] },
    Known { file: "wqy-zenhei.ttc", places: [Some(0), None, Some(0), Some(0)] },
    Known { file: "wqy-microhei.ttc", places: [Some(0), None, Some(0), Some(0)] },
    Known { file: "ipag.ttf", places: [Some(0), None, None, None] },
    Known { file: "NanumGothic.ttf", places: [None, Some(0), None, None] },
    Known { file: "PingFang.ttc", places: [None, None, Some(0), Some(0)] },
];

const SERIF: [Known; 3] = [
    Known { file: "NotoSerifCJK-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    Known { file: "SourceHanSerif-Regular.ttc", places: [Some(0), Some(1), Some(2), Some(3)] },
    Known { file: "ipam.ttf", places: [Some(0), None, None, None] },
];

/// Fonts of the system, read when they are first wanted.
#[derive(Debug, Default)]
pub(super) struct SystemFonts {
    read: Mutex<BTreeMap<(WantedScript, bool), Option<FontFile>>>,
}

impl FontSource for SystemFonts {
    fn font(&self, wanted: WantedFont) -> Option<FontFile> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.entry((wanted.script, wanted.is_serif)).or_insert_with(|| find(wanted)).clone()
    }
}

fn find(wanted: WantedFont) -> Option<FontFile> {
    let order: [&[Known]; 2] = if wanted.is_serif { [&SERIF, &SANS] } else { [&SANS, &SERIF] };
    let fitting = order.into_iter().flatten().filter_map(|known| Some((known.file, place_of(known, wanted)?)));
    let (files, places): (Vec<_>, Vec<_>) = fitting.unzip();
    let (at, bytes) = system_font(&files)?;
    Some(FontFile { bytes: Arc::new(bytes), index: places.get(at).copied().unwrap_or(0) })
}

fn place_of(known: &Known, wanted: WantedFont) -> Option<u32> {
    known.places.get(position(wanted.script)).copied().flatten()
}

fn position(script: WantedScript) -> usize {
    match script {
        WantedScript::Japanese => 0,
        WantedScript::Korean => 1,
        WantedScript::SimplifiedChinese => 2,
        WantedScript::TraditionalChinese => 3,
    }
}
