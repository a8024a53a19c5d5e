//! Files of inboxes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use inboxd_core::app::downloads::Link;
use inboxd_core::app::files::CreatedFile;
use inboxd_core::model::InboxFile;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// File of an inbox, as a list returns it.
#[derive(Serialize, ToSchema)]
#[schema(as = FileItem)]
pub(crate) struct FileItemView {
    /// Id of the file.
    file_id: String,
    /// Id of the inbox.
    inbox_id: String,
    /// Address of the inbox.
    email: String,
    /// Path within the inbox.
    path: String,
    /// Last name of the path.
    name: String,
    /// Size in bytes.
    size: u64,
    /// Media type.
    content_type: String,
    /// SHA-256 of the content in base64.
    sha256: String,
    /// `pending` until the upload is completed, then `ready`.
    status: &'static str,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Time of expiry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    expires_at: Option<String>,
}

/// File of an inbox with its download link.
#[derive(Serialize, ToSchema)]
#[schema(as = File)]
pub(crate) struct FileView {
    #[serde(flatten)]
    item: FileItemView,
    /// URL that returns the content of a ready file. It needs no API key. For callers with `file_read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    download_url: Option<String>,
    /// Expiry time of `download_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    download_expires_at: Option<String>,
}

/// Created file. A pending one has `upload`.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedFileView {
    #[serde(flatten)]
    file: FileView,
    /// Where to upload the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    upload: Option<FileUpload>,
}

/// Upload of a pending file: one `PUT` of its bytes to `url`. Then complete the file.
#[derive(Serialize, ToSchema)]
struct FileUpload {
    /// Always `PUT`.
    #[schema(example = "PUT")]
    method: &'static str,
    /// URL that takes the bytes. It needs no API key.
    url: String,
    /// Header fields of the request.
    #[schema(inline)]
    headers: UploadHeaders,
    /// Expiry time of the URL. The same creation again returns a new one.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Header fields of an upload.
#[derive(Serialize, ToSchema)]
struct UploadHeaders {
    /// Media type of the file.
    #[serde(rename = "Content-Type")]
    content_type: String,
}

/// Accepted upload.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadedFile {
    /// Id of the file.
    file_id: String,
    /// Size in bytes.
    size: u64,
}

impl From<InboxFile> for FileItemView {
    fn from(file: InboxFile) -> Self {
        Self {
            file_id: file.file_id.to_string(),
            inbox_id: file.inbox_id.to_string(),
            email: file.inbox_id.to_string(),
            name: file.name().to_owned(),
            path: file.path,
            size: file.size,
            content_type: file.content_type,
            sha256: BASE64_STANDARD.encode(file.sha256),
            status: if file.is_ready { "ready" } else { "pending" },
            created_at: format_time(file.created_at),
            updated_at: format_time(file.updated_at),
            expires_at: file.expires_at.map(format_time),
        }
    }
}

impl From<InboxFile> for UploadedFile {
    fn from(file: InboxFile) -> Self {
        Self { file_id: file.file_id.to_string(), size: file.size }
    }
}

impl FileView {
    pub(crate) fn new(file: InboxFile, link: Option<&Link>, base_url: &str) -> Self {
        Self {
            item: file.into(),
            download_url: link.map(|link| format!("{base_url}/v0/downloads/{}", link.token)),
            download_expires_at: link.map(|link| format_time(link.expires_at)),
        }
    }
}

impl CreatedFileView {
    pub(crate) fn new(created: CreatedFile, link: Option<&Link>, base_url: &str) -> Self {
        let CreatedFile { file, upload } = created;
        let upload = upload.map(|upload| FileUpload {
            method: "PUT",
            url: format!("{base_url}/v0/uploads/{}", upload.token),
            headers: UploadHeaders { content_type: file.content_type.clone() },
            expires_at: format_time(upload.expires_at),
        });
        Self { file: FileView::new(file, link, base_url), upload }
    }
}
