//! List of the events of an inbox.

use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{CalendarDate, InboxId, Page, PageRequest};
use crate::rules::authorization::AuthorizedCaller;

/// Lists the events and the changed dates of an inbox, the last changed first.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    inbox_id: &InboxId,
    page: PageRequest,
) -> Result<Page<CalendarDate>, Error> {
    let inbox = scope::find_inbox(app, caller, inbox_id).await?;
    let page = app.store.list_calendar_events(inbox.organization_id, &inbox.inbox_id, &page).await?;
    let date = |event: crate::model::CalendarEvent| {
        let is_instance = event.event_id.original_start.is_some();
        CalendarDate { event, is_instance }
    };
    Ok(Page { items: page.items.into_iter().map(date).collect(), next: page.next })
}
