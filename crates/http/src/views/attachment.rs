//! An attachment, and a link to its octets.

use inboxd_core::app::downloads::Link;
use inboxd_core::model;
use inboxd_mail::Disposition;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// An attachment of a message.
#[derive(Serialize, ToSchema)]
#[schema(as = Attachment)]
pub(crate) struct AttachmentView {
    /// Its id.
    attachment_id: String,
    /// Decoded octets.
    size: u64,
    /// Its file name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    filename: Option<String>,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_type: Option<String>,
    /// `inline` or `attachment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_disposition: Option<&'static str>,
    /// The id by which the HTML names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_id: Option<String>,
}

impl From<model::Attachment> for AttachmentView {
    fn from(attachment: model::Attachment) -> Self {
        Self {
            attachment_id: attachment.attachment_id.to_string(),
            size: attachment.size,
            filename: attachment.filename,
            content_type: attachment.content_type,
            content_disposition: attachment.content_disposition.map(Disposition::as_str),
            content_id: attachment.content_id,
        }
    }
}

/// An attachment with a link to its octets.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttachmentLink {
    #[serde(flatten)]
    attachment: AttachmentView,
    /// Downloads the octets; needs no key.
    download_url: String,
    /// When the link stops working.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl AttachmentLink {
    pub(crate) fn new(attachment: model::Attachment, link: &Link, base_url: &str) -> Self {
        Self {
            attachment: attachment.into(),
            download_url: format!("{base_url}/v0/downloads/{}", link.token),
            expires_at: format_time(link.expires_at),
        }
    }
}
