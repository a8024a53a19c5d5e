//! The proof that it is Stripe who tells: `Stripe-Signature: t=1492774577,v1=5257a8…`, an HMAC-SHA256 over the time, a
//! dot and the body as it came. While the secret is being changed there is a `v1` for the old and one for the new.

use hmac::{Hmac, KeyInit, Mac};
use inboxd_core::ports::NoticeError;
use inboxd_core::rules::signing::same;
use sha2::Sha256;
use time::OffsetDateTime;

/// How far the time of a signature may be from now, in seconds: whoever records a notice can bring it again only so long.
const TOLERANCE: u64 = 300;
/// The longest header that is read, in octets.
const LONGEST: usize = 4_096;

/// Refuses a body that the holder of the secret did not sign within these minutes.
pub(crate) fn verify(
    secret: &str,
    signature: Option<&str>,
    body: &[u8],
    now: OffsetDateTime,
) -> Result<(), NoticeError> {
    let unproven = |reason: &str| NoticeError::Unproven(reason.to_owned());
    let header = signature.ok_or_else(|| unproven("the request carries no header `Stripe-Signature`"))?;
    let no_signature = || unproven("the header `Stripe-Signature` is no `t=…,v1=…`");
    if header.len() > LONGEST {
        return Err(no_signature());
    }
    let values = |wanted: &'static str| {
        let pairs = header.split(',').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(move |(name, _)| *name == wanted).map(|(_, value)| value)
    };
    let signed_at = values("t").next().filter(|digits| digits.bytes().all(|c| c.is_ascii_digit()));
    let seconds: i64 = signed_at.and_then(|digits| digits.parse().ok()).ok_or_else(no_signature)?;
    let mut signatures = values("v1").filter_map(octets).peekable();
    if signatures.peek().is_none() {
        return Err(no_signature());
    }
    let expected = mac(secret, signed_at.unwrap_or_default(), body).ok_or_else(no_signature)?;
    // Every one is compared, so that the time it takes tells nothing.
    let is_signed = signatures.fold(false, |found, given| found | same(&given, &expected));
    if !is_signed {
        return Err(unproven("the signature does not fit the body and the webhook secret"));
    }
    if now.unix_timestamp().abs_diff(seconds) > TOLERANCE {
        return Err(unproven("the signature was made more than 5 minutes from now"));
    }
    Ok(())
}

fn mac(secret: &str, signed_at: &str, body: &[u8]) -> Option<[u8; 32]> {
    // A key may have any length, so that this never fails.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(signed_at.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac.finalize().into_bytes().into())
}

/// The 32 octets of 64 hex digits.
fn octets(hex: &str) -> Option<[u8; 32]> {
    if hex.len() != 64 {
        return None;
    }
    let mut octets = [0; 32];
    for (octet, digits) in octets.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
        *octet = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(octets)
}
