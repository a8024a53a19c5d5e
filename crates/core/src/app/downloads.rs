//! Signed short-lived links that download a raw message or an attachment without an API key.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::App;
use super::attachment_text::{self, AttachedText};
use super::drafts::{self, DraftDownload, DraftFile};
use super::files::{self, DownloadedFile, FileDownload};
use crate::model::{
    Attachment, AttachmentId, Content, ContentFilter, HidingLabels, InboxId, MessageId, MessageItem, OrganizationId,
};
use crate::ports::{RawSource, StoreError, TextFormat, WorkOwner};
use crate::rules::redaction;
use crate::{Error, Resource};

/// Lifetime of a link.
pub const LIFETIME: Duration = Duration::minutes(15);
const PURPOSE: &str = "download";

/// A message and its raw content for a download.
#[derive(Debug, Clone, PartialEq)]
pub struct RawDownload {
    /// The message.
    pub item: MessageItem,
    /// The raw message, byte for byte.
    pub content: Content,
}

/// An attachment with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// Message of the attachment.
    pub message_id: MessageId,
    /// Description of the attachment.
    pub attachment: Attachment,
    /// Content bytes.
    pub content: Vec<u8>,
}

/// An attachment of a stored message, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// Message of the attachment.
    pub message_id: MessageId,
    /// Description of the attachment.
    pub attachment: Attachment,
}

/// Target of a message link, part of the signed token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Download {
    /// Organization of the message.
    pub organization_id: OrganizationId,
    /// Inbox of the message.
    pub inbox_id: InboxId,
    /// Id of the message.
    pub message_id: MessageId,
    /// Id of an attachment; `None` for the raw message.
    pub attachment_id: Option<AttachmentId>,
    /// Form of the text of the attachment; `None` for its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextFormat>,
}

/// A signed link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Signed token.
    pub token: String,
    /// Time of expiry.
    pub expires_at: OffsetDateTime,
}

/// Content that a link downloads.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is taken apart at once")]
#[derive(Debug, Clone, PartialEq)]
pub enum Downloaded {
    /// A raw message.
    Raw(RawDownload),
    /// An attachment.
    Attachment(AttachedFile),
    /// The text of an attachment.
    Text(AttachedText),
    /// An attachment of a draft.
    DraftAttachment(DraftFile),
    /// A file of an inbox.
    File(DownloadedFile),
}

/// Creates a link to content that the caller may read.
///
/// # Errors
/// [`Error::Internal`].
pub fn link(app: &App, download: &Download) -> Result<Link, Error> {
    signed(app, PURPOSE, download)
}

/// The target of a valid link, before its content is read.
#[derive(Debug, Clone)]
pub enum LinkTarget {
    /// A raw message or one of its attachments.
    Mail(Download),
    /// An attachment of a draft.
    Draft(DraftDownload),
    /// A file of an inbox.
    File(FileDownload),
}

impl LinkTarget {
    /// Returns the organization of the content.
    #[must_use]
    pub fn organization_id(&self) -> OrganizationId {
        match self {
            Self::Mail(download) => download.organization_id,
            Self::Draft(download) => download.organization_id,
            Self::File(download) => download.organization_id,
        }
    }
}

/// Verifies a link and returns its target.
///
/// # Errors
/// [`Error::NotFound`] for an expired link or a wrong signature.
pub fn verify_link(app: &App, token: &str) -> Result<LinkTarget, Error> {
    let draft = || opened(app, drafts::DOWNLOAD, token).map(LinkTarget::Draft);
    let file = || opened(app, files::DOWNLOAD, token).map(LinkTarget::File);
    let target = opened(app, PURPOSE, token).map(LinkTarget::Mail).or_else(draft).or_else(file);
    target.ok_or_else(|| Error::not_found(Resource::Download, "this link"))
}

/// Reads the content of a link.
///
/// # Errors
/// [`Error::AttachmentText`]; [`Error::NotFound`] for deleted content; [`RedactionRefusal::Redacted`](crate::RedactionRefusal::Redacted); [`Error::Store`] where too many reads wait.
pub async fn follow(app: &App, target: LinkTarget) -> Result<Downloaded, Error> {
    let gone = || Error::not_found(Resource::Download, "this link");
    match target {
        LinkTarget::Draft(download) => {
            drafts::download(app, download).await?.map(Downloaded::DraftAttachment).ok_or_else(gone)
        }
        LinkTarget::File(target) => files::download(app, target).await?.map(Downloaded::File).ok_or_else(gone),
        LinkTarget::Mail(download) => follow_to_mail(app, download).await?.ok_or_else(gone),
    }
}

/// Reads a raw message, one of its attachments or the text of that; `None` without the message.
async fn follow_to_mail(app: &App, download: Download) -> Result<Option<Downloaded>, Error> {
    let Download { organization_id, inbox_id, message_id, attachment_id, text } = download;
    let Some(attachment_id) = attachment_id else {
        let found = raw(app, organization_id, &inbox_id, &message_id, HidingLabels::ALL).await?;
        return Ok(found.map(Downloaded::Raw));
    };
    let _extraction = match text {
        Some(_) => Some(app.waiting.text_extractions.acquire(organization_id).await?),
        None => None,
    };
    let permit = app.waiting.large_reads.acquire(organization_id).await?;
    let source = app.store.raw_message(organization_id, &inbox_id, &message_id, HidingLabels::ALL).await?;
    let Some(source) = source else { return Ok(None) };
    let file = extract(app, source, attachment_id).await?;
    drop(permit);
    Ok(Some(match text {
        Some(format) => Downloaded::Text(attachment_text::extract(app, file, format).await?),
        None => Downloaded::Attachment(file),
    }))
}

