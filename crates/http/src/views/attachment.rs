//! Attachments and their download links.

use inboxd_core::app::downloads::Link;
use inboxd_core::model;
use inboxd_mail::Disposition;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Attachment of a message.
#[derive(Serialize, ToSchema)]
#[schema(as = Attachment)]
pub(crate) struct AttachmentView {
    /// Id of the attachment.
    attachment_id: String,
    /// Decoded size in bytes.
    size: u64,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    filename: Option<String>,
    /// Media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_type: Option<String>,
    /// `inline` or `attachment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_disposition: Option<&'static str>,
    /// Content-ID by which the HTML refers to the attachment.
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

/// Attachment with a download link.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttachmentLink {
    #[serde(flatten)]
    attachment: AttachmentView,
    /// URL that returns the bytes of the attachment. It needs no API key.
    download_url: String,
    /// URL that returns the text of the attachment, where its kind has text. It needs no API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text_url: Option<String>,
    /// Expiry time of the links.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl AttachmentLink {
    pub(crate) fn new(attachment: model::Attachment, link: &Link, text: Option<&Link>, base_url: &str) -> Self {
        Self {
            attachment: attachment.into(),
            download_url: format!("{base_url}/v0/downloads/{}", link.token),
            text_url: text.map(|text| format!("{base_url}/v0/downloads/{}", text.token)),
            expires_at: format_time(link.expires_at),
        }
    }
}
