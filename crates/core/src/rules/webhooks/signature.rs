//! Webhook signatures (Standard Webhooks): HMAC-SHA256 over id, time and body, separated by dots.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

use crate::model::WebhookSecret;

/// Block size of SHA-256 in bytes, to which HMAC pads a short key with zeros (RFC 2104, section 2).
const HMAC_BLOCK_BYTES: usize = 64;

/// Returns the header fields of a delivery: id, time and signatures, under the names of Standard Webhooks and of Svix.
/// During a rotation there is one signature for each secret, and a receiver needs only one of them.
#[must_use]
pub fn fields(secrets: &[WebhookSecret], id: &str, now: OffsetDateTime, body: &[u8]) -> [(&'static str, String); 6] {
    let timestamp = now.unix_timestamp().to_string();
    let signatures: Vec<String> = secrets.iter().map(|secret| sign(block(secret), id, &timestamp, body)).collect();
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

fn block(secret: &WebhookSecret) -> [u8; HMAC_BLOCK_BYTES] {
    let mut block = [0; HMAC_BLOCK_BYTES];
    block[..32].copy_from_slice(secret.key());
    block
}

fn sign(key: [u8; HMAC_BLOCK_BYTES], id: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new(&key.into());
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(part);
    }
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    fn secret(byte: u8) -> WebhookSecret {
        WebhookSecret::from_random([byte; 32])
    }

    #[test]
    fn published_example_is_reproduced() {
        // Test vector from the documentation of Svix, the origin of Standard Webhooks; its key is shorter than ours.
        let mut key = [0; HMAC_BLOCK_BYTES];
        key[..24].copy_from_slice(&STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let signed = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn fields_are_equal_under_both_names() {
        let fields = fields(&[secret(1)], "evt_1", at(1_614_265_330), b"{}");
        let signature = sign(block(&secret(1)), "evt_1", "1614265330", b"{}");
        assert_eq!(
            fields.map(|(name, value)| format!("{name}: {value}")),
            [
                "webhook-id: evt_1".to_owned(),
                "webhook-timestamp: 1614265330".to_owned(),
                format!("webhook-signature: {signature}"),
                "svix-id: evt_1".to_owned(),
                "svix-timestamp: 1614265330".to_owned(),
                format!("svix-signature: {signature}"),
            ]
        );
    }

    #[test]
    fn several_secrets_sign_side_by_side() {
        let signature = |secrets: &[WebhookSecret]| {
            let [_, _, (_, signature), ..] = fields(secrets, "evt_1", at(1), b"{}");
            signature
        };
        let (new, old) = (signature(&[secret(1)]), signature(&[secret(2)]));
        assert_eq!(signature(&[secret(1), secret(2)]), format!("{new} {old}"));
        assert_ne!(new, old);
    }

    #[test]
    fn every_part_is_signed() {
        let signature = |id, seconds, body| {
            let [_, _, (_, signature), ..] = fields(&[secret(1)], id, at(seconds), body);
            signature
        };
        let one = signature("a", 1, b"b");
        for other in [signature("b", 1, b"b"), signature("a", 2, b"b"), signature("a", 1, b"c")] {
            assert_ne!(one, other);
        }
    }
}
