//! Batch lookup of messages.

use crate::app::{App, inboxes, reads};
use crate::model::{Caller, InboxId, Message, MessageId, Permission, ReadPart};
use crate::rules::{access, response_limits};
use crate::{Error, FieldError};

/// Maximum number of ids in one call (`wire.md`, section 3, Message item).
pub const MAX_BATCH_GET_IDS: usize = 500;

/// Returns messages with their bodies, newest first, without unknown ids.
///
/// The result is complete or an error: the sizes are checked before any body is read.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`] for the inbox,
/// [`Error::AnswerTooLarge`].
pub async fn batch_get(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_ids: &[MessageId],
) -> Result<Vec<Message>, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    check_ids(message_ids, MAX_BATCH_GET_IDS)?;
    inboxes::find(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);
    let sizes = app.store.body_sizes(organization_id, inbox_id, message_ids, readable).await?;
    let fitting = response_limits::count_fitting(&sizes);
    if fitting < sizes.len() {
        return Err(Error::AnswerTooLarge {
            size: sizes.iter().sum(),
            limit: response_limits::MAX_BODY_BYTES,
            messages: sizes.len(),
            fitting,
        });
    }
    let messages = app.store.messages(organization_id, inbox_id, message_ids, readable).await?;
    for message in &messages {
        reads::note(app, caller, &message.item, ReadPart::Message);
    }
    Ok(messages)
}

/// Returns every problem of the ids in a call with at most `most` ids.
#[must_use]
pub fn problems_of_ids(message_ids: &[MessageId], most: usize) -> Vec<FieldError> {
    let bad = |message: String| vec![FieldError::new("message_ids", message)];
    if message_ids.is_empty() || message_ids.len() > most {
        return bad(format!("1 to {most} message ids are needed"));
    }
    let distinct: std::collections::BTreeSet<_> = message_ids.iter().collect();
    if distinct.len() < message_ids.len() {
        return bad("a message id stands there twice".to_owned());
    }
    Vec::new()
}

pub(super) fn check_ids(message_ids: &[MessageId], most: usize) -> Result<(), Error> {
    Error::unless_empty(problems_of_ids(message_ids, most))
}
