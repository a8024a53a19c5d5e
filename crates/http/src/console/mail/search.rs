//! `/console/search`: threads of all inboxes that the person may see.

use askama::Template;
use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Direction, InboxId, PageRequest, Reach, Scope, Thread};

use super::inbox::filled_query;
use super::rows::{ListedPeople, ThreadRow};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::error::ApiError;

/// Maximum number of inboxes that one search of a limited member reads.
const MAX_INBOXES: usize = 20;

#[derive(Template)]
#[template(path = "console/search.html")]
struct SearchPage {
    frame: Frame,
    query: String,
    rows: Vec<ThreadRow>,
    older: Option<String>,
    /// Whether more threads match than a page of several inboxes can show.
    is_cut: bool,
}

/// Shows the threads that contain a text.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let mut reader = filled_query(call);
    let query = reader.text("q").unwrap_or_default();
    let paging = reader.page(call, Direction::Descending)?;
    let filter = ThreadFilter { search: Some(query.clone()), page: paging.request.clone(), ..ThreadFilter::default() };
    let (found, next, is_cut) = match &call.caller.reach {
        _ if query.is_empty() => (Vec::new(), None, false),
        Reach::Inboxes(theirs) => {
            let (found, is_cut) = search_each(call, theirs.iter().take(MAX_INBOXES), &filter).await?;
            (found, None, is_cut || theirs.len() > MAX_INBOXES)
        }
        _ => {
            let caller = call.authorize::<MessageRead>(Scope::Organization)?;
            let page = threads::list(call.app(), &caller, filter).await?;
            (page.items, page.next, false)
        }
    };
    let older = |token: String| links::with_query("/console/search", &[("q", &query), ("page_token", &token)]);
    let template = SearchPage {
        frame: call.frame(Section::Mail, "Search"),
        rows: found.iter().map(|thread| ThreadRow::new(thread, ListedPeople::Senders).with_inbox(thread)).collect(),
        older: paging.next(next.as_ref()).map(older),
        is_cut,
        query,
    };
    call.render(&template)
}

/// Searches inboxes one by one. Returns the newest threads, and whether there are more.
async fn search_each(
    call: &ConsoleCall,
    inbox_ids: impl Iterator<Item = &InboxId>,
    filter: &ThreadFilter,
) -> Result<(Vec<Thread>, bool), ApiError> {
    let mut found = Vec::new();
    let mut is_cut = false;
    for inbox_id in inbox_ids {
        let caller = call.authorize::<MessageRead>(Scope::Inbox(inbox_id.clone()))?;
        let page = threads::list(call.app(), &caller, filter.clone()).await?;
        is_cut |= page.next.is_some();
        found.extend(page.items);
    }
    found.sort_by_key(|thread| std::cmp::Reverse(thread.timestamp));
    let limit = PageRequest::DEFAULT_LIMIT as usize;
    is_cut |= found.len() > limit;
    found.truncate(limit);
    Ok((found, is_cut))
}
