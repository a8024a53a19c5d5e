//! Deletion of the messages of an inbox after its retention.

use time::{Duration, OffsetDateTime};

use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::messages::lock_threads;
use crate::app::{App, legal_holds, threads};
use crate::model::{Inbox, InboxId, MessageId, OrganizationId};
use crate::ports::{StoreError, Tx};
use crate::rules::retention;

/// Messages deleted by one unit of work, few enough not to block other work.
const BATCH: u32 = 200;
/// Time between two looks at an inbox without expired messages.
const EXPIRY_INTERVAL: Duration = Duration::hours(1);
/// Time until the next try to delete expired messages of an inbox after a failure.
const RETRY_DELAY: Duration = Duration::minutes(5);

/// Turn of an organization in the deletion of expired messages.
#[derive(Debug)]
pub struct ExpiryTurn {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Inbox after a failed deletion of its expired messages, with the cause. It is tried again later.
    pub failure: Option<(InboxId, Error)>,
}

/// Failed attempt, with its inbox once that is known.
struct FailedExpiry {
    inbox: Option<Inbox>,
    error: Error,
}

/// Deletes a batch of expired messages of one inbox of the next organization after `after`, and the threads without
/// messages. Returns the turn of that organization; `None` when no later one has an inbox that is due.
///
/// Each organization so gets one batch a round, however much of it has expired. Under a legal hold nothing is deleted. An
/// inbox that fails delays neither the others of its organization nor later organizations.
///
/// # Errors
/// [`Error::Store`].
pub async fn expire_messages(app: &App, after: Option<OrganizationId>) -> Result<Option<ExpiryTurn>, Error> {
    let attempt = || expire_once(app, after);
    match retried::<_, Box<FailedExpiry>, _>(|failed| is_contention(&failed.error), attempt).await {
        Ok(turn) => Ok(turn.map(|organization_id| ExpiryTurn { organization_id, failure: None })),
        Err(failed) => {
            let FailedExpiry { inbox, error } = *failed;
            let Some(inbox) = inbox else { return Err(error) };
            postpone(app, &inbox).await?;
            let Inbox { organization_id, inbox_id, .. } = inbox;
            Ok(Some(ExpiryTurn { organization_id, failure: Some((inbox_id, error)) }))
        }
    }
}

async fn expire_once(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Box<FailedExpiry>> {
    let early = |error: StoreError| Box::new(FailedExpiry { inbox: None, error: error.into() });
    let now = app.clock.now();
    let mut tx = app.store.begin().await.map_err(early)?;
    let Some(inbox) = tx.inboxes().lock_expiring(after, now).await.map_err(early)? else { return Ok(None) };
    match expire_inbox(app, tx, &inbox, now).await {
        Ok(()) => Ok(Some(inbox.organization_id)),
        Err(error) => Err(Box::new(FailedExpiry { inbox: Some(inbox), error })),
    }
}

/// Deletes a batch of expired messages of a locked inbox.
async fn expire_inbox(app: &App, mut tx: Box<dyn Tx>, inbox: &Inbox, now: OffsetDateTime) -> Result<(), Error> {
    let held = legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await;
    let is_done = match held {
        Err(Error::LegalHold(_)) => true,
        held => {
            held?;
            delete_expired(app, tx.as_mut(), inbox).await? < BATCH as usize
        }
    };
    tx.inboxes().postpone_expiry(inbox, if is_done { now + EXPIRY_INTERVAL } else { now }).await?;
    Ok(tx.commit().await?)
}

/// Postpones an inbox after a failed unit of work.
async fn postpone(app: &App, inbox: &Inbox) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.inboxes().postpone_expiry(inbox, app.clock.now() + RETRY_DELAY).await?;
    Ok(tx.commit().await?)
}

/// Returns the number of expired messages, all of which are deleted.
async fn delete_expired(app: &App, tx: &mut dyn Tx, inbox: &Inbox) -> Result<usize, Error> {
    let Inbox { organization_id, inbox_id, retention_days: Some(days), .. } = inbox else { return Ok(0) };
    let now = app.clock.now();
    let before = retention::expired_before(now, *days);
    let expired = tx.messages().expired(*organization_id, inbox_id, before, BATCH).await?;
    let locked = lock_threads(tx, *organization_id, inbox_id, &expired).await?;
    // Read again under the locks: a message may have been deleted before.
    let ids: Vec<MessageId> = expired.iter().map(|message| message.message_id.clone()).collect();
    let found = tx.messages().items(*organization_id, inbox_id, &ids).await?;
    threads::remove(tx, inbox, locked, &found, now).await?;
    Ok(expired.len())
}
