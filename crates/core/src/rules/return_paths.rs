//! Return paths: signed addresses that receive the reports about one message (`wire.md`, section 5).

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::signing::{SigningKey, same};
use crate::model::OutgoingId;

/// Purpose of the signature.
const PURPOSE: &str = "return path";
/// Length of the signature in bytes; each is two hexadecimal digits.
const SIGNATURE_BYTES: usize = 8;

/// Returns the local part of a return path: the id of the message and a signature that only this service can create.
#[must_use]
pub fn local_part(key: &SigningKey, outgoing_id: OutgoingId) -> String {
    format!("b-{}-{:016x}", outgoing_id.0.simple(), signature(key, outgoing_id))
}

/// Returns the message of a return path at any domain; `None` for an invalid signature.
#[must_use]
pub fn outgoing_of(key: &SigningKey, address: &EmailAddress) -> Option<OutgoingId> {
    let normalized = address.normalized();
    let (local, _) = normalized.rsplit_once('@')?;
    let (id, given) = local.strip_prefix("b-")?.split_once('-')?;
    let outgoing_id: OutgoingId = Uuid::try_parse(id).ok()?.into();
    let expected = local_part(key, outgoing_id);
    let is_signed = given.len() == SIGNATURE_BYTES * 2 && same(local.as_bytes(), expected.as_bytes());
    is_signed.then_some(outgoing_id)
}

/// Returns the lower bound of the ids of all messages that were queued at or after this time: ids begin with their
/// milliseconds (RFC 9562, section 5.7).
#[must_use]
pub fn first_id_of(time: OffsetDateTime) -> OutgoingId {
    let milliseconds = u128::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
    Uuid::from_u128(milliseconds << 80).into()
}

fn signature(key: &SigningKey, outgoing_id: OutgoingId) -> u64 {
    let mac = key.mac(PURPOSE, &[outgoing_id.0.as_bytes()]);
    mac.iter().take(SIGNATURE_BYTES).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
