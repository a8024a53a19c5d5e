//! MTA-STS (RFC 8461): domains that have their mail brought under TLS only, and say so over HTTPS.
//!
//! A policy is kept for as long as it says, and asked for again when the id in DNS has changed, and once in a while. While neither DNS nor the
//! web answers, the one that is kept still holds: whoever can silence them cannot have the mail in the clear. They are
//! kept in memory, so that a new process learns them anew.

mod cache;
mod policy;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{Dns as _, Lookup};
use tokio::time::Instant;

use crate::dns::Resolver;

use self::cache::{Cache, Current, Kept};

pub(super) use policy::Policy;

/// How long a policy that could not be read is not asked for again (RFC 8461, section 3.3).
const PAUSE: Duration = Duration::from_mins(5);

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
    Policy::read(text).is_some()
}

/// The policies of all domains.
pub(super) struct Sts {
    resolver: Arc<Resolver>,
    fetch: Arc<dyn PolicyFetch>,
    kept: Cache,
}

impl Sts {
    pub(super) fn new(resolver: Arc<Resolver>, fetch: Arc<dyn PolicyFetch>) -> Self {
        Self { resolver, fetch, kept: Cache::default() }
    }

    /// The policy of a domain, if it has one.
    pub(super) async fn policy(&self, domain: &str) -> Option<Policy> {
        let Kept { policy: current, again } = self.kept.of(domain);
        let policy = current.as_ref().map(|current| current.policy.clone());
        let Some(id) = self.id(domain).await else { return policy };
        let is_fresh = current.is_some_and(|current| current.id == id && !current.is_to_be_read_anew());
        if is_fresh || again.is_some_and(|again| Instant::now() < again) {
            return policy;
        }
        let url = format!("https://mta-sts.{domain}/.well-known/mta-sts.txt");
        let read = self.fetch.fetch(&url).await;
        match read.and_then(|text| Policy::read(&text).ok_or_else(|| "it is not a valid policy".to_owned())) {
            Ok(policy) => {
                let current = Current { id, policy: policy.clone(), read: Instant::now() };
                self.kept.keep(domain, Kept { policy: Some(current), again: None });
                Some(policy)
            }
            Err(why) => {
                tracing::warn!(domain, why, "the MTA-STS policy of a domain could not be read");
                let mut kept = self.kept.of(domain);
                kept.again = Some(Instant::now() + PAUSE);
                let policy = kept.policy.as_ref().map(|current| current.policy.clone());
                self.kept.keep(domain, kept);
                policy
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
