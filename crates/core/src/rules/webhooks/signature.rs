//! Signatures as Standard Webhooks has them: HMAC-SHA256 over id, time and body, with dots between.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

/// What a secret starts with where people see it.
pub const PREFIX: &str = "whsec_";

/// Octets of a block of SHA-256, which a key of HMAC fills (RFC 2104, section 2).
const BLOCK: usize = 64;

/// A secret that signs.
#[derive(Clone)]
pub struct SigningSecret([u8; BLOCK]);

impl SigningSecret {
    /// The secret of a text: `whsec_` and the key in base64. `None` for anything else, and for a key that is empty or
    /// longer than a block.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let key = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        let mut block = [0; BLOCK];
        block.get_mut(..key.len())?.copy_from_slice(&key);
        (!key.is_empty()).then_some(Self(block))
    }

    /// The signature of a delivery: `v1,` and the HMAC in base64.
    fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new(&self.0.into());
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The fields of a delivery that is made now: id, time and signatures, under the names of Standard Webhooks and under
/// those of Svix. While a secret rotates there are several, and a receiver that knows one of them is content.
#[must_use]
pub fn fields(secrets: &[SigningSecret], id: &str, now: OffsetDateTime, body: &[u8]) -> [(&'static str, String); 6] {
    let timestamp = now.unix_timestamp().to_string();
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(id, &timestamp, body)).collect();
    let signatures = signatures.join(" ");
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.clone()),
        ("webhook-signature", signatures.clone()),
        ("svix-id", id.to_owned()),
        ("svix-timestamp", timestamp),
        ("svix-signature", signatures),
    ]
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    /// The example in the documentation of Standard Webhooks and of Svix.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    #[test]
    fn the_published_example_comes_out() {
        let secret = SigningSecret::parse(SECRET).unwrap();
        let fields = fields(&[secret], ID, at(1_614_265_330), BODY);
        assert_eq!(
            fields.map(|(name, value)| format!("{name}: {value}")),
            [
                format!("webhook-id: {ID}"),
                "webhook-timestamp: 1614265330".to_owned(),
                format!("webhook-signature: {SIGNATURE}"),
                format!("svix-id: {ID}"),
                "svix-timestamp: 1614265330".to_owned(),
                format!("svix-signature: {SIGNATURE}"),
            ]
        );
    }

    #[test]
    fn two_secrets_sign_side_by_side() {
        let old = SigningSecret::parse(SECRET).unwrap();
        let new = SigningSecret::parse("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
        let [_, _, (_, both), ..] = fields(&[new.clone(), old], ID, at(1_614_265_330), BODY);
        let [_, _, (_, alone), ..] = fields(&[new], ID, at(1_614_265_330), BODY);
        assert_eq!(both, format!("{alone} {SIGNATURE}"));
        assert_ne!(alone, SIGNATURE);
    }

    #[test]
    fn every_part_is_signed() {
        let secret = [SigningSecret::parse(SECRET).unwrap()];
        let signature = |id, seconds, body| {
            let [_, _, (_, signature), ..] = fields(&secret, id, at(seconds), body);
            signature
        };
        let one = signature("a", 1, b"b");
        for other in [signature("b", 1, b"b"), signature("a", 2, b"b"), signature("a", 1, b"c")] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn what_is_no_secret_signs_nothing() {
        let long = format!("whsec_{}", STANDARD.encode([1; BLOCK + 1]));
        for text in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!", "whsec_A", &long] {
            assert!(SigningSecret::parse(text).is_none(), "{text}");
        }
        assert!(SigningSecret::parse(&format!("whsec_{}", STANDARD.encode([1; BLOCK]))).is_some());
    }
}
