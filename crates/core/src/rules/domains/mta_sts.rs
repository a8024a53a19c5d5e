//! The MTA-STS policy of this service (RFC 8461).

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::model::StsMode;

/// Path of the policy at its host (section 3.3).
pub const POLICY_PATH: &str = "/.well-known/mta-sts.txt";
/// Lifetime of the policy in seconds: a week, as section 3.2 recommends at least.
const MAX_AGE_SECONDS: u32 = 604_800;

/// Returns the host that serves the policy of a domain (section 3.3).
#[must_use]
pub fn policy_host(domain: &str) -> String {
    format!("mta-sts.{domain}")
}

/// Returns the policy of domains with one MX host.
#[must_use]
pub fn policy(mode: StsMode, mx_host: &str) -> String {
    format!("version: STSv1\r\nmode: {}\r\nmx: {mx_host}\r\nmax_age: {MAX_AGE_SECONDS}\r\n", mode.as_str())
}

/// Returns the value of the TXT record at `_mta-sts` of a domain (section 3.1). Its id changes with the policy.
#[must_use]
pub fn record(policy: &str) -> String {
    let digest = Sha256::digest(policy.as_bytes());
    let id = digest.iter().take(8).fold(String::with_capacity(16), |mut id, byte| {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
        id
    });
    format!("v=STSv1; id={id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_changes_with_policy_only() {
        let testing = policy(StsMode::Testing, "mail.example.org");
        assert_eq!(testing, "version: STSv1\r\nmode: testing\r\nmx: mail.example.org\r\nmax_age: 604800\r\n");
        assert_eq!(record(&testing), record(&testing));
        assert_ne!(record(&testing), record(&policy(StsMode::Enforce, "mail.example.org")));
        let id = record(&testing).replace("v=STSv1; id=", "");
        assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    }
}
