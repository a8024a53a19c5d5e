//! Spam checks of authentication results.
//!
//! Failed authentication has a label of its own; here it only adds to other signals.

use super::signal::SpamSignal;
use crate::model::AuthResult;
use crate::ports::SuspectMail;

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let Some(found) = mail.authentication else { return Vec::new() };
    let spf = match found.spf {
        AuthResult::Fail => SpamSignal::when(true, "SPF_FAIL", 1.5, "its client may not send for the domain it names"),
        AuthResult::SoftFail => {
            SpamSignal::when(true, "SPF_SOFTFAIL", 0.5, "its client should not send for the domain")
        }
        _ => None,
    };
    let dkim = found.dkim == AuthResult::Fail;
    let dkim = SpamSignal::when(dkim, "DKIM_BROKEN", 0.5, "none of its signatures holds");
    let dmarc = match found.dmarc {
        AuthResult::Fail => SpamSignal::when(true, "DMARC_FAIL", 1.5, "the domain of its sender does not vouch for it"),
        AuthResult::Pass => SpamSignal::when(true, "DMARC_PASS", -0.5, "the domain of its sender vouches for it"),
        _ => None,
    };
    [spf, dkim, dmarc].into_iter().flatten().collect()
}
