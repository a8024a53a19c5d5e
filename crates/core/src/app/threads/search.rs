//! Search of threads, by substring or by words.

use super::list::{ThreadFilter, list};
use super::visible;
use crate::Error;
use crate::app::messages::{included, lowered, too_many_inboxes};
use crate::app::{App, scope};
use crate::model::permissions::MessageRead;
use crate::model::{Page, Thread};
use crate::ports::{ThreadMatch, WordSearch};
use crate::rules::authorization::AuthorizedCaller;

/// Searches threads. A hiding label is included only if the caller may read it. A search by words orders the threads by
/// their first matching message in the order of the list. Its page may have fewer threads than its limit and still a
/// next page.
///
/// # Errors
/// As [`list`]; [`Error::Invalid`] for words in too many inboxes.
pub async fn search(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    filter: ThreadFilter,
) -> Result<Page<ThreadMatch>, Error> {
    let Some(words) = filter.words else {
        let page = list(app, caller, filter).await?;
        let items = page.items.into_iter().map(|thread| ThreadMatch { thread, highlights: None }).collect();
        return Ok(Page { items, next: page.next });
    };
    let scope = scope::narrowed(app, caller).await?;
    let labels = lowered(filter.labels);
    if visible::asks_for_unreadable(caller, &labels) {
        return Ok(Page { items: Vec::new(), next: None });
    }
    let search = WordSearch {
        organization_id: caller.organization.organization_id,
        scope,
        words,
        included: included(caller, filter.include, &labels),
        labels: labels.clone(),
        before: filter.before,
        after: filter.after,
        delivered_to: None,
        tag: None,
        page: filter.page,
    };
    let page = app.store.search_threads(&search).await?.ok_or_else(too_many_inboxes)?;
    let (mut threads, highlights): (Vec<Thread>, Vec<_>) =
        page.items.into_iter().map(|found| (found.thread, found.highlights)).unzip();
    visible::narrow(app, caller, &mut threads).await?;
    let items = threads.into_iter().zip(highlights).map(|(thread, highlights)| ThreadMatch { thread, highlights });
    // A label of hidden messages alone does not match.
    let items = items.filter(|found| labels.iter().all(|label| found.thread.labels.contains(label))).collect();
    Ok(Page { items, next: page.next })
}
