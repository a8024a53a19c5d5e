//! Check of the mail to `postmaster@` and `abuse@`.

use super::Finding;
use crate::config::{Config, Delivery};

const CHECK: &str = "postmaster";

/// Returns the destination of mail to the postmaster, which every mail server must accept (RFC 5321, section 4.5.1).
pub(crate) fn examine(config: &Config) -> Option<Finding> {
    match (&config.delivery, &config.postmaster) {
        (Delivery::Capture, None) => None,
        (_, Some(address)) => Some(Finding::ok(CHECK, format!("mail to postmaster@ and abuse@ goes to {address}"))),
        (Delivery::Relay(_) | Delivery::Direct { .. }, None) => Some(Finding::ok(
            CHECK,
            "mail to postmaster@ and abuse@ is held; `inboxd admin postmaster list` shows it, and INBOXD_POSTMASTER sets a \
             destination"
                .to_owned(),
        )),
    }
}
