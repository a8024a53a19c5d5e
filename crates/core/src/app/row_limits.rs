//! Row limits of an organization, checked under its lock.

use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::error::LimitedRows;
use crate::model::{InboxFile, InboxId, Organization, OrganizationId};
use crate::ports::{CountedRows, Tx};
use crate::rules::limits;

/// Locks an organization before an insert.
pub(super) async fn lock_organization(tx: &mut dyn Tx, organization_id: OrganizationId) -> Result<Organization, Error> {
    tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))
}

/// Refuses more stored bytes over the storage limit. The check is exact under the lock.
pub(super) async fn require_storage(tx: &mut dyn Tx, organization: &Organization) -> Result<(), Error> {
    if organization.limits().storage_bytes.is_none() {
        return Ok(());
    }
    let stored = tx.usage().storage_bytes(organization.organization_id).await?;
    limits::allow_storage(organization, stored)
}

/// Refuses a draft over the limit of an inbox.
pub(super) async fn require_draft(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
) -> Result<(), Error> {
    let counted = CountedRows::Drafts(inbox_id.clone());
    require(tx, organization_id, &counted, LimitedRows::Drafts, app.settings.limits.get().rows.drafts).await
}

/// Refuses a file over the limit.
pub(super) async fn require_file(tx: &mut dyn Tx, organization_id: OrganizationId) -> Result<(), Error> {
    let limit = InboxFile::MAX_PER_ORGANIZATION;
    require(tx, organization_id, &CountedRows::Files, LimitedRows::Files, limit).await
}

/// Refuses an allow or block list entry over the limit.
pub(super) async fn require_list_entry(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
) -> Result<(), Error> {
    let limit = app.settings.limits.get().rows.list_entries;
    require(tx, organization_id, &CountedRows::ListEntries, LimitedRows::ListEntries, limit).await
}

/// Refuses a decision about a contact over the limit, which is that of list entries.
pub(super) async fn require_contact_decision(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
) -> Result<(), Error> {
    let limit = app.settings.limits.get().rows.list_entries;
    require(tx, organization_id, &CountedRows::ContactDecisions, LimitedRows::ContactDecisions, limit).await
}

/// Refuses an API key over the limit.
pub(super) async fn require_api_key(app: &App, tx: &mut dyn Tx, organization_id: OrganizationId) -> Result<(), Error> {
    let limit = app.settings.limits.get().rows.api_keys;
    require(tx, organization_id, &CountedRows::ApiKeys, LimitedRows::ApiKeys, limit).await
}

/// Refuses a pending invitation over the limit.
pub(super) async fn require_invitation(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
) -> Result<(), Error> {
    let limit = app.settings.limits.get().rows.pending_invitations;
    require(tx, organization_id, &CountedRows::PendingInvitations, LimitedRows::PendingInvitations, limit).await
}

async fn require(
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    counted: &CountedRows,
    rows: LimitedRows,
    limit: u64,
) -> Result<(), Error> {
    let count = tx.usage().count_rows(organization_id, counted, limit).await?;
    if count >= limit { Err(Error::RowLimitReached { rows, limit }) } else { Ok(()) }
}

/// Counts a creation whose row outlives its deletion, and refuses it over the daily limit.
pub(super) async fn count_creation(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let limit = app.settings.limits.get().rows.daily_creations;
    let created = tx.usage().count_creation(organization_id, now.date()).await?;
    if created > limit {
        let rows = LimitedRows::Creations { resets_at: limits::next_day(now) };
        return Err(Error::RowLimitReached { rows, limit });
    }
    Ok(())
}
