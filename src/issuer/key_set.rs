//! The keys of an issuer (RFC 7517).

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;

/// The most keys of an issuer. The rest is ignored: real issuers have a handful.
const MAX_KEYS: usize = 64;

/// The keys with which an issuer signs.
#[derive(Default)]
pub(super) struct KeySet {
    keys: Vec<IssuerKey>,
}

struct IssuerKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl KeySet {
    /// Parses a JWK Set (RFC 7517, 5). Keys for other uses or algorithms are left out. `None` if it is not a JWK Set.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let set = serde_json::from_slice::<Value>(bytes).ok()?;
        let keys = set.get("keys")?.as_array()?.iter().take(MAX_KEYS);
        Some(Self { keys: keys.filter_map(|key| IssuerKey::parse(key.clone())).collect() })
    }

    /// The key of `id`, or without one the only key of `algorithm`.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut suitable = self.keys.iter().filter(|key| key.algorithm == algorithm);
        match id {
            Some(_) => suitable.find(|key| key.id.as_deref() == id).map(|key| &key.key),
            None => match (suitable.next(), suitable.next()) {
                (Some(only), None) => Some(&only.key),
                _ => None,
            },
        }
    }
}

impl IssuerKey {
    fn parse(key: Value) -> Option<Self> {
        let key = serde_json::from_value::<Jwk>(key).ok()?;
        let algorithm = algorithm_of(&key)?;
        let is_for_signatures = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature));
        let parsed = DecodingKey::from_jwk(&key).ok().filter(|_| is_for_signatures)?;
        Some(Self { id: key.common.key_id, algorithm, key: parsed })
    }
}

/// The algorithm of a key, by its type and curve. `None` if it is not accepted, or the key names another.
fn algorithm_of(key: &Jwk) -> Option<Algorithm> {
    let (algorithm, name) = match &key.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(curve) if curve.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(curve) if curve.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
        }
        _ => return None,
    };
    key.common.key_algorithm.is_none_or(|named| named == name).then_some(algorithm)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use serde_json::json;

    fn set(keys: &Value) -> KeySet {
        KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
    }

    fn rsa(id: Option<&str>) -> Value {
        json!({ "kty": "RSA", "kid": id, "n": "AQAB", "e": "AQAB" })
    }

    #[test]
    fn keys_are_found_by_id_and_algorithm() {
        let keys = set(&json!([rsa(Some("a")), rsa(Some("b"))]));
        assert!(keys.find(Some("a"), Algorithm::RS256).is_some());
        for (id, algorithm) in [(Some("c"), Algorithm::RS256), (Some("a"), Algorithm::ES256), (None, Algorithm::RS256)]
        {
            assert!(keys.find(id, algorithm).is_none(), "{id:?} {algorithm:?}");
        }
        assert!(set(&json!([rsa(None)])).find(None, Algorithm::RS256).is_some(), "the only one");
    }

    #[test]
    fn keys_for_anything_else_are_left_out() {
        let with = |name: &str, value: &str| {
            let mut key = rsa(Some("a"));
            key.as_object_mut().unwrap().insert(name.to_owned(), json!(value));
            key
        };
        for other in [
            with("use", "enc"),
            with("alg", "HS256"),
            with("alg", "RS512"),
            with("n", "not base64!"),
            json!({ "kty": "oct", "kid": "a", "k": "AQAB" }),
            json!({ "kty": "EC", "kid": "a", "crv": "P-521", "x": "AQAB", "y": "AQAB" }),
            json!("a"),
            json!(null),
        ] {
            assert!(set(&json!([other])).keys.is_empty(), "{other}");
        }
    }

    #[test]
    fn a_set_is_bounded_and_anything_else_is_none() {
        let many = (0..MAX_KEYS + 1).map(|id| rsa(Some(&id.to_string()))).collect::<Vec<_>>();
        let keys = set(&json!(many));
        assert!(keys.find(Some(&(MAX_KEYS - 1).to_string()), Algorithm::RS256).is_some());
        assert!(keys.find(Some(&MAX_KEYS.to_string()), Algorithm::RS256).is_none());
        for text in ["", "[]", "{}", r#"{"keys":{}}"#, "\0"] {
            assert!(KeySet::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
