//! MTA-STS policies of destination domains (RFC 8461).
//!
//! A policy is stored for its maximum age and fetched again when its DNS id changes, and at intervals. While DNS and
//! the web are unreachable, the stored policy stays in force, so an attacker that blocks both cannot force plain text.
//! All processes of a database share the policies, and a restart loses none.

mod cache;
mod policy;

use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{Clock, Dns as _, Lookup, StoreError, StsPolicyStore};
use time::OffsetDateTime;

use crate::dns::DnsResolver;

use self::cache::StsCache;

pub(super) use policy::policy_violation;

/// Fetches policy files over HTTPS.
#[async_trait]
pub trait StsPolicyFetch: Send + Sync {
    /// Fetches the file at a URL: at most 64 KB, within a bounded time and without redirects. The host must present a
    /// valid certificate (RFC 8461, section 3.3).
    ///
    /// # Errors
    /// The reason as text.
    async fn fetch(&self, url: &str) -> Result<String, String>;
}

/// Returns whether a text is a valid policy file.
#[must_use]
pub fn is_sts_policy(text: &str) -> bool {
    policy::parse_policy(text, "", OffsetDateTime::UNIX_EPOCH).is_some()
}

/// Sources of policies.
#[derive(Clone)]
pub struct StsPolicySources {
    /// Fetches policies over HTTPS.
    pub fetch: Arc<dyn StsPolicyFetch>,
    /// Stores policies for all processes.
    pub store: Arc<dyn StsPolicyStore>,
    /// Clock for their expiry.
    pub clock: Arc<dyn Clock>,
}

/// Policies of all domains.
pub(super) struct StsPolicies {
    resolver: Arc<DnsResolver>,
    fetch: Arc<dyn StsPolicyFetch>,
    clock: Arc<dyn Clock>,
    cached: StsCache,
}

impl StsPolicies {
    pub(super) fn new(resolver: Arc<DnsResolver>, sources: StsPolicySources) -> Self {
        let StsPolicySources { fetch, store, clock } = sources;
        Self { resolver, fetch, clock, cached: StsCache::new(store) }
    }

    /// Returns the policy of a domain, if it has one.
    ///
    /// # Errors
    /// [`StoreError`] when the store fails. The existence of a policy is unknown then, and delivery without it could be
    /// a downgrade.
    pub(super) async fn policy(&self, domain: &str) -> Result<Option<Arc<StsPolicy>>, StoreError> {
        let now = self.clock.now();
        let entry = self.cached.load(domain, now).await?;
        let known = entry.policy.clone().filter(|policy| policy.is_valid(now));
        let Some(id) = self.id(domain).await else { return Ok(known) };
        let is_fresh = known.as_ref().is_some_and(|policy| policy.id == id && !policy.needs_refresh(now));
        if is_fresh || entry.is_paused(now) {
            return Ok(known);
        }
        let url = format!("https://mta-sts.{domain}/.well-known/mta-sts.txt");
        let read = self.fetch.fetch(&url).await;
        let parse =
            |text: String| policy::parse_policy(&text, &id, now).ok_or_else(|| "the policy is not valid".to_owned());
        match read.and_then(parse) {
            Ok(policy) => Ok(Some(self.cached.save(domain, policy, now).await?)),
            Err(why) => {
                tracing::warn!(domain, why, "MTA-STS policy fetch failed");
                // Another task may have fetched the policy meanwhile.
                let entry = self.cached.insert(domain, &entry.failed(now));
                Ok(entry.policy.filter(|policy| policy.is_valid(now)))
            }
        }
    }

    /// Returns the id of the current policy. Returns `None` without a record, with several records, or without a
    /// response.
    async fn id(&self, domain: &str) -> Option<String> {
        let Lookup::Found(texts) = self.resolver.txt(&format!("_mta-sts.{domain}")).await else { return None };
        let mut ids = texts.iter().filter(|text| text.starts_with("v=STSv1")).map(|text| policy::record_id(text));
        let only = ids.next()?;
        if ids.next().is_some() { None } else { only.map(ToOwned::to_owned) }
    }
}
