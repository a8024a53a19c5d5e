//! Trace of an inbox, for the operator.

use inboxd_core::app::App;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::model::{Direction, Inbox, MessageId, PageRequest, TraceEntry};
use inboxd_core::rules::trace_summary;
use inboxd_mail::EmailAddress;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::postmaster::without_controls;
use super::{message_of, print};
use crate::failure::{ErrorContext, Failure};

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceOptions {
    /// Address of the inbox.
    #[arg(long, value_name = "ADDRESS")]
    inbox: EmailAddress,
    /// Only this message.
    #[arg(long, value_name = "MESSAGE_ID")]
    message: Option<String>,
    /// Only messages from or to this address.
    #[arg(long, value_name = "ADDRESS")]
    with: Option<String>,
    /// Only entries since this time, or within this distance: `2026-11-28T12:00:00Z`, `90m`, `12h`, `7d`.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = parse_since)]
    since: Since,
    /// Print a JSON object per line.
    #[arg(long)]
    json: bool,
}

/// Beginning of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    /// A time.
    At(OffsetDateTime),
    /// A distance before now.
    Ago(Duration),
}

/// Prints the trace of an inbox, oldest first.
pub(crate) async fn show(app: &App, options: TraceOptions) -> Result<(), Failure> {
    let inbox = find(app, &options.inbox).await?;
    let start = match options.since {
        Since::At(at) => at,
        Since::Ago(distance) => app.clock.now().checked_sub(distance).unwrap_or(OffsetDateTime::UNIX_EPOCH),
    };
    let mut filter = TraceFilter {
        message_id: options.message.map(MessageId::stored),
        correspondent: options.with,
        start: Some(start),
        page: PageRequest { limit: PageRequest::MAX_LIMIT, after: None, direction: Direction::Ascending },
        ..TraceFilter::default()
    };
    loop {
        let page = trace::list_for_operator(app, &inbox, filter.clone()).await.map_err(message_of);
        let page = page.context("cannot read the trace")?;
        for entry in page.items {
            let line = if options.json { json(entry)? } else { line(&entry) };
            print(&format!("{line}\n"))?;
        }
        filter.page.after = page.next;
        if filter.page.after.is_none() {
            return Ok(());
        }
    }
}

async fn find(app: &App, address: &EmailAddress) -> Result<Inbox, Failure> {
    let routes = app.store.destinations(std::slice::from_ref(address)).await.context("cannot find the inbox")?;
    let missing = || Failure::new(format!("no inbox has the address {address}; check the spelling"));
    let found = routes.into_iter().next().flatten().ok_or_else(missing)?.destination;
    let inbox = app.store.inbox(found.organization_id, &found.inbox_id).await.context("cannot read the inbox")?;
    inbox.ok_or_else(missing)
}

/// Returns a time in the form of RFC 3339.
pub(super) fn rfc3339(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

fn json(entry: TraceEntry) -> Result<String, Failure> {
    serde_json::to_string(&inboxd_http::trace_entry(entry)).context("cannot print")
}

/// Returns time, kind, message, actor and details. Strangers wrote parts of it.
fn line(entry: &TraceEntry) -> String {
    let at = rfc3339(entry.place.at);
    let message = entry.message_id().map_or("-", MessageId::as_str);
    let actor = entry.actor().map_or_else(String::new, |actor| format!("by {}; ", trace_summary::actor(actor)));
    let text = format!("{at}  {:22}  {message}  {actor}{}", entry.kind(), trace_summary::summary(entry));
    without_controls(&text, &[])
}

fn parse_since(text: &str) -> Result<Since, String> {
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Ok(Since::At(at));
    }
    let wrong = || "is no time like 2026-11-28T12:00:00Z and no distance like 90m, 12h or 7d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number: u32 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
    let number = i64::from(number);
    match unit {
        'm' => Ok(Since::Ago(Duration::minutes(number))),
        'h' => Ok(Since::Ago(Duration::hours(number))),
        'd' => Ok(Since::Ago(Duration::days(number))),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn since_is_time_or_distance() {
        assert_eq!(parse_since("2026-11-28T12:00:00Z"), Ok(Since::At(datetime!(2026-11-28 12:00 UTC))));
        assert_eq!(parse_since("90m"), Ok(Since::Ago(Duration::minutes(90))));
        assert_eq!(parse_since("12h"), Ok(Since::Ago(Duration::hours(12))));
        assert_eq!(parse_since("7d"), Ok(Since::Ago(Duration::days(7))));
        for wrong in ["", "7", "d", "-1d", "7w", "7é", "yesterday"] {
            assert!(parse_since(wrong).is_err(), "{wrong}");
        }
    }
}
