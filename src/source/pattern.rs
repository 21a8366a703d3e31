//! Paths with wildcards.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet};

use super::reference::strip_prefix_ignoring_case;
use super::walk::MAX_WALKED_LEVELS;

/// Bytes of a pattern. No file system has longer paths.
const MAX_PATTERN_BYTES: usize = 4_096;

/// A path with wildcards, in the syntax of the crate `globset`: `*` and `?` stay within a name, `**` enters folders, `[a-c]`
/// is one of these characters, `{a,b}` one of these texts.
#[derive(Debug, Clone)]
pub struct PathPattern {
    folder: PathBuf,
    matcher: GlobSet,
    levels: usize,
}

impl PathPattern {
    /// Parses a path. `None` if it has no wildcards, is a URL, or is malformed or too large to compile: a file may have any of these names.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        if path.len() > MAX_PATTERN_BYTES || strip_prefix_ignoring_case(path, "file:").is_some() {
            return None;
        }
        let is_plain = |component: &Component<'_>| !has_wildcard(component.as_os_str().to_str().unwrap_or_default());
        let components = Path::new(path).components();
        let folder = components.clone().take_while(is_plain).collect::<PathBuf>();
        let rest = components.skip_while(is_plain);
        let names = rest.map(|component| component.as_os_str().to_str()).collect::<Option<Vec<_>>>()?;
        let levels = if names.iter().any(|name| name.contains("**")) { MAX_WALKED_LEVELS + 1 } else { names.len() };
        let glob = names.join("/");
        let glob = GlobBuilder::new(&glob).literal_separator(true).build().ok()?;
        // As a set, since a single matcher panics for a pattern that is too large to compile.
        let matcher = GlobSet::builder().add(glob).build().ok()?;
        (!names.is_empty()).then(|| Self { folder, matcher, levels: levels.saturating_sub(1) })
    }

    /// The folder before the first wildcard; empty if there is none.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Levels of folders beneath [`Self::folder`] that matches may lie in.
    pub(super) fn levels(&self) -> usize {
        self.levels
    }

    /// Whether it matches a path relative to [`Self::folder`].
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }
}

fn has_wildcard(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        PathPattern::parse(pattern).is_some_and(|pattern| pattern.matches(Path::new(path)))
    }

    #[test]
    fn wildcards_stay_within_a_name_unless_they_are_two() {
        assert!(matches("papers/*.pdf", "a.pdf"));
        assert!(!matches("papers/*.pdf", "deep/a.pdf"));
        assert!(matches("papers/*/a.pdf", "deep/a.pdf"));
        for path in ["a.pdf", "one/a.pdf", "one/two/a.pdf"] {
            assert!(matches("papers/**/*.pdf", path), "{path}");
        }
        assert!(matches("20[12]?-{draft,final}.pdf", "201x-final.pdf"));
        assert!(!matches("20[12]?-{draft,final}.pdf", "203x-final.pdf"));
        assert!(matches("/a/{b/c,d}.pdf", "b/c.pdf"));
    }

    #[test]
    fn a_pattern_begins_with_its_folder() {
        let parsed = |pattern| PathPattern::parse(pattern).map(|pattern| (pattern.folder, pattern.levels));
        assert_eq!(parsed("/a/b/*.pdf"), Some(("/a/b".into(), 0)));
        assert_eq!(parsed("~/b*/c/*.pdf"), Some(("~".into(), 2)));
        assert_eq!(parsed("*.pdf"), Some(("".into(), 0)));
        assert_eq!(parsed("a/**/*.pdf"), Some(("a".into(), MAX_WALKED_LEVELS)));
    }

    #[test]
    fn what_is_no_pattern_may_be_a_name() {
        for path in ["a.pdf", "", "a/[b.pdf", "a/{b.pdf", "file:///a/*.pdf", &"*".repeat(5_000)] {
            assert!(PathPattern::parse(path).is_none(), "{path:.20}");
        }
    }
}
