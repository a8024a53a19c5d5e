//! Commands that change nothing: NOOP, HELP, VRFY (RFC 5321 sections 4.1.1.6 to 4.1.1.9), and those not offered.

use super::reply::Reply;

pub(super) fn noop() -> Reply {
    Reply::Done
}

pub(super) fn help() -> Reply {
    Reply::Help
}

/// Whoever wants to know whether an address exists has to say who is writing to it (RFC 5321 section 7.3).
pub(super) fn verify() -> Reply {
    Reply::CannotVerify
}

pub(super) fn not_offered(verb: &'static str) -> Reply {
    Reply::NotOffered { verb }
}
