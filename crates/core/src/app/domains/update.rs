//! Changing a domain: what it is used for. Its name never changes.

use super::find::lock;
use super::settle::settle;
use crate::Error;
use crate::app::App;
use crate::model::{Caller, Domain, DomainId, Permission};
use crate::rules::access;
use crate::rules::domains::{records, status};

/// What to change; what is not named stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainChange {
    /// Whether bounces and complaints about its mail are wanted.
    pub feedback_enabled: Option<bool>,
    /// Whether inboxes may be made on its subdomains. It needs a record more, so that a verified domain is pending until
    /// that is found.
    pub subdomains_enabled: Option<bool>,
}

/// Changes a domain.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn update(app: &App, caller: &Caller, domain_id: DomainId, change: DomainChange) -> Result<Domain, Error> {
    access::require(caller, Permission::DomainUpdate)?;
    let mut tx = app.store.begin().await?;
    let before = lock(tx.as_mut(), caller, domain_id).await?;
    let feedback_enabled = change.feedback_enabled.unwrap_or(before.feedback_enabled);
    let subdomains_enabled = change.subdomains_enabled.unwrap_or(before.subdomains_enabled);
    let host = &app.settings.domain;
    let records = records::with_subdomains(before.records.clone(), &before.name, host, subdomains_enabled);
    let switched = Domain { feedback_enabled, subdomains_enabled, ..before.clone() };
    let after = status::with_records(switched, records, app.clock.now());
    settle(app, tx.as_mut(), &before, &after).await?;
    tx.commit().await?;
    Ok(after)
}
