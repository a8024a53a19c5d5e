//! Hold and resumption of the queued messages of an organization or an inbox, in slices.
//!
//! The suspension, the brake or the pause is committed first: from then on no message is accepted or claimed, and claimed messages are
//! recalled. Each slice is a separate unit of work, because one statement can exceed its timeout on a long queue. A
//! worker resumes messages that an interrupted request leaves held.

use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{InboxId, OrganizationId, OutgoingId};
use crate::ports::{QueueSlice, StoreError};

/// Maximum number of messages in one unit of work.
const MAX_SLICE_MESSAGES: u32 = 5_000;

/// Target state of queued messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueState {
    /// Messages wait until the organization or inbox is active again.
    Held,
    /// Messages are due as before.
    Due,
}

/// Holds the queue of an organization that sends nothing, or resumes that of an active one.
pub(super) async fn apply_stop(app: &App, organization_id: OrganizationId, state: QueueState) -> Result<(), Error> {
    apply(app, organization_id, None, state).await
}

/// Holds the queue of a paused inbox, or resumes that of an active one.
pub(super) async fn apply_pause(
    app: &App,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    state: QueueState,
) -> Result<(), Error> {
    apply(app, organization_id, Some(inbox_id), state).await
}

async fn apply(
    app: &App,
    organization_id: OrganizationId,
    inbox_id: Option<&InboxId>,
    state: QueueState,
) -> Result<(), Error> {
    let mut slice = QueueSlice { organization_id, inbox_id: inbox_id.cloned(), after: None, limit: MAX_SLICE_MESSAGES };
    loop {
        slice.after = retried(is_lock_conflict, || apply_slice(app, &slice, state)).await?;
        if slice.after.is_none() {
            return Ok(());
        }
    }
}

fn is_lock_conflict(error: &Error) -> bool {
    is_contention(error) || matches!(error, Error::Store(StoreError::LockTimeout))
}

/// Changes a slice and returns the start of the next one. Returns `None` when another request has changed the state.
async fn apply_slice(app: &App, slice: &QueueSlice, state: QueueState) -> Result<Option<OutgoingId>, Error> {
    let mut tx = app.store.begin().await?;
    let organization_id = slice.organization_id;
    let is_stopped = match &slice.inbox_id {
        None => tx.accounts().lock(organization_id).await?.map(|organization| organization.sends_nothing()),
        // The exclusive lock waits for units of work that began before the pause and may still queue a message.
        Some(inbox_id) if state == QueueState::Held && slice.after.is_none() => {
            tx.inboxes().lock_exclusive(organization_id, inbox_id).await?.map(|inbox| inbox.paused_at.is_some())
        }
        Some(inbox_id) => tx.inboxes().lock(organization_id, inbox_id).await?.map(|inbox| inbox.paused_at.is_some()),
    };
    if is_stopped != Some(state == QueueState::Held) {
        return Ok(None);
    }
    let next = match state {
        QueueState::Held => tx.outgoing().suspend(slice).await?,
        QueueState::Due => tx.outgoing().resume(slice).await?,
    };
    tx.commit().await?;
    Ok(next)
}
