//! MTA-STS policy (RFC 8461) of a domain, as it was fetched.

use time::{Duration, OffsetDateTime};

use super::words::words;

words! {
    /// How strictly a policy applies (RFC 8461, section 5).
    StsMode {
        /// Mail waits until a host satisfies the policy.
        Enforce = "enforce",
        /// A violation is logged only.
        Testing = "testing",
        /// The domain has withdrawn its policy.
        None = "none",
    }
}

/// Age at which a policy is fetched again, long before it expires (RFC 8461, section 3.3).
const REFRESH_INTERVAL: Duration = Duration::hours(24);

/// A policy and when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StsPolicy {
    /// The id of its TXT record.
    pub id: String,
    /// How strictly it applies.
    pub mode: StsMode,
    /// The hosts that may receive the mail: names, or `*.` and what follows one label.
    pub hosts: Vec<String>,
    /// When it was fetched.
    pub fetched_at: OffsetDateTime,
    /// When it expires, counted from then.
    pub max_age: Duration,
}

impl StsPolicy {
    /// Returns when it expires.
    #[must_use]
    pub fn expires_at(&self) -> OffsetDateTime {
        self.fetched_at.saturating_add(self.max_age)
    }

    /// Returns whether it is in force.
    #[must_use]
    pub fn is_valid(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at()
    }

    /// Returns whether it has to be fetched again although its id is unchanged. A policy of the future is one of a clock
    /// that was wrong.
    #[must_use]
    pub fn needs_refresh(&self, now: OffsetDateTime) -> bool {
        let age = now - self.fetched_at;
        age.is_negative() || age >= REFRESH_INTERVAL.min(self.max_age / 2)
    }

    /// Returns whether hosts need a valid certificate.
    #[must_use]
    pub fn is_enforced(&self) -> bool {
        self.mode == StsMode::Enforce
    }

    /// Returns how many bytes its texts take.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.id.len() + self.hosts.iter().map(String::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_before_expiry_is_refreshed_and_valid() {
        let fetched_at = OffsetDateTime::UNIX_EPOCH;
        for (max_age, refresh) in [(3600, 1800), (604_800, 86_400)] {
            let policy = StsPolicy {
                id: "1".to_owned(),
                mode: StsMode::Enforce,
                hosts: vec!["a.example".to_owned()],
                fetched_at,
                max_age: Duration::seconds(max_age),
            };
            let table = [
                (-1, true, true),
                (0, false, true),
                (refresh - 1, false, true),
                (refresh, true, true),
                (max_age - 1, true, true),
                (max_age, true, false),
            ];
            for (age, needs_refresh, is_valid) in table {
                let now = fetched_at + Duration::seconds(age);
                let found = (policy.needs_refresh(now), policy.is_valid(now));
                assert_eq!(found, (needs_refresh, is_valid), "{max_age} {age}");
            }
        }
    }
}
