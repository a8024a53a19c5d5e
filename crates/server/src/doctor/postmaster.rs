//! The inbox for mail to `postmaster@` and `abuse@`.

use super::Finding;
use crate::config::{Config, Delivery};

const CHECK: &str = "postmaster";

/// Returns a warning where mail leaves for the internet and nothing takes mail to its postmaster (RFC 5321, section 4.5.1).
pub(super) fn examine(config: &Config) -> Option<Finding> {
    match (&config.delivery, &config.postmaster) {
        (Delivery::Capture, None) => None,
        (_, Some(inbox)) => Some(Finding::ok(CHECK, format!("mail to postmaster@ and abuse@ goes to {inbox}"))),
        (Delivery::Relay(_) | Delivery::Direct { .. }, None) => Some(Finding::warn(
            CHECK,
            format!("mail to postmaster@{} is refused, which RFC 5321 forbids", config.domain),
            "set INBOXD_POSTMASTER to the address of an inbox of this service",
        )),
    }
}
