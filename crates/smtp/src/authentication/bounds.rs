//! Limits of header content that is verified.
//!
//! The library compares every field with every name of a signature, so its time grows with their product. It also
//! hashes the fields again for every signature and seal. No legitimate message exceeds these limits.

use mail_auth::AuthenticatedMessage;
use mail_auth::common::to_a_label;

/// Number of header fields up to which signatures are verified.
const MAX_HEADER_FIELDS: usize = 2000;
/// Size of the header.
const MAX_HEADER_BYTES: usize = 1024 * 1024;
/// Length of a signature, seal or results field.
const MAX_VALUE_BYTES: usize = 16 * 1024;
/// Length of a name that is converted to A-labels. Names of DNS are shorter.
const MAX_NAME_BYTES: usize = 1024;
/// Number of field names in one signature.
const MAX_SIGNED_NAMES: usize = 100;

/// Returns whether the header is too large for verification.
pub(super) fn has_oversized_header(message: &AuthenticatedMessage<'_>) -> bool {
    message.headers.len() > MAX_HEADER_FIELDS || message.body_offset() > MAX_HEADER_BYTES
}

/// Returns whether a field value is too long for verification.
pub(super) fn is_oversized_value(value: &[u8]) -> bool {
    value.len() > MAX_VALUE_BYTES
}

/// Returns whether a signature lists too many field names.
pub(super) fn has_too_many_names(names: &[String]) -> bool {
    names.len() > MAX_SIGNED_NAMES
}

/// Returns a name as in DNS: lower case, as A-labels. A name that cannot be converted stays unchanged.
pub(super) fn dns_name(name: &str) -> String {
    if name.len() > MAX_NAME_BYTES { name.to_owned() } else { to_a_label(name).into_owned() }
}
