//! Links that download a raw mail or an attachment without a key: ours, signed, and good for a short time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::App;
use super::drafts::{self, DraftDownload, DraftFile};
use crate::model::{Attachment, AttachmentId, HidingLabels, InboxId, MessageId, MessageItem, OrganizationId};
use crate::ports::{RawSource, WorkOwner};
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

/// An attachment of a stored message, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// The message that holds it.
    pub message_id: MessageId,
    /// Its description.
    pub attachment: Attachment,
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

/// The target of a valid link, before its content is read.
#[derive(Debug, Clone)]
pub enum LinkTarget {
    /// A raw mail or one of its attachments.
    Mail(Download),
    /// An attachment of a draft.
    Draft(DraftDownload),
}

impl LinkTarget {
    /// Returns the organization whose content the link leads to.
    #[must_use]
    pub fn organization_id(&self) -> OrganizationId {
        match self {
            Self::Mail(download) => download.organization_id,
            Self::Draft(download) => download.organization_id,
        }
    }
}

/// Verifies a link and returns its target.
///
/// # Errors
/// [`Error::NotFound`] for a link that is not ours or has run out.
pub fn verify_link(app: &App, token: &str) -> Result<LinkTarget, Error> {
    let draft = || opened(app, drafts::DOWNLOAD, token).map(LinkTarget::Draft);
    let target = opened(app, PURPOSE, token).map(LinkTarget::Mail).or_else(draft);
    target.ok_or_else(|| Error::not_found(Resource::Download, "this link"))
}

/// Reads the content that a link leads to.
///
/// # Errors
/// [`Error::NotFound`] where it was deleted.
pub async fn follow(app: &App, target: LinkTarget) -> Result<Downloaded, Error> {
    let gone = || Error::not_found(Resource::Download, "this link");
    match target {
        LinkTarget::Draft(download) => {
            drafts::download(app, download).await?.map(Downloaded::DraftAttachment).ok_or_else(gone)
        }
        LinkTarget::Mail(Download { organization_id, inbox_id, message_id, attachment_id }) => {
            let _permit = app.waiting.large_reads.acquire(organization_id).await?;
            let source = app.store.raw_message(organization_id, &inbox_id, &message_id, HidingLabels::ALL).await?;
            let source = source.ok_or_else(gone)?;
            match attachment_id {
                None => Ok(Downloaded::Raw(source)),
                Some(attachment_id) => extract(app, source, attachment_id).await.map(Downloaded::Attachment),
            }
        }
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

/// Finds an attachment of a message.
pub(super) fn find_attachment(item: MessageItem, attachment_id: AttachmentId) -> Result<StoredAttachment, Error> {
    let attachment = item.attachments.into_iter().find(|attachment| attachment.attachment_id == attachment_id);
    let attachment = attachment.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    Ok(StoredAttachment { message_id: item.message_id, attachment })
}

/// Takes an attachment out of the mail that holds it.
pub(super) async fn extract(app: &App, source: RawSource, attachment_id: AttachmentId) -> Result<AttachedFile, Error> {
    let RawSource { item, raw } = source;
    let owner = WorkOwner::Organization(item.organization_id);
    let StoredAttachment { message_id, attachment } = find_attachment(item, attachment_id)?;
    let part = attachment.part;
    let content = app.compute(owner, raw.len(), move || inboxd_mail::attachment_content(&raw, part)).await?;
    let content = content.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    Ok(AttachedFile { message_id, attachment, content })
}
