//! One key follows another, without a moment in which mail is signed by a key that cannot be looked up.
//!
//! A new key is made and waits; its record is published beside the old one; once DNS shows it, the new key signs. The old
//! record stays until mail that was signed with the old key has arrived.

use time::{Duration, OffsetDateTime};

use super::super::App;
use super::fresh;
use crate::Error;
use crate::model::domain::RecordStatus;
use crate::model::{DkimKey, KeyState};
use crate::rules::domains::own::signing_domains;
use crate::rules::domains::records::key_record;
use crate::rules::domains::verify::{Answer, judge};

/// How long a retired record must stay: longer than any mail is tried (72 hours) and reasonably read.
const RETIREMENT: Duration = Duration::days(7);

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
    /// The new key signs from now on.
    Switched {
        /// The name of its record.
        name: String,
        /// The name of the record that can go, and when.
        old: Option<(String, OffsetDateTime)>,
    },
}

/// Takes the next step from the key of one of the service's own domains to a new one: makes the new key, or lets it sign
/// if its record stands in DNS.
///
/// # Errors
/// [`Error::Invalid`] when it is none of the service's domains that sign, [`Error::Store`], [`Error::Internal`].
pub async fn rotate(app: &App, name: &str) -> Result<Rotation, Error> {
    let own = signing_domains(&app.settings.domain, &app.settings.signup_domain);
    if !own.contains(&name) {
        let allowed =
            if own.is_empty() { "none: INBOXD_DOMAIN is a name of this machine".to_owned() } else { own.join(", ") };
        return Err(Error::invalid(
            "domain",
            format!("no domain of the service's own that signs; those that do: {allowed}"),
        ));
    }
    let keys = app.store.dkim_keys(None, name).await?;
    let Some(next) = keys.iter().find(|key| key.state == KeyState::Next) else {
        return begin(app, name).await;
    };
    let record = key_record(name, &next.selector, &next.public_key);
    let judged = judge(record.clone(), &Answer::Txt(app.dns.txt(&record.name).await));
    if judged.record.status != RecordStatus::Valid {
        return Ok(Rotation::Publish { name: record.name, value: record.value, reason: judged.record.reason });
    }
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    tx.domains().promote_dkim_key(next, now).await?;
    tx.commit().await?;
    let active = keys.iter().find(|key| key.state == KeyState::Active);
    let old = active.map(|key| (key_record(name, &key.selector, "").name, now + RETIREMENT));
    Ok(Rotation::Switched { name: record.name, old })
}

async fn begin(app: &App, name: &str) -> Result<Rotation, Error> {
    let selector = format!("inboxd{}", app.clock.now().unix_timestamp());
    let key: DkimKey = fresh(app, None, name, selector, KeyState::Next).await?;
    let mut tx = app.store.begin().await?;
    // Somebody else may have begun in the same moment: theirs is the one, and the next call shows it.
    if !tx.domains().insert_dkim_key(&key).await? {
        return Err(crate::ports::StoreError::Contention.into());
    }
    tx.commit().await?;
    let record = key_record(name, &key.selector, &key.public_key);
    Ok(Rotation::Publish { name: record.name, value: record.value, reason: None })
}
