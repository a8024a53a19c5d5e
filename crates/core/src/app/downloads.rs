//! Links that download a raw mail or an attachment without a key: ours, signed, and good for a short time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::App;
use super::drafts::{self, DraftFile};
use crate::model::{Attachment, AttachmentId, Hidden, InboxId, MessageId, OrganizationId};
use crate::ports::RawSource;
use crate::{Error, Resource};

/// How long a link works.
pub const LIFETIME: Duration = Duration::minutes(15);
const PURPOSE: &str = "download";

/// An attachment with its octets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// The message that holds it.
    pub message_id: MessageId,
    /// What it is.
    pub attachment: Attachment,
    /// Its octets.
    pub content: Vec<u8>,
}

/// What a link downloads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Download {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The message.
    pub message_id: MessageId,
    /// One of its attachments; `None` for the raw mail.
    pub attachment_id: Option<AttachmentId>,
}

/// A link that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The signed text of the link.
    pub token: String,
    /// When it stops working.
    pub expires_at: OffsetDateTime,
}

/// What a link leads to.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
#[derive(Debug, Clone, PartialEq)]
pub enum Downloaded {
    /// A raw mail.
    Raw(RawSource),
    /// An attachment.
    Attachment(AttachedFile),
    /// An attachment of a draft.
    DraftAttachment(DraftFile),
}

/// Makes a link to something that the caller may read.
///
/// # Errors
/// [`Error::Internal`].
pub fn link(app: &App, download: &Download) -> Result<Link, Error> {
    signed(app, PURPOSE, download)
}

/// Follows a link.
///
/// # Errors
/// [`Error::NotFound`] for a link that is not ours, has run out, or leads to what was deleted.
pub async fn follow(app: &App, token: &str) -> Result<Downloaded, Error> {
    let gone = || Error::not_found(Resource::Download, "this link");
    if let Some(download) = opened(app, drafts::DOWNLOAD, token) {
        return drafts::download(app, download).await?.map(Downloaded::DraftAttachment).ok_or_else(gone);
    }
    let Download { organization_id, inbox_id, message_id, attachment_id } =
        opened(app, PURPOSE, token).ok_or_else(gone)?;
    let source = app.store.raw_message(organization_id, &inbox_id, &message_id, Hidden::ALL).await?.ok_or_else(gone)?;
    match attachment_id {
        None => Ok(Downloaded::Raw(source)),
        Some(attachment_id) => extract(source, attachment_id).map(Downloaded::Attachment),
    }
}

/// A link to something.
pub(super) fn signed(app: &App, purpose: &str, download: &impl Serialize) -> Result<Link, Error> {
    let expires_at = app.clock.now() + LIFETIME;
    let payload = serde_json::to_vec(&(expires_at.unix_timestamp(), download))
        .map_err(|error| Error::Internal(error.to_string()))?;
    Ok(Link { token: app.settings.signing_key.sign(purpose, &payload), expires_at })
}

/// What a link leads to; `None` for one of another purpose, one that is not ours, and one that has run out.
fn opened<T: DeserializeOwned>(app: &App, purpose: &str, token: &str) -> Option<T> {
    let payload = app.settings.signing_key.verify(purpose, token)?;
    let (expires_at, download): (i64, T) = serde_json::from_slice(&payload).ok()?;
    (expires_at > app.clock.now().unix_timestamp()).then_some(download)
}

/// Takes an attachment out of the mail that holds it.
pub(super) fn extract(source: RawSource, attachment_id: AttachmentId) -> Result<AttachedFile, Error> {
    let not_found = || Error::not_found(Resource::Attachment, attachment_id);
    let attachment = source
        .item
        .attachments
        .into_iter()
        .find(|attachment| attachment.attachment_id == attachment_id)
        .ok_or_else(not_found)?;
    let content = inboxd_mail::attachment_content(&source.raw, attachment.part).ok_or_else(not_found)?;
    Ok(AttachedFile { message_id: source.item.message_id, attachment, content })
}
