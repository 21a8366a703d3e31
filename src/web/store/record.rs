//! The text format of records: lines of a name and a value, in groups that an empty line separates.

use std::fmt::Write as _;

use super::super::cache::Validators;
use pagewise_base::hash::ContentHash;

/// The metadata that a server sent for a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchRecord {
    /// The URL after redirects.
    pub(crate) location: String,
    pub(crate) content_type: Option<String>,
    pub(crate) validators: Validators,
    /// The time until which the body is fresh, in milliseconds since 1970.
    pub(crate) fresh_until: u64,
}

impl FetchRecord {
    pub(super) fn to_text(&self, content: &ContentHash) -> String {
        let mut group = RecordGroup::default();
        group.put("location", &self.location);
        group.put("content", &content.to_string());
        group.put("fresh-until-ms", &self.fresh_until.to_string());
        group.put_some("type", self.content_type.as_deref());
        group.put_some("etag", self.validators.etag.as_deref());
        group.put_some("last-modified", self.validators.last_modified.as_deref());
        group.to_text()
    }

    pub(super) fn read(text: &str) -> Option<(Self, ContentHash)> {
        let group = parse_groups(text).into_iter().next()?;
        let own = |name| group.get(name).map(str::to_owned);
        let record = Self {
            location: own("location")?,
            content_type: own("type"),
            validators: Validators { etag: own("etag"), last_modified: own("last-modified") },
            // Earlier versions stored seconds under another name; their records count as stale.
            fresh_until: group.get("fresh-until-ms").and_then(|until| until.parse().ok()).unwrap_or(0),
        };
        Some((record, group.get("content")?.parse().ok()?))
    }
}

/// A version of a document that is read by ranges, as its server names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RangedVersion {
    /// The address of the ranges, after redirects.
    pub(crate) location: String,
    /// The strong validator.
    pub(crate) etag: String,
    /// The length in bytes.
    pub(crate) length: u64,
    pub(crate) content_type: Option<String>,
    /// The time until which the version is fresh, in milliseconds since 1970.
    pub(crate) fresh_until: u64,
}

impl RangedVersion {
    pub(super) fn to_text(&self) -> String {
        let mut group = RecordGroup::default();
        group.put("location", &self.location);
        group.put("etag", &self.etag);
        group.put("length", &self.length.to_string());
        group.put("fresh-until-ms", &self.fresh_until.to_string());
        group.put_some("type", self.content_type.as_deref());
        group.to_text()
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let group = parse_groups(text).into_iter().next()?;
        let own = |name| group.get(name).map(str::to_owned);
        Some(Self {
            location: own("location")?,
            etag: own("etag")?,
            length: group.get("length")?.parse().ok()?,
            content_type: own("type"),
            fresh_until: group.get("fresh-until-ms")?.parse().ok()?,
        })
    }
}

/// A group of lines.
#[derive(Debug, Default)]
pub(super) struct RecordGroup {
    lines: Vec<(String, String)>,
}

impl RecordGroup {
    /// Adds a line. Line breaks in the value become spaces.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.lines.push((name.to_owned(), value.replace(['\n', '\r'], " ")));
    }

    pub(super) fn put_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.lines.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The values of all lines with this name.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        self.lines.iter().filter(|(found, _)| found == name).map(|(_, value)| value.clone()).collect()
    }

    pub(super) fn to_text(&self) -> String {
        self.lines.iter().fold(String::new(), |mut text, (name, value)| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}: {value}");
            text
        })
    }
}

/// Parses the groups of a text. Lines of another form are skipped.
pub(super) fn parse_groups(text: &str) -> Vec<RecordGroup> {
    let group = |block: &str| {
        let lines = block.lines().filter_map(|line| line.split_once(": "));
        RecordGroup { lines: lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() }
    };
    text.split("\n\n").map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_comes_back_whole_or_not_at_all() {
        let version = RangedVersion {
            location: "https://example.com/a".to_owned(),
            etag: "\"x: y\"".to_owned(),
            length: 1 << 40,
            content_type: None,
            fresh_until: 12,
        };
        assert_eq!(RangedVersion::read(&version.to_text()), Some(version.clone()));
        assert_eq!(RangedVersion::read(&version.to_text().replace("length: ", "length: -")), None);
        assert_eq!(RangedVersion::read("location: x\netag: y"), None);
    }

    #[test]
    fn a_record_comes_back_and_a_value_forges_no_line() {
        let record = FetchRecord {
            location: "https://example.com/a: b".to_owned(),
            content_type: Some("text/html\ncontent: 00".to_owned()),
            validators: Validators { etag: Some("\"x\"".to_owned()), last_modified: None },
            fresh_until: 12,
        };
        let content = ContentHash::of(b"body");
        let read = FetchRecord::read(&record.to_text(&content));
        let content_type = Some("text/html content: 00".to_owned());
        assert_eq!(read, Some((FetchRecord { content_type, ..record }, content)));
        for text in ["", "location: x", "location: x\ncontent: zz\nfresh-until-ms: 1", "\0"] {
            assert_eq!(FetchRecord::read(text), None, "{text:?}");
        }
    }
}
