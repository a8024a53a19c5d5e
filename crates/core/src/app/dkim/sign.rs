//! Signing a mail as it leaves, with the key of that moment.

use std::collections::BTreeMap;

use super::super::App;
use super::context;
use crate::app::gathering::{Abandoned, Gathering, Most};
use crate::model::{DomainName, KeyState, OrganizationId, Outgoing};
use crate::ports::{NotSigned, SignedBy};
use crate::rules::domains::name::is_local;
use crate::rules::domains::own::signing_domain;

/// The mail, signed in the name of its sender's domain: of the custom domain that holds it and whose key stands in DNS,
/// of the service's own otherwise. Whatever goes wrong, the mail leaves: unsigned is better than not at all.
pub(in crate::app) async fn signed(app: &App, mail: &Outgoing, raw: Vec<u8>) -> Vec<u8> {
    let unsigned = |raw: Vec<u8>, reason: &str| {
        app.signer.missed(mail.outgoing_id, reason);
        raw
    };
    let key = match key_of(app, mail).await {
        Ok(Some(key)) => key,
        Ok(None) => return raw,
        Err(reason) => return unsigned(raw, &reason),
    };
    let by = SignedBy { domain: &key.domain, selector: &key.selector, private_key: &key.private };
    match app.signer.sign(by, raw).await {
        Ok(raw) => raw,
        Err(NotSigned { raw, reason }) => unsigned(raw, &reason),
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
pub(in crate::app) struct MailKeys(Gathering<Asked, Result<Option<Opened>, String>>);

impl Default for MailKeys {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

/// The key for a mail; `None` where nobody could look it up. Every mail asks, together with others: a new key signs as soon
/// as it may.
async fn key_of(app: &App, mail: &Outgoing) -> Result<Option<Opened>, String> {
    let sender = mail.message.as_ref().and_then(|message| message.inbox_id.as_str().rsplit_once('@'));
    let sender = sender.map_or(app.settings.domain.as_str(), |(_, domain)| domain);
    let asked = (mail.organization_id, sender.to_owned());
    let found = app.waiting.mail_keys.0.ask(&asked.clone(), asked, 1, |asked| keys_of(app, asked)).await;
    found.unwrap_or_else(|Abandoned| Err("whoever was reading its key has gone".to_owned()))
}

/// The keys of several, each read once.
async fn keys_of(app: &App, asked: Vec<Asked>) -> Vec<Result<Option<Opened>, String>> {
    let mut known: BTreeMap<&Asked, Result<Option<Opened>, String>> = BTreeMap::new();
    for one in &asked {
        if !known.contains_key(one) {
            known.insert(one, read_key(app, one.0, &one.1).await);
        }
    }
    asked.iter().map(|one| known.get(one).cloned().unwrap_or(Ok(None))).collect()
}

async fn read_key(app: &App, organization_id: OrganizationId, sender: &str) -> Result<Option<Opened>, String> {
    let opened = |sealed: &[u8], context: &[u8], domain: &str, selector: &str| {
        let private = app.vault.open(context, sealed).map_err(|error| error.to_string())?;
        Ok(Some(Opened { domain: domain.to_owned(), selector: selector.to_owned(), private }))
    };
    let is_ours = app.settings.hosted_domains().contains(&sender);
    if !is_ours {
        let names = DomainName::stored(sender.to_owned()).with_parents();
        let found = app.store.mail_key(organization_id, &names).await.map_err(|error| error.to_string())?;
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
        return Ok(None);
    }
    let keys = app.store.dkim_keys(None, name).await.map_err(|error| error.to_string())?;
    let Some(key) = keys.iter().find(|key| key.state == KeyState::Active) else {
        let waits = "its record does not stand in DNS yet, `inboxd doctor` shows it";
        let why = if keys.is_empty() { "none was made" } else { waits };
        return Err(format!("{name} has no key yet that signs: {why}"));
    };
    opened(&key.sealed, &context(name, &key.selector), name, &key.selector)
}
