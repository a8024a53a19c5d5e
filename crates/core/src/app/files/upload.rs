//! Upload of the content of a file.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::Duration;

use crate::app::App;
use crate::app::downloads::{Link, opened, signed_until};
use crate::model::{FileId, InboxFile, OrganizationId, StoredBlob};
use crate::ports::WorkOwner;
use crate::{Error, Resource};

/// Purpose that the signature of a URL covers.
const UPLOAD: &str = "file upload";
/// Lifetime of a URL.
const LIFETIME: Duration = Duration::hours(1);

/// Target of an upload, part of the signed token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Organization of the file.
    pub organization_id: OrganizationId,
    file_id: FileId,
    /// Size of the content.
    pub size: u64,
}

/// Creates the URL of an upload to a pending file. It ends before the file.
pub(super) fn link(app: &App, file: &InboxFile) -> Result<Link, Error> {
    let ends_at = app.clock.now() + LIFETIME;
    let ends_at = file.ends_at().map_or(ends_at, |at| at.min(ends_at));
    let target = Upload { organization_id: file.organization_id, file_id: file.file_id, size: file.size };
    signed_until(app, UPLOAD, &target, ends_at)
}

/// Verifies the token of a URL and returns its target.
///
/// # Errors
/// [`Error::NotFound`] for an expired URL or a wrong signature.
pub fn verify_upload(app: &App, token: &str) -> Result<Upload, Error> {
    opened(app, UPLOAD, token).ok_or_else(gone)
}

/// Stores the content of a pending file and returns the file. Only the declared bytes are accepted, so a repeat changes
/// nothing.
///
/// # Errors
/// [`Error::NotFound`] for a file that is gone, [`Error::Invalid`] for other bytes than the declared ones.
pub async fn upload<C>(app: &App, upload: &Upload, content: C) -> Result<InboxFile, Error>
where
    C: AsRef<[u8]> + Clone + Send + Sync + 'static,
{
    let Upload { organization_id, file_id, .. } = *upload;
    let is_open = |file: &InboxFile| !file.is_over(app.clock.now());
    let file = app.store.file(organization_id, file_id).await?.filter(is_open).ok_or_else(gone)?;
    let bytes = content.as_ref().len();
    if u64::try_from(bytes).ok() != Some(file.size) {
        let problem = format!("has {bytes} bytes; the file was created for {}", file.size);
        return Err(Error::invalid("body", problem));
    }
    let (owner, hashed) = (WorkOwner::Organization(organization_id), content.clone());
    let digest: [u8; 32] = app.compute(owner, bytes, move || Sha256::digest(hashed).into()).await?;
    if digest != file.sha256 {
        return Err(Error::invalid("body", "is not the content whose SHA-256 the file was created for"));
    }
    let blob = app.upload_hashed(organization_id, content.as_ref(), digest).await?;
    let stored = store(app, upload, content.as_ref(), blob.clone()).await;
    app.discard_unless_stored(blob.as_ref().as_slice(), &stored, |(_, is_new)| *is_new).await;
    stored.map(|(file, _)| file)
}

/// Stores the content of a file that has none. Returns the file, and whether the content is new.
async fn store(
    app: &App,
    upload: &Upload,
    content: &[u8],
    blob: Option<StoredBlob>,
) -> Result<(InboxFile, bool), Error> {
    let Upload { organization_id, file_id, .. } = *upload;
    let mut tx = app.store.begin().await?;
    let locked = tx.files().lock(organization_id, file_id).await?;
    let locked = locked.filter(|locked| !locked.file.is_over(app.clock.now())).ok_or_else(gone)?;
    if locked.has_content {
        return Ok((locked.file, false));
    }
    tx.files().insert_content(organization_id, file_id, content, blob).await?;
    tx.commit().await?;
    Ok((locked.file, true))
}

fn gone() -> Error {
    Error::not_found(Resource::Upload, "this URL")
}
