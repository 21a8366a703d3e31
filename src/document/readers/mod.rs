//! The readers of a file, in the order in which they are tried.
//!
//! 1. [`Tier::Direct`]: our own reader, lazy and strict, for sound files that are not encrypted.
//! 2. [`Tier::HayroSyntax`]: encrypted files and most damage.
//! 3. [`Tier::Qpdf`]: libqpdf repairs or decrypts the whole file, and the direct reader reads the result.
//!
//! If a reader finds damage, the next one gets the whole request. An exceeded limit ends the request.

mod cache;
mod decryption;
mod direct;
mod expansion;
mod hayro;
pub mod objects;
#[cfg(feature = "qpdf")]
mod qpdf;
mod trailer;

#[cfg(debug_assertions)]
pub(crate) use direct::CrossReferences;
pub use direct::contains_stream_end;
pub(crate) use direct::header_offset;
pub use direct::{DirectReader, ObjectKind, ObjectStream};
pub(crate) use trailer::find as find_trailer;

use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::extension::Extension;
use crate::object::Dictionary;
use crate::structure::{NamedDestinations, PageTree};
use hayro::HayroReader;
use objects::Objects;
use pagewise_base::limits::Limits;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// The direct reader.
    Direct,
    /// The crate hayro-syntax.
    HayroSyntax,
    /// libqpdf, through the crate qpdf.
    Qpdf,
}

impl Tier {
    const ORDER: [Self; 3] = [Self::Direct, Self::HayroSyntax, Self::Qpdf];

    /// The name in details and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::HayroSyntax => "hayro-syntax",
            Self::Qpdf => "qpdf",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A document as one reader sees it.
pub struct ParsedDocument {
    pub tier: Tier,
    pub objects: Box<dyn Objects>,
    pub catalog: Dictionary,
    pub tree: PageTree,
    pub limits: Limits,
    /// The targets of destinations with a name, once one was followed.
    pub(crate) named_destinations: NamedDestinations,
    /// Data that `split` derives and reuses for further pages.
    pub extension: Extension,
}

impl ParsedDocument {
    /// Opens the page tree as the reader `objects` sees it.
    pub fn new(tier: Tier, objects: Box<dyn Objects>, limits: &Limits) -> Result<Self, DocumentError> {
        let catalog = objects.catalog()?.as_dictionary().cloned().unwrap_or_default();
        let tree = PageTree::open(&*objects, &catalog, limits)?;
        let extension = Extension::default();
        let named_destinations = NamedDestinations::new();
        Ok(Self { tier, objects, catalog, tree, limits: limits.clone(), named_destinations, extension })
    }
}

pub(crate) type ParsedResult = Result<Arc<ParsedDocument>, DocumentError>;

/// The readers of one file, opened on demand.
pub struct Readers {
    file: Arc<FileBytes>,
    password: Option<String>,
    limits: Limits,
    results: [OnceLock<ParsedResult>; 3],
    /// Whether the libraries may decode the file's object streams.
    object_streams: OnceLock<Result<(), DocumentError>>,
}

impl Readers {
    pub(crate) fn new(file: Arc<FileBytes>, password: Option<String>, limits: Limits) -> Self {
        Self { file, password, limits, results: Default::default(), object_streams: OnceLock::new() }
    }

    /// Calls `read` with the result of one reader after another. Returns the first success and that result.
    ///
    /// The next reader is tried if `wants_another_reader` is true for the error.
    pub(crate) fn try_each<T, E: From<DocumentError>>(
        &self,
        read: impl Fn(&ParsedDocument) -> Result<T, E>,
        wants_another_reader: impl Fn(&E) -> bool,
    ) -> Result<(T, Arc<ParsedDocument>), E> {
        let mut first_failure: Option<E> = None;
        let mut refusal: Option<DocumentError> = None;
        for (tier, slot) in Tier::ORDER.into_iter().zip(&self.results) {
            self.limits.deadline.check_now().map_err(DocumentError::from)?;
            let failure = match slot.get_or_init(|| self.open(tier)) {
                Err(error) if error.is_worth_another_reader() => {
                    if matches!(error, DocumentError::Encrypted { .. } | DocumentError::UnsupportedEncryption)
                        && tier != Tier::Direct
                    {
                        refusal.get_or_insert_with(|| error.clone());
                    }
                    error.clone().into()
                }
                Err(error) => return Err(error.clone().into()),
                Ok(parsed) => match read(parsed) {
                    Ok(value) => return Ok((value, Arc::clone(parsed))),
                    Err(error) if wants_another_reader(&error) => error,
                    Err(error) => return Err(error),
                },
            };
            first_failure.get_or_insert(failure);
        }
        match (refusal, first_failure) {
            (Some(refusal), _) => Err(refusal.into()),
            (None, Some(failure)) => Err(failure),
            (None, None) => Err(DocumentError::damaged("no document that can be read").into()),
        }
    }

