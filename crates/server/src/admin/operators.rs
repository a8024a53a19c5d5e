//! Acts against organizations: suspension, resumption, deletion, key revocation and release of addresses.

use inboxd_core::app::{App, account, api_keys};
use inboxd_core::model::{ApiKey, ApiKeyId, OrganizationId};
use inboxd_mail::EmailAddress;
use inboxd_postgres::{AddressRelease, FoundKey, PgStore};

use super::{message_of, print, require_yes};
use crate::failure::{ErrorContext, Failure};

/// Suspends an organization.
pub(crate) async fn suspend(app: &App, organization_id: OrganizationId, reason: &str) -> Result<(), Failure> {
    let organization = account::suspend(app, organization_id, reason)
        .await
        .map_err(message_of)
        .context("cannot suspend the organization; if it is listed as suspended, repeat the command to hold the rest of its queue")?;
    let reason = organization.suspension.map(|suspension| suspension.reason).unwrap_or_default();
    print(&format!(
        "{organization_id} is suspended: {reason}\n\
         it can read but not send; queued mail, scheduled drafts and webhooks are held, and mail to it is deferred\n"
    ))
}

/// Resumes an organization.
pub(crate) async fn resume(app: &App, organization_id: OrganizationId) -> Result<(), Failure> {
    account::resume(app, organization_id).await.map_err(message_of).context(
        "cannot resume the organization; if it is listed as active, repeat the command to resume the rest of its queue",
    )?;
    print(&format!("{organization_id} is active; its held work continues\n"))
}

/// Lifts the brake on the sending of an organization.
pub(crate) async fn lift_brake(app: &App, organization_id: OrganizationId) -> Result<(), Failure> {
    account::lift_brake(app, organization_id).await.map_err(message_of).context(
        "cannot lift the brake; if the organization is listed without it, repeat the command to resume the rest of its queue",
    )?;
    print(&format!(
        "{organization_id} sends as its plan allows; its bounces and complaints count again from the next day (UTC)\n"
    ))
}

/// Deletes an organization.
pub(crate) async fn delete(app: &App, organization_id: OrganizationId, yes: bool) -> Result<(), Failure> {
    let overview = app.store.overview(organization_id).await.context("cannot read the organization")?;
    let Some(overview) = overview else { return Err(Failure::new(format!("no such organization: {organization_id}"))) };
    let what = format!(
        "{organization_id} of {} has {} inboxes with {} bytes of mail, which cannot be restored",
        overview.organization.owner_text(),
        overview.inbox_count,
        overview.storage_bytes
    );
    require_yes(yes, &what)?;
    let record = app.store.billing(organization_id).await.context("cannot read the subscription")?;
    account::remove(app, organization_id).await.map_err(message_of).context("cannot delete the organization")?;
    print(&format!(
        "{organization_id} is deleted: its keys are revoked and its queue is dropped; workers remove its mail, and its \
         addresses stay claimed\n"
    ))?;
    if record.is_paying() {
        print("its subscription continues: cancel it at Stripe\n")?;
    }
    Ok(())
}

/// Revokes a key by its id, a prefix or the key itself, which is never printed.
pub(crate) async fn revoke_key(app: &App, store: &PgStore, key: &str) -> Result<(), Failure> {
    let id: Option<ApiKeyId> = key.parse().ok();
    if id.is_none() && key.is_empty() {
        return Err(Failure::new("name the id of a key, its prefix, or the whole key"));
    }
    let found = store.find_api_keys(key, id).await.context("cannot find the key")?;
    let line = |key: &FoundKey| format!("{} {}… {:?} of {}", key.api_key_id, key.prefix, key.name, key.organization_id);
    match found.as_slice() {
        [] => {
            let named: String =
                if id.is_some() { key.to_owned() } else { key.chars().take(ApiKey::PREFIX_CHARS).collect() };
            Err(Failure::new(format!("no key in use has the id or prefix {named}")))
        }
        [one] => {
            api_keys::revoke_as_operator(app, one.organization_id, one.api_key_id)
                .await
                .map_err(message_of)
                .context("cannot revoke the key")?;
            print(&format!("revoked {}\n", line(one)))
        }
        several => {
            let lines: Vec<String> = several.iter().map(line).collect();
            Err(Failure::new(format!("several keys have this prefix; name one by its id: {}", lines.join("; "))))
        }
    }
}

/// Releases the address of a deleted inbox, or a username on the domains of the service.
pub(crate) async fn release_username(app: &App, store: &PgStore, name: &str, yes: bool) -> Result<(), Failure> {
    let [domain, signup_domain] = app.settings.hosted_domains();
    let texts = if name.contains('@') {
        vec![name.to_owned()]
    } else {
        vec![format!("{name}@{domain}"), format!("{name}@{signup_domain}")]
    };
    require_yes(yes, "the next inbox of the address receives mail meant for the previous one")?;
    let mut refusals = Vec::new();
    for text in &texts {
        let address: EmailAddress = text.parse().context(format!("{text} is not an address"))?;
        let address = address.normalized();
        match store.release_address(&address).await.context("cannot release the address")? {
            AddressRelease::Released => print(&format!("{address} can be used again\n"))?,
            AddressRelease::Unknown => refusals.push(format!("{address} was never used")),
            AddressRelease::InUse => {
                refusals.push(format!("{address} belongs to a live inbox; delete the inbox first"));
            }
            AddressRelease::BeingPurged => {
                refusals.push(format!("the mail of {address} is still being removed; try again in a minute"));
            }
        }
    }
    if refusals.len() == texts.len() { Err(Failure::new(refusals.join("; "))) } else { Ok(()) }
}
