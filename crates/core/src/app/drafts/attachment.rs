//! Reading an attachment of a draft.

use serde::{Deserialize, Serialize};

use super::find::get;
use crate::app::App;
use crate::app::downloads::{Link, signed};
use crate::model::permissions::DraftRead;
use crate::model::{Attachment, AttachmentId, Draft, DraftId, OrganizationId};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// What the links are signed for.
pub(in crate::app) const DOWNLOAD: &str = "draft download";

/// An attachment of a draft, with its octets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftFile {
    /// What it is.
    pub attachment: Attachment,
    /// Its octets.
    pub content: Vec<u8>,
}

/// What a link to an attachment of a draft downloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "they are ids")]
pub struct DraftDownload {
    pub(in crate::app) organization_id: OrganizationId,
    draft_id: DraftId,
    attachment_id: AttachmentId,
}

/// Reads an attachment with its octets.
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
    let content = app.store.draft_content(caller.organization.organization_id, draft_id, attachment_id).await?;
    let content = content.ok_or_else(|| not_found(attachment_id))?;
    Ok(DraftFile { attachment, content })
}

/// Makes a link to an attachment of a draft that the caller may read, and answers what it is; its octets are not read.
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

/// What a link leads to; `None` when it was deleted.
pub(in crate::app) async fn download(app: &App, download: DraftDownload) -> Result<Option<DraftFile>, Error> {
    let DraftDownload { organization_id, draft_id, attachment_id } = download;
    let Some(draft) = app.store.draft(organization_id, draft_id).await? else { return Ok(None) };
    let Ok(attachment) = named(draft, attachment_id) else { return Ok(None) };
    let content = app.store.draft_content(organization_id, draft_id, attachment_id).await?;
    Ok(content.map(|content| DraftFile { attachment, content }))
}

fn named(draft: Draft, attachment_id: AttachmentId) -> Result<Attachment, Error> {
    let mut attachments = draft.item.attachments.into_iter();
    attachments.find(|attachment| attachment.attachment_id == attachment_id).ok_or_else(|| not_found(attachment_id))
}

fn not_found(attachment_id: AttachmentId) -> Error {
    Error::not_found(Resource::Attachment, attachment_id)
}
