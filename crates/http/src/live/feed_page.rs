//! Long polling of a feed: the first page with events behind a position.

use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::feed::NextPage;
use inboxd_core::model::{Caller, Event};
use inboxd_core::ports::FeedPage;
use tokio::sync::Mutex;

use super::long_poll::{WaitingCaller, wait};
use crate::error::ApiError;

/// Number of feed batches that one response reads before it returns a token for the next page.
const MAX_READS: usize = 10;

/// Returns the first page with events after a position, at once or as soon as one exists; an empty page when the time
/// expires. `read` returns the page behind a position.
///
/// # Errors
/// The error of `read`, and the refusal when the caller loses its access.
pub(crate) async fn wait_for_page(
    waiting: WaitingCaller<'_, impl FnOnce()>,
    patience: Duration,
    after: NextPage,
    may_change: impl Fn(&Event) -> bool,
    read: impl AsyncFn(&Caller, NextPage) -> Result<FeedPage, Error>,
) -> Result<FeedPage, ApiError> {
    // Where the next read begins, and the last page without an event.
    let reached = Mutex::new((after, None));
    let found = wait(waiting, patience, may_change, |caller| {
        let (reached, read) = (&reached, &read);
        async move {
            let (after, empty) = &mut *reached.lock().await;
            let caller = &caller;
            let page = next_page(*after, |after| async move { read(caller, after).await }).await?;
            *after = NextPage::From(page.place);
            // A page without events before the end of the feed has a token, with which the client continues.
            if !page.events.is_empty() || !page.is_end {
                return Ok(Some(page));
            }
            *empty = Some(page);
            Ok(None)
        }
    });
    let found = found.await?;
    found.or(reached.into_inner().1).ok_or_else(|| ApiError::internal("the feed read returned no page"))
}

/// Returns the first page with events behind a position. Without any it is the page at which the feed ends, or the last
/// one that a response reads.
///
/// # Errors
/// The error of `read`.
pub(crate) async fn next_page<Read: Future<Output = Result<FeedPage, Error>>>(
    mut after: NextPage,
    read: impl Fn(NextPage) -> Read,
) -> Result<FeedPage, Error> {
    for _ in 1..MAX_READS {
        let page = read(after).await?;
        if page.is_end || !page.events.is_empty() {
            return Ok(page);
        }
        after = NextPage::From(page.place);
    }
    read(after).await
}
