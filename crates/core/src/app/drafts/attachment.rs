//! Attachments of drafts and their download links.

use serde::{Deserialize, Serialize};

use super::find::get;
use crate::app::App;
use crate::app::downloads::{Link, read_content, signed};
use crate::model::permissions::DraftRead;
use crate::model::{Attachment, AttachmentId, Content, Draft, DraftId, OrganizationId};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Purpose that the signature of a link covers.
pub(in crate::app) const DOWNLOAD: &str = "draft download";

/// Attachment of a draft with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftFile {
    /// The metadata.
    pub attachment: Attachment,
    /// The content.
    pub content: Content,
}

/// Target of a download link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are ids")]
pub struct DraftDownload {
    pub(in crate::app) organization_id: OrganizationId,
    draft_id: DraftId,
    attachment_id: AttachmentId,
}

/// Returns an attachment with its content.
///
/// # Errors
/// As [`get`], and [`Error::NotFound`] for the attachment.
pub async fn attachment(
    app: &App,
    caller: &AuthorizedCaller<DraftRead>,
    draft_id: DraftId,
    attachment_id: AttachmentId,
) -> Result<DraftFile, Error> {
    let draft = get(app, caller, draft_id).await?;
    let attachment = named(draft, attachment_id)?;
    let content = content_of(app, caller.organization.organization_id, draft_id, attachment_id).await?;
    let content = content.ok_or_else(|| not_found(attachment_id))?;
    Ok(DraftFile { attachment, content })
}

/// Returns the metadata of an attachment and a signed link to it, without a read of its content.
///
/// # Errors
/// As [`attachment`].
pub async fn link(
    app: &App,
    caller: &AuthorizedCaller<DraftRead>,
    draft_id: DraftId,
    attachment_id: AttachmentId,
) -> Result<(Attachment, Link), Error> {
    let draft = get(app, caller, draft_id).await?;
    let attachment = named(draft, attachment_id)?;
    let organization_id = caller.organization.organization_id;
    let link = signed(app, DOWNLOAD, &DraftDownload { organization_id, draft_id, attachment_id })?;
    Ok((attachment, link))
}

/// Returns the target of a link, or `None` if it was deleted.
pub(in crate::app) async fn download(app: &App, download: DraftDownload) -> Result<Option<DraftFile>, Error> {
    let DraftDownload { organization_id, draft_id, attachment_id } = download;
    let Some(draft) = app.store.draft(organization_id, draft_id).await? else { return Ok(None) };
    let Ok(attachment) = named(draft, attachment_id) else { return Ok(None) };
    let content = content_of(app, organization_id, draft_id, attachment_id).await?;
    Ok(content.map(|content| DraftFile { attachment, content }))
}

/// Returns the content of an attachment; `None` if it was deleted.
async fn content_of(
    app: &App,
    organization_id: OrganizationId,
    draft_id: DraftId,
    attachment_id: AttachmentId,
) -> Result<Option<Content>, Error> {
    let read = |filter| app.store.draft_content(organization_id, draft_id, attachment_id, filter);
    read_content(app, organization_id, read).await
}

fn named(draft: Draft, attachment_id: AttachmentId) -> Result<Attachment, Error> {
    let mut attachments = draft.item.attachments.into_iter();
    attachments.find(|attachment| attachment.attachment_id == attachment_id).ok_or_else(|| not_found(attachment_id))
}

fn not_found(attachment_id: AttachmentId) -> Error {
    Error::not_found(Resource::Attachment, attachment_id)
}
