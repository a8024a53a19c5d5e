//! Holding and resuming the queued messages of an organization or an inbox, in slices.
//!
//! The state is committed before: from then on nothing is accepted, no claim finds a message of it, and claimed messages are
//! recalled. A queue may be longer than one statement can change in its time, so each slice is a unit of work of its own. A
//! worker resumes what an interrupted request leaves held.

use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{InboxId, OrganizationId, OutgoingId};
use crate::ports::{QueueSlice, StoreError};

/// Messages of one unit of work.
const MAX_SLICE_MESSAGES: u32 = 5_000;

/// The state that queued messages get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueState {
    /// They wait for the organization or inbox.
    Held,
    /// They are due as before.
    Due,
}

/// Holds the queue of a suspended organization, or resumes that of an active one.
pub(super) async fn apply_suspension(
    app: &App,
    organization_id: OrganizationId,
    state: QueueState,
) -> Result<(), Error> {
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

/// Changes a slice and returns where the next one begins, unless another request has changed the state since.
async fn apply_slice(app: &App, slice: &QueueSlice, state: QueueState) -> Result<Option<OutgoingId>, Error> {
    let mut tx = app.store.begin().await?;
    let organization_id = slice.organization_id;
    let is_stopped = match &slice.inbox_id {
        None => tx.accounts().lock(organization_id).await?.map(|organization| organization.suspension.is_some()),
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
