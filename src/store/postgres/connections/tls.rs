//! TLS connections, according to `sslmode`.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::postgres::address::{PostgresAddress, TlsMode};
use crate::postgres::error::PostgresError;

/// Creates the TLS connector of an address.
pub(super) fn connector(address: &PostgresAddress) -> Result<MakeRustlsConnect, PostgresError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let failed = |error: Error| PostgresError::Tls { location: address.location(), reason: error.to_string() };
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let verifier = verifier(address, provider)?;
    let builder = builder.map_err(failed)?.dangerous().with_custom_certificate_verifier(verifier);
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

fn verifier(
    address: &PostgresAddress,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, PostgresError> {
    let parameters = &address.parameters;
    match (parameters.tls, &parameters.root_file) {
        // As in libpq, named root certificates apply to `require` too.
        (TlsMode::Disable | TlsMode::Prefer, _) | (TlsMode::Require, None) => {
            Ok(Arc::new(AnyNameVerifier { authorities: None, provider }))
        }
        (TlsMode::Require | TlsMode::VerifyCa, file) => {
            let authorities = Some(by_authorities(file.as_ref(), provider.clone())?);
            Ok(Arc::new(AnyNameVerifier { authorities, provider }))
        }
        (TlsMode::VerifyFull, file) => Ok(by_authorities(file.as_ref(), provider)?),
    }
}

fn by_authorities(
    file: Option<&PathBuf>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, PostgresError> {
    let failed = |reason: String| PostgresError::Authorities { path: file.cloned(), reason };
    let roots = match file {
        Some(path) => roots_of(path).map_err(failed)?,
        None => system_roots(),
    };
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    verifier.build().map_err(|error| failed(error.to_string()))
}

fn roots_of(path: &PathBuf) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    Ok(roots)
}

/// Unreadable certificates are skipped. The verifier refuses an empty set.
fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Does not check the host name. With `authorities`, one of them must have signed the certificate. Without, every
/// certificate is accepted, which protects against eavesdropping only.
#[derive(Debug)]
struct AnyNameVerifier {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyNameVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authorities) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        // rustls checks the name last, after everything else has passed.
        match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
