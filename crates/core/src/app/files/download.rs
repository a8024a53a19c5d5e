//! Download links of files.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::app::App;
use crate::app::downloads::{LIFETIME, Link, read_content, signed_until};
use crate::model::{Content, FileId, InboxFile, OrganizationId};

/// Purpose that the signature of a link covers.
pub(in crate::app) const DOWNLOAD: &str = "file download";

/// Target of a download link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDownload {
    pub(in crate::app) organization_id: OrganizationId,
    file_id: FileId,
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadedFile {
    /// The file.
    pub file: InboxFile,
    /// Its content.
    pub content: Content,
}

/// Returns a link to the content of a ready file; `None` for a pending one. The link ends before the file.
///
/// # Errors
/// [`Error::Internal`].
pub fn link(app: &App, file: &InboxFile) -> Result<Option<Link>, Error> {
    if !file.is_ready {
        return Ok(None);
    }
    let ends_at = app.clock.now() + LIFETIME;
    let ends_at = file.expires_at.map_or(ends_at, |at| at.min(ends_at));
    let target = FileDownload { organization_id: file.organization_id, file_id: file.file_id };
    signed_until(app, DOWNLOAD, &target, ends_at).map(Some)
}

/// Returns the target of a link, or `None` if it was deleted.
pub(in crate::app) async fn download(app: &App, target: FileDownload) -> Result<Option<DownloadedFile>, Error> {
    let FileDownload { organization_id, file_id } = target;
    let now = app.clock.now();
    let found = app.store.file(organization_id, file_id).await?;
    let Some(file) = found.filter(|file| file.is_ready && !file.is_over(now)) else { return Ok(None) };
    let read = |filter| app.store.file_content(organization_id, file_id, filter);
    let content = read_content(app, organization_id, read).await?;
    Ok(content.map(|content| DownloadedFile { file, content }))
}
