//! `/console/search`: threads of all inboxes that the person may see.

use askama::Template;
use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Direction, InboxId, PageRequest, Reach, Scope, Thread};
use inboxd_core::rules::word_search::WordQuery;

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
    /// Whether the words of the query match in any order.
    is_by_words: bool,
    /// Reason why the query cannot be read.
    problem: Option<String>,
    rows: Vec<ThreadRow>,
    older: Option<String>,
    /// Whether more threads match than a page of several inboxes can show.
    is_cut: bool,
}

/// Shows the threads that contain a text or words.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let mut reader = filled_query(call);
    let query = reader.text("q").unwrap_or_default();
    let is_by_words = reader.word("match", &["words"]).is_some();
    let paging = reader.page(call, Direction::Descending)?;
    let words = (is_by_words && !query.is_empty()).then(|| WordQuery::parse(&query));
    let problem = words.as_ref().and_then(|words| words.as_ref().err()).map(ToString::to_string);
    let filter = ThreadFilter {
        search: Some(query.clone()).filter(|_| !is_by_words),
        words: words.and_then(Result::ok),
        page: paging.request.clone(),
        ..ThreadFilter::default()
    };
    let (found, next, is_cut) = match &call.caller.reach {
        _ if query.is_empty() || problem.is_some() => (Vec::new(), None, false),
        Reach::Inboxes(theirs) => {
            let (found, is_cut) = search_each(call, theirs.iter().take(MAX_INBOXES), &filter).await?;
            (found, None, is_cut || theirs.len() > MAX_INBOXES)
        }
        _ => {
            let caller = call.authorize::<MessageRead>(Scope::Organization)?;
            let page = threads::search(call.app(), &caller, filter).await?;
            (page.items.into_iter().map(|found| found.thread).collect(), page.next, false)
        }
    };
    let matching = if is_by_words { "words" } else { "" };
    let older = |token: String| {
        links::with_query("/console/search", &[("q", &query), ("match", matching), ("page_token", &token)])
    };
    let template = SearchPage {
        frame: call.frame(Section::Mail, "Search"),
        rows: found.iter().map(|thread| ThreadRow::new(thread, ListedPeople::Senders).with_inbox(thread)).collect(),
        older: paging.next(next.as_ref()).map(older),
        is_cut,
        is_by_words,
        problem,
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
        let page = threads::search(call.app(), &caller, filter.clone()).await?;
        is_cut |= page.next.is_some();
        found.extend(page.items.into_iter().map(|found| found.thread));
    }
    found.sort_by_key(|thread| std::cmp::Reverse(thread.timestamp));
    let limit = PageRequest::DEFAULT_LIMIT as usize;
    is_cut |= found.len() > limit;
    found.truncate(limit);
    Ok((found, is_cut))
}