/// Returns a message with its raw content; `None` without the message.
///
/// # Errors
/// [`RedactionRefusal::Redacted`](crate::RedactionRefusal::Redacted); [`Error::Store`] where too many reads wait.
pub(super) async fn raw(
    app: &App,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    message_id: &MessageId,
    readable: HidingLabels,
) -> Result<Option<RawDownload>, Error> {
    let read = |filter| app.store.raw_content(organization_id, inbox_id, message_id, readable, filter);
    let Some((item, content)) = read_content(app, organization_id, read).await? else { return Ok(None) };
    redaction::require_content(&item)?;
    Ok(Some(RawDownload { item, content }))
}

/// Runs a read of a content. Where stores exist, it looks for an object first, which needs no memory. The bytes of a row do, so
/// their read has a permit for a large read.
///
/// # Errors
/// [`Error::Store`], also where too many reads wait.
pub(super) async fn read_content<T, Reading>(
    app: &App,
    organization_id: OrganizationId,
    read: impl Fn(ContentFilter) -> Reading,
) -> Result<Option<T>, Error>
where
    Reading: Future<Output = Result<Option<T>, StoreError>>,
{
    if app.blobs.has_stores()
        && let Some(object) = read(ContentFilter::Objects).await?
    {
        return Ok(Some(object));
    }
    let _permit = app.waiting.large_reads.acquire(organization_id).await?;
    Ok(read(ContentFilter::All).await?)
}

/// Signs a link for a purpose.
pub(super) fn signed(app: &App, purpose: &str, download: &impl Serialize) -> Result<Link, Error> {
    signed_until(app, purpose, download, app.clock.now() + LIFETIME)
}

/// Signs a link for a purpose until a time.
pub(super) fn signed_until(
    app: &App,
    purpose: &str,
    download: &impl Serialize,
    expires_at: OffsetDateTime,
) -> Result<Link, Error> {
    let payload = serde_json::to_vec(&(expires_at.unix_timestamp(), download))
        .map_err(|error| Error::Internal(error.to_string()))?;
    Ok(Link { token: app.settings.signing_key.sign(purpose, &payload), expires_at })
}

/// Returns the payload of a token; `None` for another purpose, a wrong signature or an expired link.
pub(super) fn opened<T: DeserializeOwned>(app: &App, purpose: &str, token: &str) -> Option<T> {
    let payload = app.settings.signing_key.verify(purpose, token)?;
    let (expires_at, download): (i64, T) = serde_json::from_slice(&payload).ok()?;
    (expires_at > app.clock.now().unix_timestamp()).then_some(download)
}

/// Finds an attachment of a message.
pub(super) fn find_attachment(item: MessageItem, attachment_id: AttachmentId) -> Result<StoredAttachment, Error> {
    redaction::require_content(&item)?;
    let attachment = item.attachments.into_iter().find(|attachment| attachment.attachment_id == attachment_id);
    let attachment = attachment.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    Ok(StoredAttachment { message_id: item.message_id, attachment })
}

/// Extracts an attachment from a raw message.
pub(super) async fn extract(app: &App, source: RawSource, attachment_id: AttachmentId) -> Result<AttachedFile, Error> {
    let RawSource { item, raw } = source;
    let owner = WorkOwner::Organization(item.organization_id);
    let StoredAttachment { message_id, attachment } = find_attachment(item, attachment_id)?;
    let part = attachment.part;
    let content = app.compute(owner, raw.len(), move || inboxd_mail::attachment_content(&raw, part)).await?;
    let content = content.ok_or_else(|| Error::not_found(Resource::Attachment, attachment_id))?;
    Ok(AttachedFile { message_id, attachment, content })
}

/// Returns the attachments that a selection of those of a message names, from one read of its source. Those without
/// content are left out.
pub(super) async fn contents(
    app: &App,
    RawSource { item, raw }: RawSource,
    select: impl FnOnce(Vec<Attachment>) -> Vec<Attachment>,
) -> Result<Vec<AttachedFile>, Error> {
    let MessageItem { organization_id, message_id, attachments, .. } = item;
    let attachments = select(attachments);
    let parts: Vec<usize> = attachments.iter().map(|attachment| attachment.part).collect();
    let owner = WorkOwner::Organization(organization_id);
    let contents = app.compute(owner, raw.len(), move || inboxd_mail::attachment_contents(&raw, &parts)).await?;
    let file = |(attachment, content): (Attachment, Option<Vec<u8>>)| {
        Some(AttachedFile { message_id: message_id.clone(), attachment, content: content? })
    };
    Ok(attachments.into_iter().zip(contents).filter_map(file).collect())
}
