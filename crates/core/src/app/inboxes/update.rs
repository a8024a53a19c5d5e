//! Change of an inbox: display name, metadata, status, retention and quarantine.
//!
//! The address of an inbox never changes.

use std::collections::BTreeMap;

use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::queue_hold::{self, QueueState};
use crate::app::{App, quarantine, scope, standing};
use crate::model::permissions::InboxUpdate;
use crate::model::{
    AuditAction, Caller, Inbox, InboxId, InboxStatus, Metadata, MetadataValue, Permission, QuarantineMode,
};
use crate::ports::Tx;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, names, retention, suspension};
use crate::{Error, FieldError, Resource};

/// Maximum number of metadata pairs (`wire.md`, section 3, Inbox).
const MAX_METADATA_PAIRS: usize = 256;
/// Maximum length of a metadata key or string, in bytes.
const MAX_METADATA_TEXT_BYTES: usize = 4096;

/// Change of the metadata.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum MetadataChange {
    /// The metadata stays.
    #[default]
    Keep,
    /// All pairs are removed.
    Clear,
    /// Keys with a value are set, and keys without one are removed.
    Merge(BTreeMap<String, Option<MetadataValue>>),
}

/// Changes to an inbox; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InboxChange {
    /// The new display name; `Some(None)` removes it.
    pub display_name: Option<Option<String>>,
    /// The change of the metadata.
    pub metadata: MetadataChange,
    /// The new status, which decides whether the inbox sends and receives.
    pub status: Option<InboxStatus>,
    /// The new retention in days; `Some(None)` keeps messages.
    pub retention_days: Option<Option<u32>>,
    /// The new own quarantine; `Some(None)` leaves it to the organization and the pod.
    pub quarantine: Option<Option<QuarantineMode>>,
}

/// Changes an inbox.
///
/// A pause applies as soon as this function returns, also to accepted and queued mail. Mail that another process is
/// delivering at that moment is recalled within a second. A quarantine applies to mail that is received from then on; a
/// less strict one also requires `agent_armor_release`.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::Invalid`], [`Error::NotFound`],
/// [`Error::PodOutOfScope`], [`Error::ResumeNotAllowed`], [`Error::MissingPermission`] for a retention without the
/// permission to delete messages or a less strict quarantine without that to release them, [`Error::RowLimitReached`].
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<InboxUpdate>,
    inbox_id: &InboxId,
    change: InboxChange,
) -> Result<Inbox, Error> {
    Error::unless_empty(problems_of_change(&change))?;
    if change.retention_days.is_some() {
        access::require(caller, Permission::MessageDelete)?;
    }
    scope::require_inbox(app, caller, inbox_id).await?;
    let inbox = retried(is_contention, || update_once(app, caller, inbox_id, change.clone())).await?;
    let organization_id = caller.organization.organization_id;
    match change.status {
        Some(InboxStatus::Paused) => {
            queue_hold::apply_pause(app, organization_id, inbox_id, QueueState::Held).await?;
        }
        Some(InboxStatus::Active) => {
            queue_hold::apply_pause(app, organization_id, inbox_id, QueueState::Due).await?;
            app.wake.outgoing();
        }
        None => {}
    }
    Ok(inbox)
}

async fn update_once(
    app: &App,
    caller: &AuthorizedCaller<InboxUpdate>,
    inbox_id: &InboxId,
    change: InboxChange,
) -> Result<Inbox, Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let inbox = tx.inboxes().lock(organization_id, inbox_id).await?;
    let inbox = inbox.ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
    access::require_pod(caller, &inbox)?;
    let now = app.clock.now();
    let paused_at = match change.status {
        None => inbox.paused_at,
        Some(InboxStatus::Paused) => inbox.paused_at.or(Some(now)),
        Some(InboxStatus::Active) => {
            suspension::require_resumption(caller, &inbox)?;
            None
        }
    };
    let mode = change.quarantine.unwrap_or(inbox.quarantine);
    if mode != inbox.quarantine {
        let caller = standing::renewed(app, tx.as_mut(), caller).await?;
        quarantine::require_change(&caller, inbox.quarantine, mode)?;
    }
    let before = inbox.clone();
    let metadata = merged(inbox.metadata, change.metadata);
    check_metadata(&metadata).map_err(|message| Error::invalid("metadata", message))?;
    let display_name = change.display_name.unwrap_or(inbox.display_name);
    let retention_days = change.retention_days.unwrap_or(inbox.retention_days);
    let inbox = Inbox { display_name, metadata, paused_at, retention_days, quarantine: mode, updated_at: now, ..inbox };
    tx.inboxes().update(&inbox).await?;
    record_change(app, tx.as_mut(), caller, &before, &inbox).await?;
    let _invalidation = change.status.map(|_| app.waiting.recipients.invalidate_on_drop());
    tx.commit().await?;
    Ok(inbox)
}

/// Records a changed retention and a changed quarantine, each in an entry of its own.
async fn record_change(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    before: &Inbox,
    after: &Inbox,
) -> Result<(), Error> {
    let retained = Inbox { retention_days: after.retention_days, ..before.clone() };
    if retained.retention_days != before.retention_days {
        let change = AuditChange::updated(AuditAction::InboxRetentionUpdated, before, &retained);
        audit::record(app, tx, caller, change).await?;
    }
    if after.quarantine != retained.quarantine {
        let change = AuditChange::updated(AuditAction::InboxQuarantineUpdated, &retained, after);
        audit::record(app, tx, caller, change).await?;
    }
    Ok(())
}

/// Returns every problem that a change has by itself. Existing metadata counts later, under the lock.
#[must_use]
pub fn problems_of_change(change: &InboxChange) -> Vec<FieldError> {
    let name = change.display_name.as_ref().and_then(Option::as_deref).map_or(Ok(()), names::validate_display_name);
    let metadata = match &change.metadata {
        MetadataChange::Keep | MetadataChange::Clear => Ok(()),
        MetadataChange::Merge(pairs) => {
            check_metadata(&pairs.iter().filter_map(|(key, value)| Some((key.clone(), value.clone()?))).collect())
        }
    };
    let days = change.retention_days.flatten().map_or(Ok(()), retention::validate_days);
    let checks = [("display_name", name), ("metadata", metadata), ("retention_days", days)];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}

fn merged(mut metadata: Metadata, change: MetadataChange) -> Metadata {
    match change {
        MetadataChange::Keep => metadata,
        MetadataChange::Clear => Metadata::new(),
        MetadataChange::Merge(pairs) => {
            for (key, value) in pairs {
                match value {
                    Some(value) => metadata.insert(key, value),
                    None => metadata.remove(&key),
                };
            }
            metadata
        }
    }
}

pub(super) fn check_metadata(metadata: &Metadata) -> Result<(), String> {
    if metadata.len() > MAX_METADATA_PAIRS {
        return Err(format!("metadata holds at most {MAX_METADATA_PAIRS} pairs"));
    }
    let is_bad = |text: &str| text.len() > MAX_METADATA_TEXT_BYTES || text.contains('\0');
    let bad = metadata.iter().find(|(key, value)| {
        key.is_empty() || is_bad(key) || matches!(value, MetadataValue::String(text) if is_bad(text))
    });
    match bad {
        Some((key, _)) => {
            let key: String = key.chars().take(40).collect();
            Err(format!(
                "{key:?}: keys and strings have at most {MAX_METADATA_TEXT_BYTES} bytes, keys at least one, none a NUL"
            ))
        }
        None => Ok(()),
    }
}
