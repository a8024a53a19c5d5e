//! Unit of work that stores a batch of inbound mail.

use super::Stored;
use super::acquaintances::Acquainted;
use super::arriving::Arriving;
use super::batch::{Batch, query};
use crate::app::{App, calendar, contacts, received_codes};
use crate::ports::{LockWait, StoreError};
use crate::rules::event_ids;

/// Stores mails in one unit of work and returns their results in the same order.
///
/// # Errors
/// The failure of the unit of work, which has then stored nothing.
pub(super) async fn store_batch(app: &App, mails: &[Arriving], lock_wait: LockWait) -> Result<Vec<Stored>, StoreError> {
    let mut tx = app.store.begin_within(lock_wait).await?;
    let mut acquainted = Acquainted::cached(app, mails);
    let mut found = tx.inbound().look_up(&query(app, mails, acquainted.missing())).await?;
    acquainted.add(app, std::mem::take(&mut found.acquaintances));
    let mut batch = Batch::new(app, found, acquainted);
    let answered = batch.threads_of(mails);
    if !answered.is_empty() {
        batch.take_threads(tx.threads().lock_across(&answered).await?);
    }
    let stored = mails.iter().map(|mail| batch.file(mail)).collect();
    let (mut new, calendars) = batch.finish();
    if !new.messages.is_empty() {
        calendar::file(app, tx.as_mut(), &calendars, &mut new).await?;
        event_ids::ascend(&mut new.events);
        let codes = received_codes::sealed(app, &new.messages)?;
        if !codes.is_empty() {
            tx.policies().keep_codes(&codes).await?;
        }
        tx.commit_with(&new).await?;
        contacts::trim(app, &new.events).await;
    }
    Ok(stored)
}
