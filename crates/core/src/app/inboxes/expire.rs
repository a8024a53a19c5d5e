//! Deletion of the messages of an inbox after its retention.

use time::Duration;

use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::messages::lock_threads;
use crate::app::{App, legal_holds, threads};
use crate::model::{Inbox, MessageId, OrganizationId};
use crate::ports::Tx;
use crate::rules::retention;

/// Messages deleted by one unit of work, few enough not to block other work.
const BATCH: u32 = 200;
/// Time between two looks at an inbox without expired messages.
const EXPIRY_INTERVAL: Duration = Duration::hours(1);

/// Deletes a batch of expired messages of one inbox of the next organization after `after`, and the threads without
/// messages. Returns that organization; `None` when no later one has an inbox that is due.
///
/// Each organization so gets one batch a round, however much of it has expired. Under a legal hold nothing is deleted.
///
/// # Errors
/// [`Error::Store`].
pub async fn expire_messages(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Error> {
    retried(is_contention, || expire_once(app, after)).await
}

async fn expire_once(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let Some(inbox) = tx.inboxes().lock_expiring(after, now).await? else { return Ok(None) };
    let held = legal_holds::require_deletable_inbox(tx.as_mut(), &inbox).await;
    let is_done = match held {
        Err(Error::LegalHold(_)) => true,
        held => {
            held?;
            delete_expired(app, tx.as_mut(), &inbox).await? < BATCH as usize
        }
    };
    tx.inboxes().postpone_expiry(&inbox, if is_done { now + EXPIRY_INTERVAL } else { now }).await?;
    tx.commit().await?;
    Ok(Some(inbox.organization_id))
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
