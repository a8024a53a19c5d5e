//! MTA-STS (RFC 8461): domains that have their mail brought under TLS only, and say so over HTTPS.
//!
//! A policy is kept for as long as it says, and asked for again when the id in DNS has changed. While neither DNS nor the
//! web answers, the one that is kept still holds: whoever can silence them cannot have the mail in the clear. They are
//! kept in memory, so that a new process learns them anew.

mod policy;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{Dns as _, Lookup};
use tokio::time::Instant;

use crate::dns::Resolver;

pub(super) use policy::Policy;

/// How long a policy that could not be read is not asked for again (RFC 8461, section 3.3).
const PAUSE: Duration = Duration::from_mins(5);
/// The most domains of which something is kept.
const MOST: usize = 10_000;

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

/// What is kept of a domain.
#[derive(Debug, Clone, Default)]
struct Kept {
    policy: Option<Current>,
    /// When it may be asked for again, after it could not be read.
    again: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Current {
    id: String,
    policy: Policy,
    until: Instant,
}

/// The policies of all domains.
pub(super) struct Sts {
    resolver: Arc<Resolver>,
    fetch: Arc<dyn PolicyFetch>,
    kept: Mutex<HashMap<String, Kept>>,
}

impl Sts {
    pub(super) fn new(resolver: Arc<Resolver>, fetch: Arc<dyn PolicyFetch>) -> Self {
        Self { resolver, fetch, kept: Mutex::default() }
    }

    /// The policy of a domain, if it has one.
    pub(super) async fn policy(&self, domain: &str) -> Option<Policy> {
        let kept = self.kept(domain);
        let current = kept.policy.map(|current| (current.id, current.policy));
        let Some(id) = self.id(domain).await else { return current.map(|(_, policy)| policy) };
        match current {
            Some((known, policy)) if known == id => return Some(policy),
            Some((_, policy)) if is_ahead(kept.again) => return Some(policy),
            None if is_ahead(kept.again) => return None,
            _ => {}
        }
        let url = format!("https://mta-sts.{domain}/.well-known/mta-sts.txt");
        let read = self.fetch.fetch(&url).await;
        match read.and_then(|text| Policy::read(&text).ok_or_else(|| "it is not a valid policy".to_owned())) {
            Ok(policy) => {
                let until = Instant::now() + policy.max_age;
                let current = Current { id, policy: policy.clone(), until };
                self.keep(domain, Kept { policy: Some(current), again: None });
                Some(policy)
            }
            Err(why) => {
                tracing::warn!(domain, why, "the MTA-STS policy of a domain could not be read");
                let mut kept = self.kept(domain);
                kept.again = Some(Instant::now() + PAUSE);
                let policy = kept.policy.as_ref().map(|current| current.policy.clone());
                self.keep(domain, kept);
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

    fn kept(&self, domain: &str) -> Kept {
        let mut kept = self.locked().get(domain).cloned().unwrap_or_default();
        kept.policy = kept.policy.filter(|current| Instant::now() < current.until);
        kept
    }

    fn keep(&self, domain: &str, what: Kept) {
        let mut all = self.locked();
        if all.len() >= MOST {
            all.retain(|_, kept| {
                is_ahead(kept.again) || kept.policy.as_ref().is_some_and(|it| is_ahead(Some(it.until)))
            });
        }
        if all.len() < MOST || all.contains_key(domain) {
            all.insert(domain.to_owned(), what);
        }
    }

    /// The map stays whole even when a holder of the lock has panicked.
    fn locked(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_ahead(time: Option<Instant>) -> bool {
    time.is_some_and(|time| Instant::now() < time)
}
