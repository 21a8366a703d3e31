//! The parts of the page, compiled into the program.

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Its MIME type.
    pub mime_type: &'static str,
    /// Its text.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($name:literal: $mime:expr),* $(,)?) => {
        &[$(($name, Asset { mime_type: $mime, text: include_str!(concat!("page/", $name)) })),*]
    };
}

const ASSETS: &[(&str, Asset)] = assets! {
    "api.js": SCRIPT,
    "compare.js": SCRIPT,
    "conversation.js": SCRIPT,
    "dom.js": SCRIPT,
    "file.js": SCRIPT,
    "icon.svg": "image/svg+xml",
    "main.js": SCRIPT,
    "plot.js": SCRIPT,
    "strip.js": SCRIPT,
    "style.css": "text/css; charset=utf-8",
    "viewer.js": SCRIPT,
};

/// The page.
#[must_use]
pub fn page() -> &'static str {
    include_str!("page/index.html")
}

/// The file `name` of the page.
#[must_use]
pub fn asset(name: &str) -> Option<Asset> {
    ASSETS.iter().find(|(known, _)| *known == name).map(|(_, asset)| *asset)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the page may weigh in the program.
    const MAX_BYTES: usize = 64 << 10;

    #[test]
    fn the_page_stays_small() {
        let bytes = ASSETS.iter().map(|(_, asset)| asset.text.len()).sum::<usize>() + page().len();
        assert!(bytes <= MAX_BYTES, "{bytes} bytes");
    }

    #[test]
    fn the_page_has_no_inline_script_or_style_and_names_no_other_server() {
        let html = page();
        assert!(!html.contains("<style") && !html.contains(" style=") && !html.contains(" on"), "{html}");
        assert_eq!(html.matches("<script").count(), html.matches(" src=\"inspect/").count());
        for (name, asset) in ASSETS {
            let addresses = asset.text.matches("://").count() - asset.text.matches("http://www.w3.org/").count();
            assert_eq!(addresses, 0, "{name}");
            for banned in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!asset.text.contains(banned), "{name} has {banned}");
            }
        }
    }
}
