//! Signed links to stored files, which clients download without a key.

use inboxd_core::app::downloads::{Download, Link, link};
use inboxd_core::model::{Attachment, AttachmentId, InboxId, MessageId, MessageItem};
use serde_json::{Map, Value};

use crate::clean::clean;
use crate::endpoints::downloads::binary::text_link;
use crate::error::ApiError;
use crate::mcp::call::ToolContext;
use crate::mcp::tool::FileLink;
use crate::views::{AttachmentLink, RawLink};

/// Maximum length of the name and media type of a link, which the sender of the file chose.
const MAX_LINK_CHARS: usize = 200;
/// Media type of an attachment that names none.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// Returns the link to a raw message.
pub(in crate::mcp) fn raw(context: &ToolContext, item: &MessageItem) -> Result<(RawLink, FileLink), ApiError> {
    let link = sign(context, &item.inbox_id, &item.message_id, None)?;
    let file = FileLink {
        url: url(context, &link),
        name: "message.eml".to_owned(),
        mime_type: Some("message/rfc822".to_owned()),
        size: Some(item.size),
    };
    Ok((RawLink::new(item, &link, &context.state().base_url), file))
}

/// Returns the link to an attachment.
pub(super) fn attachment(
    context: &ToolContext,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment: Attachment,
) -> Result<(AttachmentLink, FileLink), ApiError> {
    let download = download(context, inbox_id, message_id, Some(attachment.attachment_id));
    let link = link(context.app(), &download)?;
    let text_link = text_link(context.app(), download, &attachment)?;
    let text = |text: &Option<String>| Some(clean(text.as_deref()?).chars().take(MAX_LINK_CHARS).collect());
    let file = FileLink {
        url: url(context, &link),
        name: text(&attachment.filename).unwrap_or_else(|| "attachment".to_owned()),
        mime_type: text(&attachment.content_type).or_else(|| Some(UNKNOWN_TYPE.to_owned())),
        size: Some(attachment.size),
    };
    Ok((AttachmentLink::new(attachment, &link, text_link.as_ref(), &context.state().base_url), file))
}

/// Adds a link to each attachment of a shown message.
pub(super) fn add_to(
    context: &ToolContext,
    item: &MessageItem,
    fields: &mut Map<String, Value>,
) -> Result<(), ApiError> {
    let Some(Value::Array(shown)) = fields.get_mut("attachments") else { return Ok(()) };
    for (attachment, shown) in item.attachments.iter().zip(shown) {
        let link = sign(context, &item.inbox_id, &item.message_id, Some(attachment.attachment_id))?;
        if let Value::Object(shown) = shown {
            shown.insert("downloadUrl".to_owned(), Value::from(url(context, &link)));
        }
    }
    Ok(())
}

fn url(context: &ToolContext, link: &Link) -> String {
    format!("{}/v0/downloads/{}", context.state().base_url, link.token)
}

fn sign(
    context: &ToolContext,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: Option<AttachmentId>,
) -> Result<Link, ApiError> {
    Ok(link(context.app(), &download(context, inbox_id, message_id, attachment_id))?)
}

fn download(
    context: &ToolContext,
    inbox_id: &InboxId,
    message_id: &MessageId,
    attachment_id: Option<AttachmentId>,
) -> Download {
    let organization_id = context.caller().organization.organization_id;
    let (inbox_id, message_id) = (inbox_id.clone(), message_id.clone());
    Download { organization_id, inbox_id, message_id, attachment_id, text: None }
}
