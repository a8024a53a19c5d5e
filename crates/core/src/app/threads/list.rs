//! Thread list and search.

use time::OffsetDateTime;

use super::visible;
use crate::Error;
use crate::app::messages::{included, lowered};
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{HidingLabels, Page, PageRequest, Thread};
use crate::ports::{AssigneeFilter, ThreadQuery};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::trust::Verdict;
use crate::rules::word_search::WordQuery;

/// Assignee filter of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssigneeChoice {
    /// Threads of the caller.
    Me,
    /// Threads without an assignee.
    Nobody,
    /// Threads of the member or API key with this id.
    Id(String),
}

/// Filter and page of a thread list. A thread matches all present conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadFilter {
    /// Labels of the threads.
    pub labels: Vec<String>,
    /// Latest time, exclusive.
    pub before: Option<OffsetDateTime>,
    /// Earliest time, exclusive.
    pub after: Option<OffsetDateTime>,
    /// Hiding labels to include.
    pub include: HidingLabels,
    /// Substrings of a sender.
    pub senders: Vec<String>,
    /// Substrings of a recipient.
    pub recipients: Vec<String>,
    /// Substrings of the subject.
    pub subject: Vec<String>,
    /// Substring of the sender, recipients, subject or text of a message.
    pub search: Option<String>,
    /// Words to search instead of a substring; lists ignore them.
    pub words: Option<WordQuery>,
    /// Assignee of the threads.
    pub assignee: Option<AssigneeChoice>,
    /// Verdicts, of which the newest received message must have one; empty for no condition.
    pub trust: Vec<Verdict>,
    /// Requested page.
    pub page: PageRequest,
}

/// Lists threads. A hiding label is included only if the caller may read it.
///
/// # Errors
/// [`Error::NotFound`] for the pod or inbox; [`Error::PodOutOfScope`]; [`Error::InboxIdRequired`] without an inbox for
/// a member limited to several inboxes.
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    filter: ThreadFilter,
) -> Result<Page<Thread>, Error> {
    let scope = scope::narrowed(app, caller).await?;
    let labels = lowered(filter.labels);
    if visible::asks_for_unreadable(caller, &labels) {
        return Ok(Page { items: Vec::new(), next: None });
    }
    let query = ThreadQuery {
        organization_id: caller.organization.organization_id,
        scope,
        labels: labels.clone(),
        before: filter.before,
        after: filter.after,
        included: included(caller, filter.include, &labels),
        senders: lowered(filter.senders),
        recipients: lowered(filter.recipients),
        subject: lowered(filter.subject),
        search: filter.search.map(|text| text.to_lowercase()),
        assignee: filter.assignee.map(|choice| match choice {
            AssigneeChoice::Me => AssigneeFilter::Id(caller.actor.id()),
            AssigneeChoice::Nobody => AssigneeFilter::Nobody,
            AssigneeChoice::Id(id) => AssigneeFilter::Id(id),
        }),
        trust: filter.trust,
        page: filter.page,
    };
    let mut page = app.store.list_threads(&query).await?;
    visible::narrow(app, caller, &mut page.items).await?;
    // A label of hidden messages alone does not match.
    page.items.retain(|thread| labels.iter().all(|label| thread.labels.contains(label)));
    Ok(page)
}
