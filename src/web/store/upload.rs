//! Files that callers hand over: in a folder of each owner, named by their content.
//!
//! A reference begins with a hash of its owner, so whose it is can be told without looking for it. A file's time of change
//! is the time of its upload, from which it expires.

use std::fmt;
#[cfg(feature = "cloud")]
use std::fs::{File, FileTimes};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::files::{DRAFT_PREFIX, DraftFile};
use super::{FetchStore, UPLOADS};
use crate::error::WebError;
use crate::settings::WebSettings;
use pagewise_base::hash::ContentHash;

/// The prefix of all references to uploads.
const PREFIX: &str = "upload_";

/// Hexadecimal digits of an owner, and of a content: 128 bits.
const DIGITS: usize = 32;

/// The least time between two sweeps over all owners.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The most files of one owner. It bounds the time of counting their bytes.
const MAX_FILES: usize = 1_000;

/// The owner of uploads: a hash that does not tell who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadOwner(String);

impl UploadOwner {
    /// The owner of a key, such as a principal.
    #[must_use]
    pub fn of(key: &[u8; 32]) -> Self {
        Self(digits(&ContentHash(blake3::derive_key("pagewise owner of uploads", key))))
    }
}

/// The reference to an upload: `upload_`, 32 hexadecimal digits of its owner, and 32 of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadId {
    owner: UploadOwner,
    content: String,
}

/// The text is not an [`UploadId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a reference to an upload")]
pub struct NotAnUploadId;

impl UploadId {
    /// The first references in a text, at most `most`, wherever they stand in it.
    pub fn all_in(text: &str, most: usize) -> impl Iterator<Item = Self> {
        let starts = text.match_indices(PREFIX).map(|(at, _)| at);
        starts.filter_map(|at| text.get(at..at + PREFIX.len() + 2 * DIGITS)?.parse().ok()).take(most)
    }

    #[cfg(feature = "cloud")]
    pub(crate) fn owner(&self) -> &UploadOwner {
        &self.owner
    }

    /// The names of its owner's folder and of its file.
    #[cfg(feature = "cloud")]
    pub(crate) fn names(&self) -> (&str, &str) {
        (&self.owner.0, &self.content)
    }

    #[must_use]
    pub fn is_of(&self, owner: &UploadOwner) -> bool {
        self.owner == *owner
    }
}

impl fmt::Display for UploadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}{}", self.owner.0, self.content)
    }
}

impl FromStr for UploadId {
    type Err = NotAnUploadId;

    fn from_str(text: &str) -> Result<Self, NotAnUploadId> {
        let (owner, content) =
            text.strip_prefix(PREFIX).and_then(|rest| rest.split_at_checked(DIGITS)).ok_or(NotAnUploadId)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_whole = |part: &str| part.len() == DIGITS && part.bytes().all(is_digit);
        match is_whole(owner) && is_whole(content) {
            true => Ok(Self { owner: UploadOwner(owner.to_owned()), content: content.to_owned() }),
            false => Err(NotAnUploadId),
        }
    }
}

/// A file that is being uploaded. Dropping it removes what came.
#[derive(Debug)]
pub struct UploadDraft<'a> {
    store: &'a FetchStore,
    settings: &'a WebSettings,
    owner: UploadOwner,
    draft: DraftFile,
    bytes: u64,
}

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredUpload {
    /// Its reference.
    pub id: UploadId,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it expires, in seconds since 1970.
    pub expires: u64,
}

