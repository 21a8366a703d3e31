//! Whole files on object storage, which this program writes itself.

use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use object_store::{GetOptions, GetRange, MultipartUpload, ObjectMeta, ObjectStore as _, ObjectStoreExt as _};

use super::file::MAX_RUN_BYTES;
use super::object::{ObjectAddress, object_error, read_exactly};
use crate::error::WebError;
use crate::store::OwnedFile;

/// The bytes of one request to write. Larger files are written in parts, of which S3 takes none below 5 MiB.
const PART_BYTES: u64 = 8 << 20;

/// Consecutive bytes of an object.
pub(crate) struct ObjectPiece {
    pub(crate) bytes: Bytes,
    /// The size of the whole object.
    pub(crate) length: u64,
    pub(crate) etag: Option<String>,
    /// When the object was written.
    pub(crate) changed: SystemTime,
}

impl ObjectAddress {
    /// The files of a folder. Each request has the time `limit`.
    pub(crate) async fn files(&self, limit: Duration) -> Result<Vec<OwnedFile>, WebError> {
        let listed = within(limit, self.bucket.list_with_delimiter(Some(&self.path))).await?;
        Ok(listed.objects.into_iter().filter_map(owned_file).collect())
    }

    /// Removes a file of a folder.
    pub(crate) async fn remove(&self, name: &str, limit: Duration) -> Result<(), WebError> {
        within(limit, self.bucket.delete(&self.path.clone().join(name))).await
    }

    /// Writes a file. Nobody sees a part of it.
    pub(crate) async fn put_file(&self, mut file: File, limit: Duration) -> Result<(), WebError> {
        let first = read_part(&mut file)?;
        if (first.len() as u64) < PART_BYTES {
            return within(limit, self.bucket.put(&self.path, first.into())).await.map(drop);
        }
        let mut upload = within(limit, self.bucket.put_multipart(&self.path)).await?;
        let sent = put_parts(&mut *upload, first, file, limit).await;
        if sent.is_err() {
            // The storage removes what stays behind after a time that its owner sets.
            let _ = within(limit, upload.abort()).await;
        }
        sent
    }

    /// The bytes from `start` on, as many as one request brings, of the version `etag` if one is named.
    pub(crate) async fn piece(
        &self,
        start: u64,
        etag: Option<String>,
        limit: Duration,
    ) -> Result<ObjectPiece, WebError> {
        let range = Some(GetRange::Bounded(start..start.saturating_add(MAX_RUN_BYTES)));
        let options = GetOptions { range, if_match: etag, ..GetOptions::default() };
        let result = within(limit, self.bucket.get_opts(&self.path, options)).await?;
        if result.range.start != start {
            return Err(WebError::failed("the storage sent another range"));
        }
        let ObjectMeta { size: length, e_tag: etag, last_modified, .. } = result.meta.clone();
        let bytes = tokio::time::timeout(limit, read_exactly(result)).await.unwrap_or_else(|_| Err(late(limit)))?;
        Ok(ObjectPiece { bytes, length, etag, changed: last_modified.into() })
    }
}

async fn put_parts(
    upload: &mut dyn MultipartUpload,
    first: Bytes,
    mut file: File,
    limit: Duration,
) -> Result<(), WebError> {
    let mut part = first;
    while !part.is_empty() {
        within(limit, upload.put_part(part.into())).await?;
        part = read_part(&mut file)?;
    }
    within(limit, upload.complete()).await.map(drop)
}

fn read_part(file: &mut File) -> Result<Bytes, WebError> {
    let mut part = Vec::new();
    file.take(PART_BYTES).read_to_end(&mut part).map_err(|error| WebError::store(&error))?;
    Ok(part.into())
}

fn owned_file(object: ObjectMeta) -> Option<OwnedFile> {
    let name = object.location.filename()?.to_owned();
    Some(OwnedFile { name, bytes: object.size, changed: object.last_modified.into() })
}

async fn within<T>(limit: Duration, request: impl Future<Output = object_store::Result<T>>) -> Result<T, WebError> {
    tokio::time::timeout(limit, request).await.map_or_else(|_| Err(late(limit)), |result| result.map_err(object_error))
}

fn late(limit: Duration) -> WebError {
    WebError::Timeout { limit, setting: "web_deadline_ms" }
}
