//! MTA-STS policies of domains (RFC 8461).

use time::{Duration, OffsetDateTime};

use super::string_enum::string_enum;

string_enum! {
    /// Mode of a policy (RFC 8461, section 5).
    StsMode {
        /// Messages wait until a host satisfies the policy.
        Enforce = "enforce",
        /// Violations are only logged.
        Testing = "testing",
        /// The domain has withdrawn its policy.
        None = "none",
    }
}

/// Age at which a policy is fetched again, long before it expires (RFC 8461, section 3.3).
const REFRESH_INTERVAL: Duration = Duration::hours(24);

/// A fetched policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StsPolicy {
    /// Id in its TXT record.
    pub id: String,
    /// Mode of the policy.
    pub mode: StsMode,
    /// Permitted hosts: names, or `*.` and a name that follows one label.
    pub hosts: Vec<String>,
    /// Time of the fetch.
    pub fetched_at: OffsetDateTime,
    /// Lifetime from the fetch.
    pub max_age: Duration,
}

impl StsPolicy {
    /// Returns the expiry.
    #[must_use]
    pub fn expires_at(&self) -> OffsetDateTime {
        self.fetched_at.saturating_add(self.max_age)
    }

    /// Returns whether the policy is in force.
    #[must_use]
    pub fn is_valid(&self, now: OffsetDateTime) -> bool {
        now < self.expires_at()
    }

    /// Returns whether the policy must be fetched again although its id is unchanged. A fetch time in the future comes
    /// from a wrong clock.
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

    /// Returns the size of its texts in bytes.
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