impl UploadDraft<'_> {
    /// The reference to what came so far.
    pub(crate) fn id(&self) -> UploadId {
        UploadId { owner: self.owner.clone(), content: digits(&self.draft.content()) }
    }

    /// What came so far, from its first byte, and its size.
    #[cfg(feature = "cloud")]
    pub(crate) fn bytes(&self) -> Result<(File, u64), WebError> {
        Ok((self.draft.reopen().map_err(|error| WebError::store(&error))?, self.bytes))
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`WebError::TooLarge`], [`WebError::Store`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WebError> {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        check_size(self.bytes, self.settings)?;
        self.draft.write_all(bytes).map_err(|error| WebError::store(&error))
    }

    /// Keeps the file. The same content of the same owner is one file, whose time begins anew.
    pub(crate) fn keep(self) -> Result<StoredUpload, WebError> {
        let id = self.id();
        let Self { store, settings, owner, draft, bytes } = self;
        // Two uploads that end at once must not both fit into the same room.
        let _turn = store.uploading.lock().unwrap_or_else(PoisonError::into_inner);
        check_room(files(&store.owner_folder(&owner)?), &id, bytes, settings)?;
        draft.finish_as(&id.content).map_err(|error| WebError::store(&error))?;
        let expires = SystemTime::now().checked_add(settings.upload_age);
        let expires = expires.and_then(|expires| expires.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Ok(StoredUpload { id, bytes, expires: expires.as_secs() })
    }

    /// Keeps a file that was uploaded at `changed` to another server, if it is that of `id`.
    #[cfg(feature = "cloud")]
    pub(crate) fn keep_copy(self, id: &UploadId, changed: SystemTime) -> Result<(), WebError> {
        if self.id() != *id {
            return Err(WebError::failed("the storage has other bytes than were uploaded"));
        }
        let times = FileTimes::new().set_modified(changed);
        let finished = self.draft.set_times(times).and_then(|()| self.draft.finish_as(&id.content));
        finished.map_err(|error| WebError::store(&error))
    }
}

impl FetchStore {
    /// Begins an upload of `owner`. `declared` is its size, if its sender says one.
    pub(crate) fn begin_upload<'a>(
        &'a self,
        owner: UploadOwner,
        declared: Option<u64>,
        settings: &'a WebSettings,
    ) -> Result<UploadDraft<'a>, WebError> {
        check_size(declared.unwrap_or(0), settings)?;
        let folder = self.owner_folder(&owner)?;
        remove_expired(&folder, settings.upload_age);
        self.sweep_uploads(settings.upload_age);
        let draft = DraftFile::create(&folder).map_err(|error| WebError::store(&error))?;
        Ok(UploadDraft { store: self, settings, owner, draft, bytes: 0 })
    }

    /// The file of an upload; `None` if there is none, or if it expired.
    pub(crate) fn upload(&self, id: &UploadId, age: Duration) -> Option<PathBuf> {
        let path = self.read_folder()?.join(UPLOADS).join(&id.owner.0).join(&id.content);
        super::files::is_usable(&path, age).then_some(path)
    }

    /// Removes what expired of all owners, once in a while: some never come back.
    fn sweep_uploads(&self, age: Duration) {
        let mut swept = self.uploading.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.is_some_and(|swept| swept.elapsed() < SWEEP_INTERVAL) {
            return;
        }
        *swept = Some(Instant::now());
        let owners = self.read_folder().and_then(|folder| std::fs::read_dir(folder.join(UPLOADS)).ok());
        owners.into_iter().flatten().flatten().for_each(|owner| remove_expired(&owner.path(), age));
    }

    fn owner_folder(&self, owner: &UploadOwner) -> Result<PathBuf, WebError> {
        Ok(self.folder()?.join(UPLOADS).join(&owner.0))
    }
}

fn check_size(found: u64, settings: &WebSettings) -> Result<(), WebError> {
    let limit = settings.max_upload_bytes;
    if found > limit { Err(WebError::TooLarge { found, limit, setting: "http_max_upload_bytes" }) } else { Ok(()) }
}

/// Whether `bytes` more fit beside the other files of the owner.
pub(crate) fn check_room(
    files: impl Iterator<Item = OwnedFile>,
    id: &UploadId,
    bytes: u64,
    settings: &WebSettings,
) -> Result<(), WebError> {
    let others = files.filter(|file| file.name != id.content && !file.name.starts_with(DRAFT_PREFIX));
    let (count, kept) = others.fold((1, bytes), |(count, kept), file| (count + 1, file.bytes.saturating_add(kept)));
    let limit = settings.max_kept_bytes;
    match (count > MAX_FILES, kept > limit) {
        (true, _) => Err(WebError::TooManyUploads { limit: MAX_FILES }),
        (_, true) => Err(WebError::TooLarge { found: kept, limit, setting: "http_max_kept_bytes" }),
        _ => Ok(()),
    }
}

