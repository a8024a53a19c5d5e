//! List of files.

use crate::app::{App, scope};
use crate::model::permissions::FileRead;
use crate::model::{InboxFile, InboxId, Page, PageRequest};
use crate::ports::FileQuery;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::files::validate_prefix;
use crate::{Error, FieldError};

/// Filter of a list of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFilter {
    /// Beginning of the paths; empty for all.
    pub path_prefix: String,
    /// The page.
    pub page: PageRequest,
}

/// Returns every problem that a filter has by itself.
#[must_use]
pub fn problems_of_filter(path_prefix: &str) -> Vec<FieldError> {
    validate_prefix(path_prefix).err().map(|problem| FieldError::new("path_prefix", problem)).into_iter().collect()
}

/// Returns a page of the files of an inbox in the order of their paths, without those that are gone.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`] for the inbox.
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<FileRead>,
    inbox_id: &InboxId,
    filter: FileFilter,
) -> Result<Page<InboxFile>, Error> {
    Error::unless_empty(problems_of_filter(&filter.path_prefix))?;
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let FileFilter { path_prefix, page } = filter;
    let query = FileQuery {
        organization_id: inbox.organization_id,
        inbox_id: inbox.inbox_id,
        path_prefix,
        now: app.clock.now(),
        page,
    };
    Ok(app.store.list_files(&query).await?)
}
