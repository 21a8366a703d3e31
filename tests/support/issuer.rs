//! An issuer of tokens in the test process: its metadata, its keys, and tokens good and bad.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Value, json};

use super::site::{Answer, Asked, Site, ok, status};

/// The audience of good tokens.
pub(crate) const AUDIENCE: &str = "https://pdf.example/mcp";

/// A key of an issuer.
pub(crate) struct IssuerKey {
    id: String,
    pair: Pair,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl IssuerKey {
    pub(crate) fn rsa(id: &str) -> Self {
        let pair = RsaKeyPair::from_der(&STANDARD.decode(RSA_KEY).unwrap()).unwrap();
        Self { id: id.to_owned(), pair: Pair::Rsa(pair) }
    }

    pub(crate) fn ecdsa(id: &str) -> Self {
        let random = SystemRandom::new();
        let written = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, written.as_ref(), &random).unwrap();
        Self { id: id.to_owned(), pair: Pair::Ecdsa(pair) }
    }

    pub(crate) fn ed(id: &str) -> Self {
        let written = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self { id: id.to_owned(), pair: Pair::Ed(Ed25519KeyPair::from_pkcs8(written.as_ref()).unwrap()) }
    }

    fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::Rsa(_) => "RS256",
            Pair::Ecdsa(_) => "ES256",
            Pair::Ed(_) => "EdDSA",
        }
    }

    /// The public key (RFC 7517).
    pub(crate) fn public(&self) -> Value {
        let mut key = match &self.pair {
            Pair::Rsa(pair) => {
                let parts: RsaPublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({ "kty": "RSA", "n": encoded(&parts.n), "e": encoded(&parts.e) })
            }
            Pair::Ecdsa(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
            Pair::Ed(pair) => json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(pair.public_key().as_ref()) }),
        };
        key["kid"] = json!(self.id);
        key["use"] = json!("sig");
        key
    }

    /// A token with the usual header.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.signed(&json!({ "alg": self.algorithm(), "typ": "at+jwt", "kid": self.id }), claims)
    }

    /// A token with any header.
    pub(crate) fn signed(&self, header: &Value, claims: &Value) -> String {
        self.signed_text(header, &claims.to_string())
    }

    /// The same for claims as they are written.
    pub(crate) fn signed_text(&self, header: &Value, claims: &str) -> String {
        let message = format!("{}.{}", encoded(header.to_string()), encoded(claims));
        let signature = self.signature(message.as_bytes());
        format!("{message}.{}", encoded(signature))
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Pair::Ecdsa(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// base64url without padding (RFC 7515, 2).
pub(crate) fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A running issuer.
pub(crate) struct Issuer {
    site: Site,
    keys: Arc<Mutex<Vec<Value>>>,
}

impl Issuer {
    pub(crate) fn start(keys: &[&IssuerKey]) -> Self {
        Self::start_with(keys, |_| None)
    }

    /// One that answers otherwise where `answer` does.
    pub(crate) fn start_with(
        keys: &[&IssuerKey],
        answer: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let keys = Arc::new(Mutex::new(keys.iter().map(|key| key.public()).collect::<Vec<_>>()));
        let published = Arc::clone(&keys);
        let site = Site::start(move |asked| {
            let usual = || match asked.path.as_str() {
                "/.well-known/openid-configuration" => ok("application/json", metadata(asked).to_string()),
                "/keys" => ok("application/json", json!({ "keys": *published.lock().unwrap() }).to_string()),
                _ => status("404 Not Found"),
            };
            answer(asked).unwrap_or_else(usual)
        });
        Self { site, keys }
    }

    /// Publishes these keys and no others.
    pub(crate) fn publish(&self, keys: &[&IssuerKey]) {
        *self.keys.lock().unwrap() = keys.iter().map(|key| key.public()).collect();
    }

    /// The identifier.
    pub(crate) fn name(&self) -> String {
        self.site.url("")
    }

    /// How often the keys were asked for.
    pub(crate) fn fetches(&self) -> usize {
        self.site.count("/keys")
    }

    /// Good claims of a subject.
    pub(crate) fn claims(&self, subject: &str) -> Value {
        let now = now();
        json!({ "iss": self.name(), "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 600 })
    }
}

/// The metadata of the issuer that was asked.
pub(crate) fn metadata(asked: &Asked) -> Value {
    let name = format!("http://{}", asked.field("host").unwrap_or_default());
    json!({ "issuer": name, "jwks_uri": format!("{name}/keys") })
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// An RSA key of 2,048 bits, made for these tests (PKCS #1): the library for signatures makes none.
const RSA_KEY: &str = "\
MIIEowIBAAKCAQEArM8RAHP3OSST/pqEL4woXktJojmmyX/bqvWvoj9pgV7thkCgiLogjwCDp6SmpBO1J33VbMkFCQBxbwcDdZDi\
     dZQxC2Jmzmx5pATLmrH/6mVzyhyw/R4W6MfatprMlmr1dUU0t6L1r6QMBRjDvgllCfCOXV2Uy+5Y9x3DN/vPjwmc/UpGZDVTtrse\
     necBnqABn4sy6ZOKpwpPOlEhIylp68KCEzSNfyWSaCFRNOY9b3XNzTTb7RdmLfk3zig3ByNYt4ztws6aT+xbQiKUusop2tZMV8+A\
     Jf0D/Nd0aa6VpMnoErMvLYcmz7IuuEatFBNu8djczDf7w+jJ6cVBwWnQswIDAQABAoIBABexbkHTJIbLqpTiZ5RDUbeX9/kLkYAY\
     DSyz8cg7jIIl20gobTpB1rv0lJh0HTrqztAi0xPOved9jY/s9L72Re5cCptmevT7b3QbCjVkCVQAY+9GnsedjAOPfz/BGqLW+F+D\
     RRaWe7wAsHs0aYYRMK67sjE/5upM/BqplH4FAvC35R0pgZCCuuyCUnBsGKiAsoPsgCHPEysq0OrZtMmy3qWFtczwaDuQz3+6Bq6e\
     5fU9OsVrzznepMQaDRL+JnWGJe2aIZgZVySpwIsrFiQJfp2yeuAO1YG7QA9mkSjjlt6Ac5jOiecQWdGF9swkL/BNZExs+ThJiYl9\
     iI9A+Yg9hMECgYEA7QrEl3W2xzmb9KFHX1XTjhNwuiSVk8MMapoRZ9JiE1OZBbfSqp8+m6jHvqqPIHyvSe0VAA72/33wlUEdqtYF\
     eZdsvnvyZX0YpXw8YcjF7KZeVA7y7efGfxTXcacGh6bKBt+RjqSCkVb5mScmlhcDMMzD2jalGXlO1PyOhjiyOkECgYEAuqEtyL5P\
     CwHvzN+XRQwBHYDDiCjjNm5w5/urwV3k29F9HCex6SStOfDditRewq/f8UYssIdc6Sb1KCQTjUxLHZkCMWgyHLEu0PgnCMML3sEF\
     5Hfvmdkbjxn7lC0lcpMjKYPef3R7v4M9e4m34lMNWR288Tnpuj9Yf64/yMpJRfMCgYEAjPDFGWVVazmWwCqQ3F+UrTpj4VnVUgk8\
     PbojtT6DMAiZyKuW5/pNaJI/Sd/xwBhCxUrhHKrJM/p27NfNwwEEOlrNvqjF5JAv8l1fLakJ/f6hwYst6ETSYkdLHnl4SXnjT5jo\
     3A52z+IOAIEl0UIXlJF7tiidm/rj44HTYH0fg8ECgYBoXj6mZpb5hum93sRPnrj48MtoV8VI6VZGxV1107Zqn6qhlilOQm6FWofq\
     XX1ozsYjvaS8S9bPpDOxcQtmF2ZidPDfBHARz5xozH23zqvStItBCzl5Bgr9agBhCyZH/rTJQK+rA084+IHnlkq5TMzIK3NAS6zD\
     tS0eqimNdmKntQKBgGxNDx30PVhLkH7nQlYstVXrpsSniM05QQqjomWzfhEzaXKJw9ohCIYV8/gLEZ7X7lyaHObBv6SSkfsnQKez\
     dd7ExRs/7mEEtVP7hGKh0gzB94RjAKyU9NKLk1Kd4cvWNSZYHPVcInLdGLhpNWS7o1imPbn8pues+7Goz8e2iN0T\
";
