//! Object storage in the test process: it speaks as S3 does, as far as uploads need it, to who has any key.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use super::site::{Answer, Asked, Site, ok, status, with_fields};

#[derive(Default)]
struct Objects {
    whole: BTreeMap<String, Object>,
    parts: BTreeMap<(String, u32), Vec<u8>>,
    written: usize,
}

struct Object {
    bytes: Vec<u8>,
    etag: String,
    changed: SystemTime,
}

/// A running server with the bucket `bucket`.
pub(crate) struct Bucket {
    site: Site,
    objects: Arc<Mutex<Objects>>,
}

impl Bucket {
    pub(crate) fn start() -> Self {
        let objects = Arc::<Mutex<Objects>>::default();
        let served = Arc::clone(&objects);
        Self { site: Site::start(move |asked| answer(&mut served.lock().unwrap(), asked)), objects }
    }

    /// The variables that lead a program to it.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let fixed = [("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "eu-central-1"), ("AWS_ACCESS_KEY_ID", "KEY")];
        let fixed = fixed.into_iter().chain([("AWS_SECRET_ACCESS_KEY", "SECRET")]);
        let endpoint = ("AWS_ENDPOINT", self.site.url(""));
        fixed.map(|(name, value)| (name, value.to_owned())).chain([endpoint]).collect()
    }

    /// The keys and sizes of all objects.
    pub(crate) fn objects(&self) -> Vec<(String, usize)> {
        let objects = self.objects.lock().unwrap();
        objects.whole.iter().map(|(key, object)| (key.clone(), object.bytes.len())).collect()
    }

    /// Makes every object two hours older.
    pub(crate) fn age(&self) {
        self.objects.lock().unwrap().whole.values_mut().for_each(|object| object.changed -= Duration::from_secs(7_200));
    }

    /// Changes the bytes of every object.
    pub(crate) fn damage(&self) {
        for object in self.objects.lock().unwrap().whole.values_mut() {
            object.bytes[0] ^= 1;
        }
    }
}

fn answer(objects: &mut Objects, asked: &Asked) -> Answer {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    let key = path.strip_prefix("/bucket").unwrap_or_default().trim_start_matches('/').to_owned();
    let part = query.split('&').find_map(|pair| pair.strip_prefix("partNumber=")?.parse::<u32>().ok());
    match (asked.method.as_str(), part) {
        ("PUT", Some(part)) => {
            objects.parts.insert((key, part), asked.body.clone());
            with_fields("200 OK", &format!("ETag: \"part{part}\"\r\n"), b"")
        }
        ("PUT", None) => with_fields("200 OK", &format!("ETag: {}\r\n", objects.write(key, asked.body.clone())), b""),
        ("POST", _) if query.starts_with("uploads") => {
            let names = format!("<Bucket>bucket</Bucket><Key>{key}</Key><UploadId>1</UploadId>");
            xml(&format!("<InitiateMultipartUploadResult>{names}</InitiateMultipartUploadResult>"))
        }
        ("POST", _) => {
            let bytes = (1..).map_while(|part| objects.parts.remove(&(key.clone(), part))).flatten().collect();
            let etag = objects.write(key.clone(), bytes).replace('"', "&quot;");
            let names = format!("<Location>/</Location><Bucket>bucket</Bucket><Key>{key}</Key><ETag>{etag}</ETag>");
            xml(&format!("<CompleteMultipartUploadResult>{names}</CompleteMultipartUploadResult>"))
        }
        ("DELETE", _) => {
            objects.whole.remove(&key);
            status("204 No Content")
        }
        _ if query.contains("list-type=2") => objects.list(query),
        _ => objects.read(&key, asked),
    }
}

impl Objects {
    fn write(&mut self, key: String, bytes: Vec<u8>) -> String {
        self.written += 1;
        let etag = format!("\"{}\"", self.written);
        self.whole.insert(key, Object { bytes, etag: etag.clone(), changed: SystemTime::now() });
        etag
    }

    fn read(&self, key: &str, asked: &Asked) -> Answer {
        let Some(Object { bytes, etag, changed }) = self.whole.get(key) else {
            return with_fields("404 Not Found", "", b"<Error><Code>NoSuchKey</Code></Error>");
        };
        if asked.field("if-match").is_some_and(|named| named != etag) {
            return status("412 Precondition Failed");
        }
        let range = asked.field("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
        let (start, end) = range.map_or((0, bytes.len()), |(start, last)| {
            (start.parse().unwrap(), last.parse::<usize>().map_or(bytes.len(), |last| bytes.len().min(last + 1)))
        });
        let changed = httpdate::fmt_http_date(*changed);
        let fields = format!(
            "ETag: {etag}\r\nLast-Modified: {changed}\r\nContent-Range: bytes {start}-{}/{}\r\n",
            end - 1,
            bytes.len()
        );
        with_fields("206 Partial Content", &fields, &bytes[start..end])
    }

    fn list(&self, query: &str) -> Answer {
        let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
        let prefix = prefix.replace("%2F", "/");
        let listed = self.whole.iter().filter(|(key, _)| key.starts_with(&prefix)).map(|(key, object)| {
            let (size, changed) = (object.bytes.len(), iso_date(object.changed));
            format!("<Contents><Key>{key}</Key><LastModified>{changed}</LastModified><Size>{size}</Size></Contents>")
        });
        xml(&format!("<ListBucketResult>{}</ListBucketResult>", listed.collect::<String>()))
    }
}

fn xml(text: &str) -> Answer {
    ok("application/xml", text)
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` as `1994-11-06T08:49:37.000Z`.
fn iso_date(time: SystemTime) -> String {
    let text = httpdate::fmt_http_date(time);
    let parts = text.split(' ').collect::<Vec<_>>();
    let months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = months.find(parts[2]).unwrap() / 3 + 1;
    format!("{}-{month:02}-{}T{}.000Z", parts[3], parts[1], parts[4])
}
