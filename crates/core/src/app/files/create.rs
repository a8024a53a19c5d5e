//! Creation of a file.

use time::{Duration, OffsetDateTime};

use super::find::sees;
use super::upload;
use crate::app::contention::{is_contention, retried};
use crate::app::downloads::Link;
use crate::app::{App, inboxes, legal_holds, row_limits, scope};
use crate::model::permissions::FileCreate;
use crate::model::{Caller, FileId, Inbox, InboxFile, InboxId, UsageChange};
use crate::ports::{LockedFile, Tx};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::files::{DEFAULT_CONTENT_TYPE, validate_content_type, validate_path};
use crate::{Error, FieldError, Resource};

/// Request for a new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Path within the inbox.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
    /// Media type.
    pub content_type: Option<String>,
    /// Time of expiry.
    pub expires_at: Option<OffsetDateTime>,
}

impl NewFile {
    fn content_type(&self) -> &str {
        self.content_type.as_deref().unwrap_or(DEFAULT_CONTENT_TYPE)
    }

    /// Returns whether a file is the result of the same request.
    fn made(&self, file: &InboxFile) -> bool {
        (self.size, self.sha256, self.content_type(), self.expires_at)
            == (file.size, file.sha256, &file.content_type, file.expires_at)
    }
}

/// A created file, or the one that the same request created before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedFile {
    /// The file.
    pub file: InboxFile,
    /// Where to upload the content of a pending file.
    pub upload: Option<Link>,
}

/// Returns every problem that a new file has by itself.
#[must_use]
pub fn problems_of_new(new: &NewFile, now: OffsetDateTime) -> Vec<FieldError> {
    let mut problems = Vec::new();
    let mut note = |field: &str, problem: &str| problems.push(FieldError::new(field, problem));
    if let Err(problem) = validate_path(&new.path) {
        note("path", problem);
    }
    if new.size > InboxFile::MAX_BYTES {
        note("size", "is more than 25000000 bytes");
    }
    if let Some(Err(problem)) = new.content_type.as_deref().map(validate_content_type) {
        note("content_type", problem);
    }
    if new.expires_at.is_some_and(|at| at <= now) {
        note("expires_at", "must be in the future");
    }
    problems
}

/// Creates a pending file and returns the URL that takes its content.
///
/// The same request again returns the same file: a pending one with a new URL, and one whose content has arrived as
/// ready. Another request for the path of a pending file without content replaces that file.
///
/// # Errors
/// [`Error::Invalid`], [`Error::FilesUnverified`], [`Error::NotFound`] for the inbox, [`Error::AlreadyExists`] for a
/// path that is in use, [`Error::LegalHold`] for the path of an expired file that a hold protects,
/// [`Error::LimitReached`], [`Error::RowLimitReached`].
pub async fn create(
    app: &App,
    caller: &AuthorizedCaller<FileCreate>,
    inbox_id: &InboxId,
    new: NewFile,
) -> Result<CreatedFile, Error> {
    let new = NewFile { expires_at: new.expires_at.map(whole_second), ..new };
    Error::unless_empty(problems_of_new(&new, app.clock.now()))?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    if !caller.organization.is_verified() {
        return Err(Error::FilesUnverified);
    }
    let file = retried(is_contention, || store(app, caller.original(), &inbox, &new)).await?;
    let upload = if file.is_ready { None } else { Some(upload::link(app, &file)?) };
    Ok(CreatedFile { file, upload })
}

async fn store(app: &App, caller: &Caller, inbox: &Inbox, new: &NewFile) -> Result<InboxFile, Error> {
    let now = app.clock.now();
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let mut tx = app.store.begin().await?;
    let organization = row_limits::lock_organization(tx.as_mut(), *organization_id).await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    let mut freed = 0;
    if let Some(known) = tx.files().lock_at(*organization_id, inbox_id, &new.path).await? {
        if !known.file.is_over(now) {
            if sees(caller, &known.file) && new.made(&known.file) {
                return completed(tx, known, now).await;
            }
            if known.file.is_ready || known.has_content || !sees(caller, &known.file) {
                let InboxFile { path: name, file_id, .. } = known.file;
                return Err(Error::AlreadyExists { resource: Resource::File, name, id: file_id.to_string() });
            }
        }
        if known.file.is_ready || known.has_content {
            // The path of an expired file is free, but a legal hold keeps its content.
            legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await?;
        }
        tx.files().delete(*organization_id, known.file.file_id).await?;
        freed = known.file.size;
    }
    row_limits::require_storage(tx.as_mut(), &organization).await?;
    row_limits::require_file(tx.as_mut(), *organization_id).await?;
    let file = InboxFile {
        organization_id: *organization_id,
        inbox_id: inbox_id.clone(),
        file_id: app.mint::<FileId>(now),
        path: new.path.clone(),
        content_type: new.content_type().to_owned(),
        size: new.size,
        sha256: new.sha256,
        is_ready: false,
        created_by: caller.actor.id(),
        expires_at: new.expires_at,
        created_at: now,
        updated_at: now,
    };
    tx.files().insert(&file).await?;
    let change = UsageChange::resized(freed, file.size);
    tx.usage().change(&[(*organization_id, inbox_id.clone(), change)]).await?;
    tx.commit().await?;
    Ok(file)
}

/// Returns the file of an earlier request, and completes it if its content has arrived.
async fn completed(mut tx: Box<dyn Tx>, known: LockedFile, now: OffsetDateTime) -> Result<InboxFile, Error> {
    if known.file.is_ready || !known.has_content {
        return Ok(known.file);
    }
    let file = InboxFile { is_ready: true, updated_at: now, ..known.file };
    tx.files().complete(&file).await?;
    tx.commit().await?;
    Ok(file)
}

/// Rounds up to a whole second.
fn whole_second(at: OffsetDateTime) -> OffsetDateTime {
    let whole = at.replace_nanosecond(0).unwrap_or(at);
    if whole < at { whole.saturating_add(Duration::SECOND) } else { whole }
}
