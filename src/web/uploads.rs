//! Uploads: in the folder of the store and, if one is set, on object storage, so that every server that names it has them.

use std::path::PathBuf;

use super::Web;
use super::error::WebError;
use super::store::{StoredUpload, UploadDraft, UploadId, UploadOwner};
#[cfg(feature = "cloud")]
use super::{guard, ranges::ObjectAddress, store};
#[cfg(feature = "cloud")]
use pagewise_base::limits::Cancellation;

impl Web {
    /// Begins an upload of `owner`. `declared` is its size, if its sender says one.
    ///
    /// # Errors
    /// [`WebError::TooLarge`], [`WebError::Store`].
    pub fn begin_upload(&self, owner: UploadOwner, declared: Option<u64>) -> Result<UploadDraft<'_>, WebError> {
        self.store.begin_upload(owner, declared, &self.settings)
    }

    /// Keeps an upload that came whole. The same content of the same owner is one file, whose time begins anew.
    ///
    /// # Errors
    /// [`WebError::TooLarge`] and [`WebError::TooManyUploads`] if the owner has too much, [`WebError::Store`], and the
    /// errors of the object storage.
    pub fn keep_upload(&self, draft: UploadDraft<'_>) -> Result<StoredUpload, WebError> {
        if let Some(storage) = &self.settings.upload_storage {
            self.put_upload(storage, &draft)?;
        }
        draft.keep()
    }

    /// The file of an upload. Whose it is must have been checked.
    ///
    /// # Errors
    /// [`WebError::ContentNotFound`] if there is none, or if it expired; the errors of the object storage.
    pub fn upload(&self, id: &UploadId) -> Result<PathBuf, WebError> {
        match (self.store.upload(id, self.settings.upload_age), &self.settings.upload_storage) {
            (Some(path), _) => return Ok(path),
            (None, Some(storage)) => self.get_upload(storage, id)?,
            (None, None) => {}
        }
        self.store.upload(id, self.settings.upload_age).ok_or(WebError::ContentNotFound)
    }

    #[cfg(not(feature = "cloud"))]
    fn put_upload(&self, _: &str, _: &UploadDraft<'_>) -> Result<(), WebError> {
        Err(WebError::NoObjectStorage)
    }

    #[cfg(not(feature = "cloud"))]
    fn get_upload(&self, _: &str, _: &UploadId) -> Result<(), WebError> {
        Err(WebError::NoObjectStorage)
    }
}

#[cfg(feature = "cloud")]
impl Web {
    /// Puts an upload on the storage. Uploads that end on several servers at once may together exceed the owner's room.
    fn put_upload(&self, storage: &str, draft: &UploadDraft<'_>) -> Result<(), WebError> {
        let id = draft.id();
        let (folder, object) = self.upload_addresses(storage, &id)?;
        let ((file, bytes), settings) = (draft.bytes()?, self.settings.clone());
        let work = async move {
            let files = folder.files(settings.deadline).await?;
            let (expired, kept) = files
                .into_iter()
                .partition::<Vec<_>, _>(|file| file.changed.elapsed().is_ok_and(|age| age > settings.upload_age));
            for file in expired {
                folder.remove(&file.name, settings.deadline).await?;
            }
            store::check_room(kept.into_iter(), &id, bytes, &settings)?;
            object.put_file(file, settings.deadline).await
        };
        self.wait(work, &Cancellation::new())?
    }

    /// Copies an upload from the storage to the folder.
    fn get_upload(&self, storage: &str, id: &UploadId) -> Result<(), WebError> {
        let (_, object) = self.upload_addresses(storage, id)?;
        let (limit, most) = (self.settings.deadline, self.settings.max_upload_bytes);
        let first = object.clone();
        let found = self.wait(async move { first.piece(0, None, limit).await }, &Cancellation::new())?;
        let mut piece = match found {
            Err(WebError::Status { code: 404, .. }) => return Err(WebError::ContentNotFound),
            found => found?,
        };
        let is_expired = piece.changed.elapsed().is_ok_and(|age| age > self.settings.upload_age);
        if is_expired || piece.length > most {
            return Err(WebError::ContentNotFound);
        }
        let mut draft = self.store.begin_upload(id.owner().clone(), Some(piece.length), &self.settings)?;
        let mut copied = 0;
        loop {
            draft.write(&piece.bytes)?;
            copied += piece.bytes.len() as u64;
            if copied >= piece.length || piece.bytes.is_empty() {
                return draft.keep_copy(id, piece.changed);
            }
            let (object, etag) = (object.clone(), piece.etag);
            let next = async move { object.piece(copied, etag, limit).await };
            piece = self.wait(next, &Cancellation::new())??;
        }
    }

    /// The folder of an upload's owner, and the upload in it.
    fn upload_addresses(&self, storage: &str, id: &UploadId) -> Result<(ObjectAddress, ObjectAddress), WebError> {
        let (owner, content) = id.names();
        let folder = format!("{}/{owner}", storage.trim_end_matches('/'));
        let address = |url: &str| self.buckets.any_address(&guard::parse_url(url)?, &self.settings);
        Ok((address(&folder)?, address(&format!("{folder}/{content}"))?))
    }
}
