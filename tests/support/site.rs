//! A web server that misbehaves on demand, in the test process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;

/// One request: its method, its path, its header fields in small letters, and its body.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "cloud"), allow(dead_code, reason = "a bucket reads all of it"))]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// What a server does with a connection after it has read a request.
pub(crate) type Answer = Box<dyn FnOnce(&mut dyn Write) + Send>;

type Handler = Arc<dyn Fn(&Asked) -> Answer + Send + Sync>;

/// A running server. It goes with the process.
pub(crate) struct Site {
    address: SocketAddr,
    scheme: &'static str,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    /// Serves plain HTTP.
    pub(crate) fn start(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::serve("http", Arc::new(handler), None)
    }

    /// Serves HTTPS as `host`; the second is the authority that signed for it, in PEM.
    pub(crate) fn start_tls(host: &str, handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Self, String) {
        let (config, authority) = certified(host);
        (Self::serve("https", Arc::new(handler), Some(Arc::new(config))), authority)
    }

    fn serve(scheme: &'static str, handler: Handler, tls: Option<Arc<rustls::ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (handler, log, tls) = (Arc::clone(&handler), Arc::clone(&log), tls.clone());
                std::thread::spawn(move || match tls {
                    None => converse(stream, &handler, &log),
                    Some(tls) => {
                        let connection = rustls::ServerConnection::new(tls).unwrap();
                        converse(rustls::StreamOwned::new(connection, stream), &handler, &log);
                    }
                });
            }
        });
        Self { address, scheme, asked }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// A URL of it by the name `host`.
    pub(crate) fn at(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.port())
    }

    /// A URL of it by its address.
    pub(crate) fn url(&self, path: &str) -> String {
        self.at("127.0.0.1", path)
    }

    /// All requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How often `path` was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked().iter().filter(|asked| asked.path == path).count()
    }
}

/// A certificate for `host`, and the authority that signed it, in PEM.
fn certified(host: &str) -> (rustls::ServerConfig, String) {
    let mut authority = CertificateParams::new(Vec::<String>::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new([host.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    (config, issuer.pem())
}

/// One request, one answer, and the end.
fn converse(stream: impl Read + Write, handler: &Handler, log: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream);
    let Some(asked) = request(&mut reader) else { return };
    log.lock().unwrap().push(asked.clone());
    let answer = handler(&asked);
    let stream = reader.get_mut();
    answer(stream);
    let _ = stream.flush();
}

fn request(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let (method, rest) = line.split_once(' ')?;
    let (method, path) = (method.to_owned(), rest.split(' ').next()?.to_owned());
    let mut fields = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Asked { method, path, fields, body: Vec::new() };
    let length = asked.field("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    asked.body.resize(length, 0);
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

/// Bytes as they are; what the client does not want is dropped.
pub(crate) fn raw(bytes: impl AsRef<[u8]> + Send + 'static) -> Answer {
    Box::new(move |stream| {
        let _ = stream.write_all(bytes.as_ref());
    })
}

/// A whole answer with `fields`, each ended by CRLF.
pub(crate) fn with_fields(status: &str, fields: &str, body: &[u8]) -> Answer {
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{fields}\r\n", body.len());
    raw([head.into_bytes(), body.to_vec()].concat())
}

/// A whole answer of a type.
pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Answer {
    with_fields("200 OK", &format!("Content-Type: {content_type}\r\n"), body.as_ref())
}

/// An answer without a body.
pub(crate) fn status(status: &str) -> Answer {
    with_fields(status, "", b"")
}

/// A redirect.
pub(crate) fn to(location: &str) -> Answer {
    with_fields("302 Found", &format!("Location: {location}\r\n"), b"")
}

/// A connection to nowhere: a port that nobody listens on is refused at once.
pub(crate) fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Whether nobody has connected.
pub(crate) fn nobody_came(listener: &TcpListener) -> bool {
    listener.set_nonblocking(true).unwrap();
    let came: std::io::Result<(TcpStream, SocketAddr)> = listener.accept();
    matches!(came, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}
