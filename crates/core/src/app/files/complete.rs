//! Completion of an upload.

use super::find::lock;
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::FileCreate;
use crate::model::{FileId, InboxFile, InboxId};
use crate::rules::authorization::AuthorizedCaller;

/// Makes a pending file ready once its content was uploaded, and returns it. A ready file stays as it is.
///
/// # Errors
/// [`Error::NotFound`] for the inbox or the file, [`Error::FileNotUploaded`].
pub async fn complete(
    app: &App,
    caller: &AuthorizedCaller<FileCreate>,
    inbox_id: &InboxId,
    file_id: FileId,
) -> Result<InboxFile, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let mut tx = app.store.begin().await?;
    let locked = lock(app, tx.as_mut(), caller, &inbox.inbox_id, file_id).await?;
    if locked.file.is_ready {
        return Ok(locked.file);
    }
    if !locked.has_content {
        return Err(Error::FileNotUploaded(locked.file.path));
    }
    let file = InboxFile { is_ready: true, updated_at: app.clock.now(), ..locked.file };
    tx.files().complete(&file).await?;
    tx.commit().await?;
    Ok(file)
}
