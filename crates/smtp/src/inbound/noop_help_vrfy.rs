//! Commands without effect: NOOP, HELP, VRFY (RFC 5321, sections 4.1.1.6 to 4.1.1.9), and those not offered.

use super::reply::Reply;

pub(super) fn noop() -> Reply {
    Reply::Done
}

pub(super) fn help() -> Reply {
    Reply::Help
}

/// Handles VRFY. The reply does not reveal whether an address exists (RFC 5321, section 7.3).
pub(super) fn verify() -> Reply {
    Reply::CannotVerify
}

pub(super) fn not_offered(verb: &'static str) -> Reply {
    Reply::NotOffered { verb }
}
