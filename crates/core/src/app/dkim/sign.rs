//! Signing a mail as it leaves, with the key of that moment.

use super::super::App;
use super::context;
use crate::model::{DomainName, KeyState, Outgoing};
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
struct Opened {
    domain: String,
    selector: String,
    private: Vec<u8>,
}

/// The key for a mail; `None` where nobody could look it up. Every mail asks: a new key signs as soon as it may.
async fn key_of(app: &App, mail: &Outgoing) -> Result<Option<Opened>, String> {
    let sender = mail.message.as_ref().and_then(|message| message.inbox_id.as_str().rsplit_once('@'));
    let sender = sender.map_or(app.settings.domain.as_str(), |(_, domain)| domain);
    let opened = |sealed: &[u8], context: &[u8], domain: &str, selector: &str| {
        let private = app.vault.open(context, sealed).map_err(|error| error.to_string())?;
        Ok(Some(Opened { domain: domain.to_owned(), selector: selector.to_owned(), private }))
    };
    let is_ours = app.settings.hosted_domains().contains(&sender);
    if !is_ours {
        let names = DomainName::stored(sender.to_owned()).with_parents();
        let found = app.store.mail_key(mail.organization_id, &names).await.map_err(|error| error.to_string())?;
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