/// The age after which an upload that did not end belongs to a dead process.
const MAX_DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

/// Removes what expired in the folder of an owner. A file that cannot be removed is tried again next time.
fn remove_expired(folder: &Path, age: Duration) {
    let now = SystemTime::now();
    for file in files(folder) {
        let limit = if file.name.starts_with(DRAFT_PREFIX) { MAX_DRAFT_AGE } else { age };
        if now.duration_since(file.changed).is_ok_and(|found| found > limit) {
            let _ = std::fs::remove_file(folder.join(&file.name));
        }
    }
}

#[derive(Debug)]
pub(crate) struct OwnedFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) changed: SystemTime,
}

fn files(folder: &Path) -> impl Iterator<Item = OwnedFile> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    listed.filter_map(|file| {
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let name = file.file_name().into_string().ok()?;
        Some(OwnedFile { name, bytes: metadata.len(), changed: metadata.modified().ok()? })
    })
}

fn digits(hash: &ContentHash) -> String {
    hash.to_string().chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn store(folder: &Path) -> FetchStore {
        FetchStore::new(Some(folder.to_path_buf()), u64::MAX, Duration::from_secs(60))
    }

    fn upload(store: &FetchStore, owner: &str, bytes: &[u8], settings: &WebSettings) -> Result<StoredUpload, WebError> {
        let owner = UploadOwner::of(blake3::hash(owner.as_bytes()).as_bytes());
        let mut draft = store.begin_upload(owner, None, settings)?;
        draft.write(bytes)?;
        draft.keep()
    }

    #[test]
    fn a_reference_names_its_owner_and_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let (store, settings) = (store(folder.path()), WebSettings::default());
        let [one, same, other, others] = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x")]
            .map(|(owner, text)| upload(&store, owner, text.as_bytes(), &settings).unwrap().id);
        assert_eq!(one, same);
        assert!(one != other && one != others);
        assert!(one.is_of(&other.owner) && !one.is_of(&others.owner));
        assert_eq!(one.to_string().parse(), Ok(one.clone()));
        assert_eq!(std::fs::read(store.upload(&one, settings.upload_age).unwrap()).unwrap(), b"x");
        assert_eq!(store.upload(&one, Duration::ZERO), None, "expired");
    }

    #[test]
    fn only_whole_references_are_read_and_all_in_a_text_are_found() {
        let text = format!("upload_{}", "a".repeat(64));
        assert!(text.parse::<UploadId>().is_ok());
        for wrong in ["", "upload_", &text.to_uppercase(), &format!("{text}a"), &text.replacen("aa", "..", 1)] {
            assert_eq!(wrong.parse::<UploadId>(), Err(NotAnUploadId), "{wrong}");
        }
        let both = format!("upload_ é {text}#attachment=upload_{}0", "b".repeat(64));
        assert_eq!(UploadId::all_in(&both, 9).count(), 2);
        assert_eq!(UploadId::all_in(&both, 1).count(), 1);
    }

    #[test]
    fn an_owner_has_room_for_so_many_bytes_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let settings = WebSettings { max_upload_bytes: 3, max_kept_bytes: 5, ..WebSettings::default() };
        let kept = |owner: &str, text: &str| upload(&store, owner, text.as_bytes(), &settings).map(|_| ());
        assert_eq!(kept("a", "123"), Ok(()));
        assert_eq!(kept("a", "45"), Ok(()));
        assert_eq!(kept("a", "45"), Ok(()), "is there already");
        let too_large = |found, limit, setting| Err(WebError::TooLarge { found, limit, setting });
        assert_eq!(kept("a", "6"), too_large(6, 5, "http_max_kept_bytes"));
        assert_eq!(kept("b", "123"), Ok(()), "another has room of its own");
        assert_eq!(kept("b", "1234"), too_large(4, 3, "http_max_upload_bytes"));
        let settings = WebSettings::default();
        for name in 0..MAX_FILES {
            upload(&store, "c", name.to_string().as_bytes(), &settings).unwrap();
        }
        let refused = upload(&store, "c", b"one more", &settings);
        assert_eq!(refused, Err(WebError::TooManyUploads { limit: MAX_FILES }));
    }
}
