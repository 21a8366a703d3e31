//! Object storage: `s3://`, `gs://` and `az://`, with the credentials and endpoints of the environment.
//!
//! Only what the setting `object_storage` names can be read. Requests go over this program's own HTTP client, and to the
//! endpoints of the environment: an address in a reference is never one of a server.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, Error, GetOptions, GetRange, GetResult, ObjectStore, RetryConfig};

use super::file::MAX_RUN_BYTES;
use crate::error::WebError;
use crate::fetch::with_authorities;
use crate::guard;
use crate::http::{self, Client, Url};
use crate::settings::WebSettings;
use crate::store::RangedVersion;

/// The largest response: a range, or what a server says about itself.
const MAX_RESPONSE_BYTES: u64 = MAX_RUN_BYTES + (1 << 20);

/// How often a request that failed for a moment is repeated.
const MAX_RETRIES: usize = 2;

/// The buckets that were opened: at most those of the setting.
#[derive(Default)]
pub(crate) struct Buckets {
    opened: Mutex<BTreeMap<String, Arc<dyn ObjectStore>>>,
}

/// An object in a bucket, or a folder.
#[derive(Clone)]
pub(crate) struct ObjectAddress {
    pub(super) bucket: Arc<dyn ObjectStore>,
    pub(super) path: Path,
}

impl fmt::Debug for ObjectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectAddress").field(&self.path).finish()
    }
}

impl Buckets {
    /// The address of an object that the settings allow. Uploads are nobody's to name: their owners have references.
    pub(super) fn address(&self, url: &Url, settings: &WebSettings) -> Result<ObjectAddress, WebError> {
        let address = self.any_address(url, settings)?;
        let Some(storage) = &settings.upload_storage else { return Ok(address) };
        let storage = guard::parse_url(storage)?;
        let folder = path_of(&storage)?;
        let is_same_bucket = (storage.scheme(), storage.host_str()) == (url.scheme(), url.host_str());
        if is_same_bucket && address.path.prefix_matches(&folder) { Err(WebError::BlockedObject) } else { Ok(address) }
    }

    /// The address of an object or a folder that this program itself names.
    pub(crate) fn any_address(&self, url: &Url, settings: &WebSettings) -> Result<ObjectAddress, WebError> {
        let path = path_of(url)?;
        let name = url.host_str().unwrap_or_default();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{}://{name}", url.scheme());
        let bucket = match opened.get(&key) {
            Some(bucket) => Arc::clone(bucket),
            None => Arc::clone(opened.entry(key).or_insert(open_bucket(url.scheme(), name, settings)?)),
        };
        Ok(ObjectAddress { bucket, path })
    }
}

fn path_of(url: &Url) -> Result<Path, WebError> {
    Path::from_url_path(url.path()).map_err(|error| WebError::NotAUrl { reason: error.to_string() })
}

fn open_bucket(scheme: &str, name: &str, settings: &WebSettings) -> Result<Arc<dyn ObjectStore>, WebError> {
    let client = OwnConnector { client: object_client(settings)? };
    let retry = RetryConfig { max_retries: MAX_RETRIES, retry_timeout: settings.deadline, ..RetryConfig::default() };
    Ok(match scheme {
        "s3" => {
            let bucket = AmazonS3Builder::from_env().with_bucket_name(name).with_retry(retry);
            // Not every server that speaks as S3 does deletes several objects at once.
            let bucket = bucket.with_disable_bulk_delete(true);
            Arc::new(bucket.with_http_connector(client).build().map_err(object_error)?)
        }
        "gs" => {
            let bucket = GoogleCloudStorageBuilder::from_env().with_bucket_name(name).with_retry(retry);
            Arc::new(bucket.with_http_connector(client).build().map_err(object_error)?)
        }
        "az" => {
            let bucket = MicrosoftAzureBuilder::from_env().with_container_name(name).with_retry(retry);
            Arc::new(bucket.with_http_connector(client).build().map_err(object_error)?)
        }
        _ => return Err(WebError::Scheme { scheme: scheme.to_owned() }),
    })
}

/// The client for object storage. It connects to whatever the environment names, which no client of pagewise sets.
fn object_client(settings: &WebSettings) -> Result<Client, WebError> {
    let builder = http::client().connect_timeout(settings.deadline).pool_max_idle_per_host(settings.host_connections);
    with_authorities(builder, settings)?.build().map_err(|error| WebError::from_client(&error))
}

