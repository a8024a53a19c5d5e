//! MTA-STS (RFC 8461): domains that have their mail brought under TLS only, and say so over HTTPS.
//!
//! A policy is kept for as long as it says, and asked for again when the id in DNS has changed, and once in a while. While neither DNS nor the
//! web answers, the one that is kept still holds: whoever can silence them cannot have the mail in the clear. All processes
//! of a database share the policies, and a restart forgets none.

mod cache;
mod policy;

use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{Clock, Dns as _, Lookup, StoreError, StsPolicyStore};
use time::OffsetDateTime;

use crate::dns::Resolver;

use self::cache::CachedPolicies;

pub(super) use policy::objection;

/// Reads the policy of a domain over HTTPS.
#[async_trait]
pub trait PolicyFetch: Send + Sync {
    /// Reads the file at a URL: at most 64 KB, within a bounded time, from the host that the URL names and that proves it
    /// by its certificate, following no redirect (RFC 8461, section 3.3).
    ///
    /// # Errors
    /// Why it was not read, in words.
    async fn fetch(&self, url: &str) -> Result<String, String>;
}

/// Whether a text is a policy.
#[must_use]
pub fn is_sts_policy(text: &str) -> bool {
    policy::parse_policy(text, "", OffsetDateTime::UNIX_EPOCH).is_some()
}

/// Where policies come from and are kept.
#[derive(Clone)]
pub struct PolicySources {
    /// Fetches them from the web.
    pub fetch: Arc<dyn PolicyFetch>,
    /// Keeps them for all processes.
    pub store: Arc<dyn StsPolicyStore>,
    /// Says when they expire.
    pub clock: Arc<dyn Clock>,
}

/// The policies of all domains.
pub(super) struct Sts {
    resolver: Arc<Resolver>,
    fetch: Arc<dyn PolicyFetch>,
    clock: Arc<dyn Clock>,
    cached: CachedPolicies,
}

impl Sts {
    pub(super) fn new(resolver: Arc<Resolver>, sources: PolicySources) -> Self {
        let PolicySources { fetch, store, clock } = sources;
        Self { resolver, fetch, clock, cached: CachedPolicies::new(store) }
    }

    /// Returns the policy of a domain, if it has one.
    ///
    /// # Errors
    /// When storage fails: whether there is a policy is unknown then, and mail without it could be a downgrade.
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
            |text: String| policy::parse_policy(&text, &id, now).ok_or_else(|| "it is not a valid policy".to_owned());
        match read.and_then(parse) {
            Ok(policy) => Ok(Some(self.cached.save(domain, policy, now).await?)),
            Err(why) => {
                tracing::warn!(domain, why, "the MTA-STS policy of a domain could not be read");
                // A task beside this one may have fetched it meanwhile.
                let entry = self.cached.insert(domain, &entry.failed(now));
                Ok(entry.policy.filter(|policy| policy.is_valid(now)))
            }
        }
    }

    /// The id of the newest policy; `None` where there is no record, more than one, or no answer.
    async fn id(&self, domain: &str) -> Option<String> {
        let Lookup::Found(texts) = self.resolver.txt(&format!("_mta-sts.{domain}")).await else { return None };
        let mut ids = texts.iter().filter(|text| text.starts_with("v=STSv1")).map(|text| policy::id(text));
        let only = ids.next()?;
        if ids.next().is_some() { None } else { only.map(ToOwned::to_owned) }
    }
}
