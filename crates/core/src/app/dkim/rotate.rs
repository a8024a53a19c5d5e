//! One key follows another, without a moment in which mail is signed by a key that cannot be looked up.
//!
//! A new key is made and waits; its record is published beside the old one; once DNS shows it, the new key signs. The old
//! record stays until mail that was signed with the old key has arrived.

use time::OffsetDateTime;

use super::super::App;
use super::fresh;
use crate::Error;
use crate::model::domain::{DomainRecord, RecordStatus};
use crate::model::{DkimKey, Domain, KeyState};
use crate::ports::StoreError;
use crate::rules::domains::own::signing_domains;
use crate::rules::domains::records::key_record;
use crate::rules::domains::rotation::{self, RETIREMENT};
use crate::rules::domains::verify::{Answer, judge};

/// How far the change of a key has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The new key waits for its record to be published.
    Publish {
        /// The name of the TXT record.
        name: String,
        /// Its value.
        value: String,
        /// What was found in its place, where something was.
        reason: Option<String>,
    },
    /// The new key of a custom domain waits for its record to be published and the domain to be verified again.
    PublishAndVerify {
        /// The name of the TXT record.
        name: String,
        /// Its value.
        value: String,
    },
    /// The new key signs from now on.
    Switched {
        /// The name of its record.
        name: String,
        /// The name of the record that can go, and when.
        old: Option<(String, OffsetDateTime)>,
    },
}

/// Takes the next step from the key of a domain to a new one: makes the new key, or lets it sign if its record stands in
/// DNS. A custom domain takes the last step when it is verified.
///
/// # Errors
/// [`Error::Invalid`] when it is neither one of the service's domains that sign nor a verified custom domain,
/// [`Error::Store`], [`Error::Internal`].
pub async fn rotate(app: &App, name: &str) -> Result<Rotation, Error> {
    let own = signing_domains(&app.settings.domain, &app.settings.signup_domain);
    if own.contains(&name) {
        return rotate_own(app, name).await;
    }
    if let Some(domain) = app.store.proven_domain(name).await? {
        return rotate_custom(app, &domain).await;
    }
    let own = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
    let message = format!("neither a verified custom domain nor one of the service's own that sign: {own}");
    Err(Error::invalid("domain", message))
}

async fn rotate_custom(app: &App, domain: &Domain) -> Result<Rotation, Error> {
    let waiting = |domain: &Domain| {
        let record = rotation::next(domain)?;
        Some(Rotation::PublishAndVerify { name: record.name.clone(), value: record.value.clone() })
    };
    if let Some(waiting) = waiting(domain) {
        return Ok(waiting);
    }
    // Making a key takes a while; the domain is looked at again under its lock.
    let organization_id = domain.organization_id;
    let key = fresh(app, Some(organization_id), domain.name.as_str(), selector(app), KeyState::Next).await?;
    let mut tx = app.store.begin().await?;
    let locked = tx.domains().lock(organization_id, domain.domain_id).await?.ok_or(StoreError::Contention)?;
    if let Some(waiting) = waiting(&locked) {
        return Ok(waiting);
    }
    if !tx.domains().insert_dkim_key(&key).await? {
        return Err(StoreError::Contention.into());
    }
    let begun = rotation::begun(Domain { updated_at: key.changed_at, ..locked }, &key);
    tx.domains().update(&begun).await?;
    tx.commit().await?;
    waiting(&begun).ok_or_else(|| Error::Internal("a record that was added is not there".to_owned()))
}

/// A name for a key that no other key of the domain has.
fn selector(app: &App) -> String {
    format!("inboxd{}", app.clock.now().unix_timestamp())
}

async fn rotate_own(app: &App, name: &str) -> Result<Rotation, Error> {
    let keys = app.store.dkim_keys(None, name).await?;
    let Some(next) = keys.iter().find(|key| key.state == KeyState::Next) else {
        return begin(app, name).await;
    };
    let DomainRecord { name: at, value, status, reason, .. } = promoted(app, next).await?;
    if status != RecordStatus::Valid {
        return Ok(Rotation::Publish { name: at, value, reason });
    }
    let active = keys.iter().find(|key| key.state == KeyState::Active);
    let old = active.map(|key| (key_record(name, &key.selector, "").name, app.clock.now() + RETIREMENT));
    Ok(Rotation::Switched { name: at, old })
}

/// Lets a key of the service's own sign if its record stands in DNS. Answers the record and what was found of it.
pub(super) async fn promoted(app: &App, next: &DkimKey) -> Result<DomainRecord, Error> {
    let record = key_record(&next.name, &next.selector, &next.public_key);
    let answer = Answer::Txt(app.dns.txt(&record.name).await);
    let record = judge(record, &answer).record;
    if record.status == RecordStatus::Valid {
        let mut tx = app.store.begin().await?;
        tx.domains().promote_dkim_key(next, app.clock.now()).await?;
        tx.commit().await?;
    }
    Ok(record)
}

async fn begin(app: &App, name: &str) -> Result<Rotation, Error> {
    let key = fresh(app, None, name, selector(app), KeyState::Next).await?;
    let mut tx = app.store.begin().await?;
    // Somebody else may have begun in the same moment: theirs is the one, and the next call shows it.
    if !tx.domains().insert_dkim_key(&key).await? {
        return Err(StoreError::Contention.into());
    }
    tx.commit().await?;
    let record = key_record(name, &key.selector, &key.public_key);
    Ok(Rotation::Publish { name: record.name, value: record.value, reason: None })
}
