//! How much of what strangers write is verified.
//!
//! The library looks at every field for every name that a signature lists, in time that grows with the product of the
//! two, and hashes the fields again for every signature and every seal. What is beyond these bounds is no mail that
//! anybody writes.

use mail_auth::AuthenticatedMessage;
use mail_auth::common::to_a_label;

/// How many fields a mail has at most for its signatures to be looked at.
const MOST_FIELDS: usize = 2000;
/// The largest header, in octets.
const LARGEST_HEADER: usize = 1024 * 1024;
/// The longest signature, seal or list of results, in octets.
const LONGEST_VALUE: usize = 16 * 1024;
/// The longest name that is written as A-labels, in octets; DNS knows none that is longer.
const LONGEST_NAME: usize = 1024;
/// How many names a signature lists at most.
const MOST_NAMES: usize = 100;

/// Whether there is too much in the header for any signature to be looked at.
pub(super) fn is_crowded(message: &AuthenticatedMessage<'_>) -> bool {
    message.headers.len() > MOST_FIELDS || message.body_offset() > LARGEST_HEADER
}

/// Whether the value of a field is longer than is looked at.
pub(super) fn is_long(value: &[u8]) -> bool {
    value.len() > LONGEST_VALUE
}

/// Whether a signature lists more names than are looked for.
pub(super) fn is_much(names: &[String]) -> bool {
    names.len() > MOST_NAMES
}

/// A name as DNS has it: in lower case, as A-labels. What cannot be one is left as it is.
pub(super) fn dns_name(name: &str) -> String {
    if name.len() > LONGEST_NAME { name.to_owned() } else { to_a_label(name).into_owned() }
}
