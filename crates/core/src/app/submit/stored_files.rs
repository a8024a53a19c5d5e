//! Attachments that are stored files of the inbox.

use super::fetched::{FetchOrder, FetchShare, reserve};
use crate::app::App;
use crate::app::files::of_inbox;
use crate::app::letter::{AttachmentSource, LetterAttachment};
use crate::model::{FileId, InboxFile, Permission};
use crate::rules::access;
use crate::{Error, FieldError};

/// Reads the stored files among attachments with their contents, in their order. Their bytes count until the share is dropped.
///
/// # Errors
/// [`Error::MissingPermission`] without `file_read`, [`Error::Invalid`] for a file that is absent or pending,
/// [`Error::TooLarge`] for more bytes than a message has, [`Error::AttachmentsBusy`].
pub(super) async fn read_files(
    app: &App,
    order: &FetchOrder<'_>,
    attachments: &[LetterAttachment],
) -> Result<(Vec<(InboxFile, Vec<u8>)>, FetchShare), Error> {
    let FetchOrder { caller, inbox, field, .. } = *order;
    let named = |(place, attachment): (usize, &LetterAttachment)| match attachment.source {
        AttachmentSource::File(file_id) => Some((place, file_id)),
        AttachmentSource::Content(_) | AttachmentSource::Url(_) => None,
    };
    let named: Vec<(usize, FileId)> = attachments.iter().enumerate().filter_map(named).collect();
    if named.is_empty() {
        return Ok((Vec::new(), FetchShare::default()));
    }
    access::require(caller, Permission::FileRead)?;
    let mut found = Vec::with_capacity(named.len());
    let mut problems = Vec::new();
    for (place, file_id) in named {
        match of_inbox(app, inbox, file_id).await? {
            Some(file) if file.is_ready => found.push((place, file)),
            Some(_) => {
                problems.push(problem(field, place, "is a pending file; upload its bytes and complete it first"));
            }
            None => problems.push(absent(field, place)),
        }
    }
    Error::unless_empty(problems)?;
    let limit = app.settings.max_message_bytes;
    let sizes = found.iter().map(|(_, file)| usize::try_from(file.size).unwrap_or(usize::MAX));
    let size = sizes.fold(0, usize::saturating_add);
    if size > limit {
        return Err(Error::TooLarge { size, limit });
    }
    let share = reserve(app, inbox.organization_id, size)?;
    let _permit = app.waiting.large_reads.acquire(inbox.organization_id).await?;
    let mut files = Vec::with_capacity(found.len());
    for (place, file) in found {
        let content = app.store.file_bytes(file.organization_id, file.file_id).await?;
        let content = content.ok_or_else(|| Error::Invalid(vec![absent(field, place)]))?;
        files.push((file, content));
    }
    Ok((files, FetchShare(vec![share])))
}

fn absent(field: &str, place: usize) -> FieldError {
    problem(field, place, "names no file of this inbox; the list of its files has their ids")
}

fn problem(field: &str, place: usize, message: &str) -> FieldError {
    FieldError::new(format!("{field}[{place}].file_id"), message)
}
