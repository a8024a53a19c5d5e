//! Signature check of Stripe events.
//!
//! `Stripe-Signature: t=1492774577,v1=5257a8…` is an HMAC-SHA256 over time, a dot and the unmodified body. While the
//! secret is replaced, the header has one `v1` for the old and one for the new secret.

use hmac::{Hmac, KeyInit, Mac};
use inboxd_core::ports::NoticeError;
use inboxd_core::rules::signing::same;
use sha2::Sha256;
use time::OffsetDateTime;

/// Largest difference between signature time and now, in seconds. It bounds the replay of a recorded event.
const TIMESTAMP_TOLERANCE_SECONDS: u64 = 300;
/// Limit of the header value.
const MAX_HEADER_BYTES: usize = 4_096;

/// Verifies that the holder of the secret signed the body within the last five minutes.
///
/// # Errors
/// [`NoticeError::Unproven`] when the header is missing or malformed, or no signature matches in time.
pub(crate) fn verify(
    secret: &str,
    signature: Option<&str>,
    body: &[u8],
    now: OffsetDateTime,
) -> Result<(), NoticeError> {
    let unproven = |reason: &str| NoticeError::Unproven(reason.to_owned());
    let header = signature.ok_or_else(|| unproven("the request has no header `Stripe-Signature`"))?;
    let no_signature = || unproven("the header `Stripe-Signature` is not `t=…,v1=…`");
    if header.len() > MAX_HEADER_BYTES {
        return Err(no_signature());
    }
    let values = |wanted: &'static str| {
        let pairs = header.split(',').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(move |(name, _)| *name == wanted).map(|(_, value)| value)
    };
    let signed_at = values("t").next().filter(|digits| digits.bytes().all(|c| c.is_ascii_digit()));
    let seconds: i64 = signed_at.and_then(|digits| digits.parse().ok()).ok_or_else(no_signature)?;
    let mut signatures = values("v1").filter_map(decode_hex).peekable();
    if signatures.peek().is_none() {
        return Err(no_signature());
    }
    let expected = mac(secret, signed_at.unwrap_or_default(), body).ok_or_else(no_signature)?;
    // All signatures are compared, so that the duration reveals nothing.
    let is_signed = signatures.fold(false, |found, given| found | same(&given, &expected));
    if !is_signed {
        return Err(unproven("the signature does not match the body and the webhook secret"));
    }
    if now.unix_timestamp().abs_diff(seconds) > TIMESTAMP_TOLERANCE_SECONDS {
        return Err(unproven("the signature was made more than 5 minutes from now"));
    }
    Ok(())
}

fn mac(secret: &str, signed_at: &str, body: &[u8]) -> Option<[u8; 32]> {
    // HMAC accepts keys of any length, so this never fails.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(signed_at.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac.finalize().into_bytes().into())
}

/// Decodes 64 hexadecimal digits into 32 bytes.
fn decode_hex(hex: &str) -> Option<[u8; 32]> {
    if hex.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, digits) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}
