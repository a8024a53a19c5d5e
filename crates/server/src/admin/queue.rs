//! End of the hold of the outgoing queue.

use inboxd_core::app::{self, App};
use inboxd_postgres::PgStore;
use time::OffsetDateTime;

use super::{message_of, print, require_yes};
use crate::failure::{ErrorContext, Failure};

/// Drafts and webhook deliveries per read.
const BATCH: u32 = 500;

/// Releases the held queue for delivery.
pub(crate) async fn release(store: &PgStore) -> Result<(), Failure> {
    let since = held_since(store).await?;
    store.release_hold().await.context("cannot release the queue")?;
    print(&format!("the queue was held since {since}, and is now released\n"))
}

/// Drops the work that was queued before the hold began.
pub(crate) async fn drop_held(app: &App, store: &PgStore, yes: bool) -> Result<(), Failure> {
    let since = held_since(store).await?;
    require_yes(yes, &format!("mail, scheduled drafts and webhook deliveries from before {since} will not be sent"))?;
    let (mut mails, mut drafts, mut deliveries) = (0, 0, 0);
    loop {
        let taken = app::drop_queued_mail(app, since).await.map_err(message_of).context("cannot drop queued mail")?;
        mails += taken;
        if taken == 0 {
            break;
        }
    }
    loop {
        let due = store.drafts_due_before(since, BATCH).await.context("cannot read scheduled drafts")?;
        let mut failed = 0;
        for (organization_id, draft_id) in due {
            let has_failed = app::drop_scheduled_draft(app, organization_id, draft_id).await.map_err(message_of);
            failed += usize::from(has_failed.context("cannot unschedule a draft")?);
        }
        drafts += failed;
        if failed == 0 {
            break;
        }
    }
    loop {
        let dropped = store.drop_deliveries_before(since, BATCH).await.context("cannot drop webhook deliveries")?;
        deliveries += dropped;
        if dropped == 0 {
            break;
        }
    }
    store.release_hold().await.context("cannot release the queue")?;
    print(&format!(
        "dropped {mails} mails, {drafts} scheduled drafts and {deliveries} webhook deliveries from before {since}; later \
         work is released\n"
    ))
}

async fn held_since(store: &PgStore) -> Result<OffsetDateTime, Failure> {
    let since = store.held_since().await.context("cannot read the hold of the queue")?;
    since.ok_or_else(|| Failure::new("the queue is not held; `inboxd serve --hold` holds it"))
}
