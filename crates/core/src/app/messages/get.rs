//! Lookup of one message or its raw content.

use crate::app::downloads::{self, RawDownload};
use crate::app::{App, inboxes, reads};
use crate::model::{Caller, InboxId, Message, MessageId, MessageItem, Permission, ReadPart};
use crate::ports::RawSource;
use crate::rules::{access, redaction};
use crate::{Error, Resource};

/// Returns a message with its bodies.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, inbox_id: &InboxId, message_id: &MessageId) -> Result<Message, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::approach(app, caller, inbox_id).await?;
    let found = find(app, caller, inbox_id, message_id).await;
    match &found {
        Ok(message) => reads::note(app, caller, &message.item, ReadPart::Message),
        Err(Error::NotFound { .. }) => drop(inboxes::find(app, caller, inbox_id).await?),
        Err(_) => {}
    }
    found
}

/// Returns a message without bodies and raw content.
///
/// # Errors
/// As [`get`].
pub async fn item(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<MessageItem, Error> {
    require_readable_inbox(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let found = app.store.message_item(organization_id, inbox_id, message_id, access::readable(caller)).await?;
    found.ok_or_else(|| Error::not_found(Resource::Message, message_id))
}

/// Returns a message with its raw content for a download, which reads a large one in pieces. [`note_download`] notes the
/// read once the first piece is there.
///
/// # Errors
/// As [`linked`].
pub async fn download_raw(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<RawDownload, Error> {
    require_readable_inbox(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let found = downloads::raw(app, organization_id, inbox_id, message_id, access::readable(caller)).await?;
    found.ok_or_else(|| Error::not_found(Resource::Message, message_id))
}

/// Notes that a caller reads the raw content of a message.
pub fn note_download(app: &App, caller: &Caller, item: &MessageItem) {
    reads::note(app, caller, item, ReadPart::Raw);
}

/// Returns a message, without bodies, for a link to its raw content.
///
/// # Errors
/// As [`get`], and [`RedactionRefusal::Redacted`](crate::RedactionRefusal::Redacted).
pub async fn linked(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<MessageItem, Error> {
    let item = item(app, caller, inbox_id, message_id).await?;
    redaction::require_content(&item)?;
    reads::note(app, caller, &item, ReadPart::Raw);
    Ok(item)
}

/// Requires an inbox in the reach of a caller that may read messages.
///
/// # Errors
/// As [`get`].
pub(super) async fn require_readable_inbox(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await.map(drop)
}

/// Returns the message. The use case has already checked permission and inbox.
pub(in crate::app) async fn find(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<Message, Error> {
    let organization_id = caller.organization.organization_id;
    let found = app.store.message(organization_id, inbox_id, message_id, access::readable(caller)).await?;
    found.ok_or_else(|| Error::not_found(Resource::Message, message_id))
}

/// Returns the message with its raw content. The use case has already checked permission and inbox.
pub(super) async fn find_raw(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
) -> Result<RawSource, Error> {
    let organization_id = caller.organization.organization_id;
    let found = app.store.raw_message(organization_id, inbox_id, message_id, access::readable(caller)).await?;
    let found = found.ok_or_else(|| Error::not_found(Resource::Message, message_id))?;
    redaction::require_content(&found.item)?;
    Ok(found)
}
