//! Rotation of DKIM keys.
//!
//! A rotation never signs with a key that receivers cannot find. The new key first waits, and its record is published
//! beside the old one. Once DNS contains the record, the new key signs. The old record stays until mail signed with
//! the old key has arrived.

use time::OffsetDateTime;

use super::super::App;
use super::fresh;
use crate::Error;
use crate::model::domain::{DomainRecord, RecordStatus};
use crate::model::{DkimKey, Domain, KeyState};
use crate::ports::StoreError;
use crate::rules::domains::records::key_record;
use crate::rules::domains::rotation::{self, RETIREMENT};
use crate::rules::domains::signing_domain::signing_domains;
use crate::rules::domains::verify::{RecordAnswer, evaluate};

/// Progress of a rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The new key waits until its record is published.
    Publish {
        /// The name of the TXT record.
        name: String,
        /// Its value.
        value: String,
        /// The mismatch that DNS returned, if any.
        reason: Option<String>,
    },
    /// The new key of a custom domain waits until its record is published and the domain is verified again.
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
        /// The name of the obsolete record and the time when it may be removed.
        old: Option<(String, OffsetDateTime)>,
    },
}

/// Advances the rotation of a domain by one step.
///
/// The step creates the new key, or activates it if DNS contains its record. The verification of a custom domain
/// performs the last step.
///
/// # Errors
/// [`Error::Invalid`] for a domain that is neither a signing domain of the service nor a verified custom domain,
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
        let record = rotation::next_record(domain)?;
        Some(Rotation::PublishAndVerify { name: record.name.clone(), value: record.value.clone() })
    };
    if let Some(waiting) = waiting(domain) {
        return Ok(waiting);
    }
    // Key generation is slow and runs without a lock. The domain is read again under its lock.
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
    let begun = rotation::with_next_key(Domain { updated_at: key.changed_at, ..locked }, &key);
    tx.domains().update(&begun).await?;
    tx.commit().await?;
    waiting(&begun).ok_or_else(|| Error::Internal("a record that was added is not there".to_owned()))
}

/// Returns a selector that no other key of the domain has.
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

/// Activates a key of a service domain if DNS contains its record, and returns the record with its status.
pub(super) async fn promoted(app: &App, next: &DkimKey) -> Result<DomainRecord, Error> {
    let record = key_record(&next.name, &next.selector, &next.public_key);
    let answer = RecordAnswer::Txt(app.dns.txt(&record.name).await);
    let record = evaluate(record, &answer).record;
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
    // A concurrent rotation may have inserted its key first. The next call returns that key.
    if !tx.domains().insert_dkim_key(&key).await? {
        return Err(StoreError::Contention.into());
    }
    tx.commit().await?;
    let record = key_record(name, &key.selector, &key.public_key);
    Ok(Rotation::Publish { name: record.name, value: record.value, reason: None })
}
