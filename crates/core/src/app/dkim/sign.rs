//! Signing a mail as it leaves, with the key of that moment.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::super::App;
use super::context;
use crate::app::gathering::{Abandoned, Gathering, Most};
use crate::model::{DomainName, KeyState, OrganizationId, Outgoing};
use crate::ports::{NotSigned, SignedBy};
use crate::rules::domains::name::is_local;
use crate::rules::domains::own::signing_domain;

/// The mail, signed in the name of its sender's domain: of the custom domain that holds it and whose key stands in DNS,
/// of the service's own otherwise. Without a key it leaves unsigned.
///
/// # Errors
/// The reason why the key cannot be used at this moment. Then the mail has to wait: unsigned, receivers that enforce DMARC
/// would refuse it for good.
pub(in crate::app) async fn signed(app: &App, mail: &Outgoing, raw: Vec<u8>) -> Result<Vec<u8>, String> {
    let key = match key_of(app, mail).await {
        Ok(key) => key,
        Err(NoKey::NotLookedUp) => return Ok(raw),
        Err(NoKey::Missing(reason)) => {
            app.signer.missed(mail.outgoing_id, &reason);
            return Ok(raw);
        }
        Err(NoKey::Unreadable(reason)) => return Err(format!("signing key unreadable: {reason}")),
    };
    let by = SignedBy { domain: &key.domain, selector: &key.selector, private_key: &key.private };
    app.signer.sign(by, raw).await.map_err(|NotSigned { reason, .. }| format!("signing failed: {reason}"))
}

/// Why there is no key for a mail.
#[derive(Clone)]
enum NoKey {
    /// Receivers could not look up the key of a local domain.
    NotLookedUp,
    /// The domain has none that signs.
    Missing(String),
    /// There may be one; it cannot be read at this moment.
    Unreadable(String),
}

impl NoKey {
    fn unreadable(error: impl Display) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A key that is ready to sign.
#[derive(Clone)]
struct Opened {
    domain: String,
    selector: String,
    private: Vec<u8>,
}

/// How many questions there may be at a time. Domains share them by chance.
const LANES: usize = 64;
/// How many mails one question is about.
const MOST: Most = Most { jobs: 64, weight: 64 };

/// Whose mail wants to be signed: of which organization, and in the name of which domain.
type Asked = (OrganizationId, String);

/// The mails that wait for their keys. All workers of a process have the same ones.
pub(in crate::app) struct MailKeys(Gathering<Asked, Result<Opened, NoKey>>);

impl Default for MailKeys {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

/// The key for a mail. Every mail asks, together with others: a new key signs as soon
/// as it may.
async fn key_of(app: &App, mail: &Outgoing) -> Result<Opened, NoKey> {
    let sender = mail.message.as_ref().and_then(|message| message.inbox_id.as_str().rsplit_once('@'));
    let sender = sender.map_or(app.settings.domain.as_str(), |(_, domain)| domain);
    let asked = (mail.organization_id, sender.to_owned());
    let found = app.waiting.mail_keys.0.ask(&asked.clone(), asked, 1, |asked| keys_of(app, asked)).await;
    found.unwrap_or_else(|Abandoned| Err(NoKey::unreadable("the query was cancelled")))
}

/// The keys of several, each read once.
async fn keys_of(app: &App, asked: Vec<Asked>) -> Vec<Result<Opened, NoKey>> {
    let mut known: BTreeMap<&Asked, Result<Opened, NoKey>> = BTreeMap::new();
    for one in &asked {
        if !known.contains_key(one) {
            known.insert(one, read_key(app, one.0, &one.1).await);
        }
    }
    asked.iter().map(|one| known.get(one).cloned().unwrap_or(Err(NoKey::NotLookedUp))).collect()
}

async fn read_key(app: &App, organization_id: OrganizationId, sender: &str) -> Result<Opened, NoKey> {
    let opened = |sealed: &[u8], context: &[u8], domain: &str, selector: &str| {
        let private = app.vault.open(context, sealed).map_err(NoKey::unreadable)?;
        Ok(Opened { domain: domain.to_owned(), selector: selector.to_owned(), private })
    };
    let is_ours = app.settings.hosted_domains().contains(&sender);
    if !is_ours {
        let names = DomainName::stored(sender.to_owned()).with_parents();
        let found = app.store.mail_key(organization_id, &names).await.map_err(NoKey::unreadable)?;
        if let Some(key) = found {
            let context = match key.born_with {
                Some(domain_id) => domain_id.0.as_bytes().to_vec(),
                None => context(&key.name, &key.selector),
            };
            return opened(&key.sealed, &context, &key.name, &key.selector);
        }
    }
    let name = signing_domain(&app.settings.domain, &app.settings.signup_domain, sender);
    if is_local(name) {
        return Err(NoKey::NotLookedUp);
    }
    let keys = app.store.dkim_keys(None, name).await.map_err(NoKey::unreadable)?;
    let Some(key) = keys.iter().find(|key| key.state == KeyState::Active) else {
        let waits = "its record does not stand in DNS yet, `inboxd doctor` shows it";
        let why = if keys.is_empty() { "none was made" } else { waits };
        return Err(NoKey::Missing(format!("{name} has no key yet that signs: {why}")));
    };
    opened(&key.sealed, &context(name, &key.selector), name, &key.selector)
}
