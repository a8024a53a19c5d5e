//! Tools of events: the feed, and the wait for a message.

use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use inboxd_core::app::events::{self, EventFilter};
use inboxd_core::app::feed::{FeedFilter, NextPage, read_on};
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{Direction, Page, Permission};
use inboxd_core::ports::WholeEvent;
use inboxd_core::rules::access;
use serde_json::Map;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::page::{ListedField, read_page};
use super::query::{QueryArguments, query_arguments};
use crate::endpoints;
use crate::endpoints::events::list::{cursor_of, event_id, filter, inbox_id, place_of};
use crate::error::ApiError;
use crate::live::{WaitingCaller, next_page, wait};
use crate::mcp::call::ToolContext;
use crate::mcp::results::message::BodyRange;
use crate::mcp::results::{Output, event};
use crate::mcp::tool::{ToolCall, ToolResult};

/// Default wait in seconds.
const DEFAULT_WAIT_SECONDS: u64 = 30;
/// Maximum wait in seconds: clients give up after 60.
const MAX_WAIT_SECONDS: u64 = 50;
/// Interval of the progress notifications of a wait.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

query_arguments! {
    /// Filters of events.
    EventsListed [] {
        /// All inboxes if absent.
        inbox_id: Option<String>,
        /// Such as message.received, message.bounced.
        event_types: Option<Vec<String>>,
        /// Returns the events after this one, oldest first.
        after_event_id: Option<String>,
        #[schema(minimum = 1, maximum = 200, default = 10)]
        limit: Option<u32>,
        page_token: Option<String>,
        /// RFC 3339 times; the last 7 days if absent.
        start: Option<String>,
        end: Option<String>,
        ascending: Option<bool>,
    }
}

query_arguments! {
    /// The message to wait for.
    MessageAwaited [inbox_id] {
        inbox_id: String,
        /// Substrings of the sender, all of which must match.
        from: Option<Vec<String>>,
        subject: Option<Vec<String>>,
        /// RFC 3339 time before the cause of the mail; now if absent.
        after: Option<String>,
        #[schema(minimum = 0, maximum = 50, default = 30)]
        timeout_seconds: Option<u32>,
        include_spam: Option<bool>,
        include_blocked: Option<bool>,
        include_unauthenticated: Option<bool>,
        include_trash: Option<bool>,
        delivered_to: Option<String>,
        tag: Option<String>,
    }
}

pub(super) async fn list_events(call: ToolCall<QueryArguments<EventsListed>>) -> ToolResult {
    let arguments = &call.input;
    let mut query = arguments.reader();
    let inbox_id = inbox_id(&mut query);
    if let Some(inbox_id) = &inbox_id {
        call.with_fix(access::require_inbox(call.caller(), inbox_id))?;
    }
    call.with_fix(access::require(call.caller(), Permission::EventRead))?;
    let filter = filter(&mut query, inbox_id);
    let direction = query.direction();
    query.finish()?;
    let after = Some(arguments.text("after_event_id")).filter(|id| !id.trim().is_empty());
    let after = after.map(event_id).transpose()?;
    let direction = if after.is_some() { Direction::Ascending } else { direction };
    let paging = call.paging(arguments.limit, arguments.page_token(), direction)?;
    let list = ListedField { tool: "list_events", field: "events", arguments };
    let context = &call.context;
    let output = match after {
        None => {
            let read = |page| events::list(call.app(), call.caller(), EventFilter { page, ..filter.clone() }).boxed();
            read_page(list, &paging, Output::of_mail, read, event::whole).await?
        }
        Some(id) => {
            let first =
                paging.request.after.as_ref().map_or(NextPage::Behind(id), |place| NextPage::From(place_of(place)));
            let read = |page| read_feed(context, first, EventFilter { page, ..filter.clone() }).boxed();
            read_page(list, &paging, Output::of_mail, read, event::whole).await?
        }
    };
    Ok(output.into())
}

/// Returns the events behind a place of the feed. A batch without matches is followed by the next.
async fn read_feed(
    context: &ToolContext,
    after: NextPage,
    events: EventFilter,
) -> Result<Page<WholeEvent>, inboxd_core::Error> {
    let read = |after| {
        let filter = FeedFilter { after, events: events.clone() };
        async move { read_on(context.app(), context.caller(), &filter).await }
    };
    let page = next_page(after, read).await?;
    let next = (!page.is_end).then(|| cursor_of(page.place));
    Ok(Page { items: page.events.into_iter().map(|(_, event)| event).collect(), next })
}

pub(super) async fn wait_for_message(call: ToolCall<QueryArguments<MessageAwaited>>) -> ToolResult {
    let (_, inbox_id) = call.authorize_inbox::<MessageRead>(call.input.text("inbox_id"))?;
    let mut query = call.input.reader();
    let filter = endpoints::messages::wait::filter(&mut query, call.app().clock.now());
    let timeout = query.number("timeout_seconds", 0..=MAX_WAIT_SECONDS).unwrap_or(DEFAULT_WAIT_SECONDS);
    query.finish()?;
    let caller = WaitingCaller {
        state: call.state(),
        caller: call.caller(),
        credential: call.key_hash().into(),
        rest: || call.rest(),
    };
    let (app, inbox_id) = (call.app(), &inbox_id);
    let waiting = wait(
        caller,
        Duration::from_secs(timeout),
        |event| event.inbox_id.as_ref() == Some(inbox_id),
        |caller| {
            let filter = filter.clone();
            async move { Ok(messages::first(app, &caller, inbox_id, filter).await?) }
        },
    );
    match Box::pin(with_progress(&call.context, timeout, waiting)).await? {
        Some(message) => {
            let read = super::messages::read(&call.context, &message, BodyRange::default())?;
            Ok(read.with("found", true).into())
        }
        None => Ok(Output::new(Map::new()).with("found", false).with("waitedSeconds", timeout).into()),
    }
}

/// Waits and tells the client at intervals that the wait goes on.
async fn with_progress<T>(
    context: &ToolContext,
    total: u64,
    waiting: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let Some(progress) = context.progress() else { return waiting.await };
    let total = Duration::from_secs(total).as_secs_f64();
    let mut waiting = pin!(waiting);
    let start = Instant::now();
    let mut ticks = interval_at(start + PROGRESS_INTERVAL, PROGRESS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            waited = &mut waiting => return waited,
            _ = ticks.tick() => progress.report(start.elapsed().as_secs_f64(), total).await,
        }
    }
}