    pub(crate) fn file(&self) -> &FileBytes {
        &self.file
    }

    /// The whole file, decrypted.
    #[cfg(feature = "qpdf")]
    pub(crate) fn decrypt(&self) -> Result<Vec<u8>, DocumentError> {
        self.with_password(|password| qpdf::decrypt(&self.file, password))
    }

    /// Only libqpdf decrypts whole files.
    #[cfg(not(feature = "qpdf"))]
    pub(crate) fn decrypt(&self) -> Result<Vec<u8>, DocumentError> {
        Err(DocumentError::UnsupportedEncryption)
    }

    /// The limits of all readers.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The readers tried so far, with their results.
    pub(crate) fn attempts(&self) -> impl Iterator<Item = (Tier, &ParsedResult)> {
        Tier::ORDER.into_iter().zip(&self.results).filter_map(|(tier, slot)| Some((tier, slot.get()?)))
    }

    /// The result of one reader, unless it fails.
    pub(crate) fn parse_with(&self, wanted: Tier) -> Option<&Arc<ParsedDocument>> {
        let (tier, slot) = Tier::ORDER.into_iter().zip(&self.results).find(|(tier, _)| *tier == wanted)?;
        slot.get_or_init(|| self.open(tier)).as_ref().ok()
    }

    /// The first result with the most pages, for documents of which every reader has lost pages.
    pub(crate) fn most_pages(&self) -> Option<Arc<ParsedDocument>> {
        let opened = Tier::ORDER.into_iter().zip(&self.results);
        let opened = opened.filter_map(|(tier, slot)| slot.get_or_init(|| self.open(tier)).as_ref().ok());
        opened.rev().max_by_key(|parsed| parsed.tree.count()).cloned()
    }

    fn open(&self, tier: Tier) -> ParsedResult {
        let objects = self.objects(tier)?;
        ParsedDocument::new(tier, objects, &self.limits).map(Arc::new)
    }

    /// Opens the file with the password as it is, then through SASLprep, as AES-256 takes it (ISO 32000-2, 7.6.4.3.3).
    fn with_password<T>(&self, open: impl Fn(Option<&str>) -> Result<T, DocumentError>) -> Result<T, DocumentError> {
        let password = self.password.as_deref();
        let opened = open(password);
        if !matches!(opened, Err(DocumentError::Encrypted { .. })) {
            return opened;
        }
        match password.map(stringprep::saslprep) {
            Some(Ok(prepared)) if password != Some(&*prepared) => open(Some(&prepared)),
            _ => opened,
        }
    }

    fn objects(&self, tier: Tier) -> Result<Box<dyn Objects>, DocumentError> {
        let (file, limits) = (&self.file, &self.limits);
        if tier != Tier::Direct {
            let check = || expansion::check_object_streams(&file.whole()?, limits);
            self.object_streams.get_or_init(check).clone()?;
        }
        Ok(match tier {
            Tier::Direct => Box::new(DirectReader::open(Arc::clone(file), limits)?),
            Tier::HayroSyntax => Box::new(self.with_password(|password| HayroReader::open(file, password, limits))?),
            #[cfg(feature = "qpdf")]
            Tier::Qpdf => Box::new(self.with_password(|password| qpdf::open(file, password, limits))?),
            #[cfg(not(feature = "qpdf"))]
            Tier::Qpdf => return Err(DocumentError::damaged("no document that can be repaired")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_also_tried_in_its_prepared_form() {
        let file = Arc::new(FileBytes::in_memory(bytes::Bytes::new()));
        let opens_with = |typed: &str, right: &str| {
            let readers = Readers::new(Arc::clone(&file), Some(typed.to_owned()), Limits::default());
            let refused = DocumentError::Encrypted { password_given: true };
            readers.with_password(|password| if password == Some(right) { Ok(()) } else { Err(refused.clone()) })
        };
        for (typed, right) in
            [("a b", "a b"), ("a\u{A0}b", "a\u{A0}b"), ("a\u{A0}b", "a b"), ("pa\u{308}ss", "p\u{E4}ss")]
        {
            assert!(opens_with(typed, right).is_ok(), "{typed:?}");
        }
        assert!(opens_with("a b", "a\u{A0}b").is_err());
    }
}
