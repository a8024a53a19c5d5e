//! Signing of an outgoing message with the current key of its domain.

use std::fmt::Display;

use super::context;
use crate::app::App;
use crate::app::second_cache::SecondCache;
use crate::model::{DomainName, KeyState, OrganizationId, QueuedMail};
use crate::ports::{NotSigned, SignedBy};
use crate::rules::domains::name::is_local;
use crate::rules::domains::signing_domain::signing_domain;

/// Signs a message for the domain of its sender.
///
/// The key belongs to the verified custom domain of the sender, or else to a domain of the service. A message without
/// an active key leaves unsigned.
///
/// # Errors
/// The reason for a temporary failure. The message must wait: receivers that enforce DMARC would refuse it unsigned
/// for good.
pub(in crate::app) async fn signed(app: &App, mail: &QueuedMail, raw: Vec<u8>) -> Result<Vec<u8>, String> {
    let key = match key_of(app, mail).await {
        Ok(key) => key,
        Err(NoKey::NotLookedUp) => return Ok(raw),
        Err(NoKey::Missing(reason)) => {
            app.signer.missed(mail.outgoing_id, &reason);
            return Ok(raw);
        }
        Err(NoKey::Unreadable(reason)) => return Err(format!("signing key unreadable: {reason}")),
    };
    let private_key = match app.vault.open(&key.context, &key.sealed) {
        Ok(private_key) => private_key,
        Err(error) => return Err(format!("signing key unreadable: {error}")),
    };
    let by = SignedBy { domain: &key.domain, selector: &key.selector, private_key: &private_key };
    app.signer.sign(by, raw).await.map_err(|NotSigned { reason, .. }| format!("signing failed: {reason}"))
}

/// Reason for a missing key.
enum NoKey {
    /// The domain is local, so receivers cannot look its key up.
    NotLookedUp,
    /// The domain has no active key.
    Missing(String),
    /// The key is unreadable at the moment.
    Unreadable(String),
}

impl NoKey {
    fn unreadable(error: impl Display) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A key as it is stored.
#[derive(Clone)]
pub(in crate::app) struct StoredKey {
    domain: String,
    selector: String,
    sealed: Vec<u8>,
    /// The context under which the key is sealed.
    context: Vec<u8>,
}

/// Cache of keys by organization and sender domain, so that a burst of mail reads its key once.
///
/// A rotation takes effect within a second. Until then the previous key signs, whose record stays in DNS much longer.
pub(in crate::app) type SigningKeyCache = SecondCache<(OrganizationId, String), StoredKey>;

/// Returns the key for a message.
async fn key_of(app: &App, mail: &QueuedMail) -> Result<StoredKey, NoKey> {
    let sender = mail.message.as_ref().and_then(|message| message.inbox_id.as_str().rsplit_once('@'));
    let sender = sender.map_or(app.settings.domain.as_str(), |(_, domain)| domain);
    let (cached, now) = ((mail.organization_id, sender.to_owned()), app.clock.now());
    let generation = match app.waiting.signing_keys.find(&cached, now) {
        Ok(key) => return Ok(key),
        Err(generation) => generation,
    };
    let key = read_key(app, mail.organization_id, sender).await?;
    app.waiting.signing_keys.insert(cached, key.clone(), (generation, now));
    Ok(key)
}

async fn read_key(app: &App, organization_id: OrganizationId, sender: &str) -> Result<StoredKey, NoKey> {
    let is_ours = app.settings.hosted_domains().contains(&sender);
    if !is_ours {
        let names = DomainName::stored(sender.to_owned()).with_parents();
        let found = app.store.mail_key(organization_id, &names).await.map_err(NoKey::unreadable)?;
        if let Some(key) = found {
            let context = match key.born_with {
                Some(domain_id) => domain_id.0.as_bytes().to_vec(),
                None => context(&key.name, &key.selector),
            };
            return Ok(StoredKey { domain: key.name, selector: key.selector, sealed: key.sealed, context });
        }
    }
    let name = signing_domain(&app.settings.domain, &app.settings.signup_domain, sender);
    if is_local(name) {
        return Err(NoKey::NotLookedUp);
    }
    let mut keys = app.store.dkim_keys(None, name).await.map_err(NoKey::unreadable)?;
    let Some(active) = keys.iter().position(|key| key.state == KeyState::Active) else {
        let waits = "its record does not stand in DNS yet, `inboxd doctor` shows it";
        let why = if keys.is_empty() { "none was made" } else { waits };
        return Err(NoKey::Missing(format!("{name} has no key yet that signs: {why}")));
    };
    let key = keys.swap_remove(active);
    let context = context(name, &key.selector);
    Ok(StoredKey { domain: name.to_owned(), selector: key.selector, sealed: key.sealed, context })
}
