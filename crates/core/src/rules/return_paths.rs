//! Return paths: addresses that only a report about one mail can come back to (`wire.md`, section 5).

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::signing::{SigningKey, same};
use crate::model::OutgoingId;

/// What the signature is good for.
const PURPOSE: &str = "return path";
/// Octets of the signature; each is two digits.
const SIGNATURE: usize = 8;

/// What stands before the `@` of a mail's return path: its id, and a signature that nobody else can make.
#[must_use]
pub fn local_part(key: &SigningKey, outgoing_id: OutgoingId) -> String {
    format!("b-{}-{:016x}", outgoing_id.0.simple(), signature(key, outgoing_id))
}

/// The mail whose return path this is, whatever its domain; `None` where the signature is not ours.
#[must_use]
pub fn outgoing_of(key: &SigningKey, address: &EmailAddress) -> Option<OutgoingId> {
    let normalized = address.normalized();
    let (local, _) = normalized.rsplit_once('@')?;
    let (id, given) = local.strip_prefix("b-")?.split_once('-')?;
    let outgoing_id: OutgoingId = Uuid::try_parse(id).ok()?.into();
    let expected = local_part(key, outgoing_id);
    let is_signed = given.len() == SIGNATURE * 2 && same(local.as_bytes(), expected.as_bytes());
    is_signed.then_some(outgoing_id)
}

/// An id that is older than those of all mails that were queued at this time or later: ids begin with their milliseconds
/// (RFC 9562, section 5.7).
#[must_use]
pub fn first_id_of(time: OffsetDateTime) -> OutgoingId {
    let milliseconds = u128::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
    Uuid::from_u128(milliseconds << 80).into()
}

fn signature(key: &SigningKey, outgoing_id: OutgoingId) -> u64 {
    let mac = key.mac(PURPOSE, &[outgoing_id.0.as_bytes()]);
    mac.iter().take(SIGNATURE).fold(0, |number, octet| number << 8 | u64::from(*octet))
}
