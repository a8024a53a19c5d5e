//! Listing and searching threads.

use time::OffsetDateTime;

use super::visible;
use crate::Error;
use crate::app::messages::lowered;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{HidingLabels, Page, PageRequest, Thread};
use crate::ports::{AssigneeFilter, ThreadQuery};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// Whose threads the caller asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssigneeChoice {
    /// The caller's own.
    Me,
    /// Nobody's.
    Nobody,
    /// Those of a member or key.
    Id(String),
}

/// Which threads the caller asks for; every condition that is named must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadFilter {
    /// Labels that they carry.
    pub labels: Vec<String>,
    /// Strictly before this.
    pub before: Option<OffsetDateTime>,
    /// Strictly after this.
    pub after: Option<OffsetDateTime>,
    /// The hiding labels that are to be included.
    pub include: HidingLabels,
    /// Substrings of a sender.
    pub senders: Vec<String>,
    /// Substrings of a recipient.
    pub recipients: Vec<String>,
    /// Substrings of the subject.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text of a message.
    pub search: Option<String>,
    /// Whose they are.
    pub assignee: Option<AssigneeChoice>,
    /// Which page.
    pub page: PageRequest,
}

/// Lists threads. A hiding label is included only as far as the key may read it.
///
/// # Errors
/// [`Error::NotFound`] for the pod or inbox; [`Error::PodOutOfScope`]; [`Error::InboxIdRequired`] for a member limited to
/// several inboxes who named none.
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    filter: ThreadFilter,
) -> Result<Page<Thread>, Error> {
    let scope = scope::narrowed(app, caller).await?;
    let query = ThreadQuery {
        organization_id: caller.organization.organization_id,
        scope,
        labels: lowered(filter.labels),
        before: filter.before,
        after: filter.after,
        included: filter.include.and(access::readable(caller)),
        senders: lowered(filter.senders),
        recipients: lowered(filter.recipients),
        subject: lowered(filter.subject),
        search: filter.search.map(|text| text.to_lowercase()),
        assignee: filter.assignee.map(|choice| match choice {
            AssigneeChoice::Me => AssigneeFilter::Id(caller.actor.id()),
            AssigneeChoice::Nobody => AssigneeFilter::Nobody,
            AssigneeChoice::Id(id) => AssigneeFilter::Id(id),
        }),
        page: filter.page,
    };
    let labels = query.labels.clone();
    let mut page = app.store.list_threads(&query).await?;
    visible::narrow(app, caller, &mut page.items).await?;
    // A label that only hidden mail carries finds nothing.
    page.items.retain(|thread| labels.iter().all(|label| thread.labels.contains(label)));
    Ok(page)
}