impl ObjectAddress {
    /// The version of the object, and its first `bytes` bytes or all of them. `None` if it is still `kept`.
    pub(super) async fn fetch_first(
        &self,
        bytes: u64,
        kept: Option<&RangedVersion>,
    ) -> Result<Option<(u64, String, Vec<u8>)>, WebError> {
        let etag = kept.map(|kept| kept.etag.clone());
        let options =
            GetOptions { range: Some(GetRange::Bounded(0..bytes)), if_none_match: etag, ..GetOptions::default() };
        let result = match self.bucket.get_opts(&self.path, options).await {
            Err(Error::NotModified { .. }) if kept.is_some() => return Ok(None),
            result => result.map_err(object_error)?,
        };
        let length = result.meta.size;
        let etag = result.meta.e_tag.clone().ok_or_else(|| WebError::failed("the storage names no version"))?;
        if result.range != (0..bytes.min(length)) {
            return Err(WebError::failed("the storage sent another range than the first"));
        }
        Ok(Some((length, etag, read_exactly(result).await?.into())))
    }

    /// The bytes in `range` of `version`.
    pub(super) async fn fetch_range(&self, version: &RangedVersion, range: Range<u64>) -> Result<Vec<u8>, WebError> {
        let etag = Some(version.etag.clone());
        let options = GetOptions { range: Some(range.clone().into()), if_match: etag.clone(), ..GetOptions::default() };
        let result = self.bucket.get_opts(&self.path, options).await.map_err(object_error)?;
        if result.meta.e_tag != etag || result.meta.size != version.length {
            return Err(WebError::Changed);
        }
        if result.range != range {
            return Err(WebError::failed("the storage sent another range"));
        }
        Ok(read_exactly(result).await?.into())
    }
}

/// The body of a range, which is as long as that.
pub(super) async fn read_exactly(result: GetResult) -> Result<Bytes, WebError> {
    let expected = result.range.end.saturating_sub(result.range.start);
    let bytes = result.bytes().await.map_err(object_error)?;
    if bytes.len() as u64 == expected { Ok(bytes) } else { Err(WebError::failed("the storage sent another length")) }
}

/// An error of the storage, without the address of its server.
pub(super) fn object_error(error: Error) -> WebError {
    match error {
        Error::NotFound { .. } => WebError::Status { status: "404 Not Found".to_owned(), code: 404 },
        Error::PermissionDenied { .. } => WebError::Status { status: "403 Forbidden".to_owned(), code: 403 },
        Error::Unauthenticated { .. } => WebError::Status { status: "401 Unauthorized".to_owned(), code: 401 },
        Error::Precondition { .. } => WebError::Changed,
        error => WebError::innermost(&error),
    }
}

/// Makes the storage's requests go over this program's own client.
#[derive(Debug)]
struct OwnConnector {
    client: Client,
}

impl HttpConnector for OwnConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        Ok(HttpClient::new(OwnClient { client: self.client.clone(), allows_http }))
    }
}

#[derive(Debug)]
struct OwnClient {
    client: Client,
    /// Whether the environment allows endpoints without TLS.
    allows_http: bool,
}

/// The future of a request, in the form that the storage's trait asks for.
type Answering<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for OwnClient {
    fn call<'life0, 'async_trait>(&'life0 self, request: HttpRequest) -> Answering<'async_trait>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.send(request))
    }
}

impl OwnClient {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        if url.scheme() != "https" && !self.allows_http {
            return Err(refused("the endpoint has no TLS, and the environment does not allow that"));
        }
        let mut request = self.client.request(parts.method, url).headers(parts.headers);
        if body.content_length() > 0 {
            request = request.body(http::Body::wrap(body));
        }
        respond(request.send().await.map_err(client_error)?).await
    }
}

/// Reads a response whole, within its bound.
async fn respond(mut response: http::Response) -> Result<HttpResponse, HttpError> {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(client_error)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() as u64 > MAX_RESPONSE_BYTES {
            return Err(refused("the storage sent more than was asked for"));
        }
    }
    let mut answer = HttpResponse::new(HttpResponseBody::new(HttpRequestBody::from(bytes)));
    (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
    Ok(answer)
}

fn refused(reason: &'static str) -> HttpError {
    HttpError::new_boxed(HttpErrorKind::Unknown, reason.into())
}

fn client_error(error: http::HttpError) -> HttpError {
    let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Unknown };
    HttpError::new(kind, error.without_url())
}
