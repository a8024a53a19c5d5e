//! `inboxd watch`: the event feed, resumed after every break.

use std::time::Duration;

use clap::ArgMatches;
use futures_util::TryStreamExt;
use http::StatusCode;
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::time::{sleep, timeout};

use crate::event_stream::{EventReader, StreamEvent};
use crate::failure::{CommandFailure, ExitStatus};
use crate::http::{ApiClient, ApiRequest};
use crate::output::clock::time_of_day;
use crate::output::pager;
use crate::output::table::plain;
use crate::output::text::safe_json;
use crate::session::{Session, say};
use crate::tree::INBOX;

/// Silence after which a stream counts as broken: the server says something every 15 seconds.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(45);
/// Delay before the first attempt to connect again.
const MIN_DELAY: Duration = Duration::from_millis(500);
/// Delay between later attempts.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Feed with the position that has been read.
struct FeedWatch {
    client: ApiClient,
    request: ApiRequest,
    last_event_id: Option<String>,
    /// Events to show before the end.
    rest: Option<u64>,
    is_json: bool,
    was_connected: bool,
}

/// Follows the feed until the reader stops it, the count is reached, or the server refuses.
pub(crate) async fn run(session: &Session, matches: &ArgMatches, is_json: bool) -> Result<(), CommandFailure> {
    let client = session.client()?;
    let mut request = ApiRequest::get("/v0/events");
    let types = matches.get_many::<String>("event-types").into_iter().flatten();
    request.query.extend(types.map(|kind| ("event_types".to_owned(), kind.clone())));
    let trust = matches.get_many::<String>("trust").into_iter().flatten();
    request.query.extend(trust.map(|verdict| ("trust".to_owned(), verdict.clone())));
    request.query.extend(matches.get_one::<String>(INBOX).map(|inbox| ("inbox_id".to_owned(), inbox.clone())));
    let after = match matches.get_one::<String>("after") {
        Some(after) => Some(after.clone()),
        // Without a position a break before the first event would lose what happens meanwhile.
        None => newest_event(&client).await?,
    };
    "text/event-stream".clone_into(&mut request.accept);
    let rest = matches.get_one::<u64>("count").copied();
    let mut watch = FeedWatch { client, request, last_event_id: after, rest, is_json, was_connected: false };
    watch.follow().await
}

/// Returns the id of the newest event.
async fn newest_event(client: &ApiClient) -> Result<Option<String>, CommandFailure> {
    let mut request = ApiRequest::get("/v0/events");
    request.set_query("limit", "1");
    let newest = client.json(&request).await?;
    Ok(newest["events"][0]["event_id"].as_str().map(str::to_owned))
}

impl FeedWatch {
    async fn follow(&mut self) -> Result<(), CommandFailure> {
        let mut delay = MIN_DELAY;
        loop {
            let before = self.last_event_id.clone();
            match self.read_stream().await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(failure) if self.was_connected && is_temporary(&failure) => {
                    say(&format!("inboxd: {failure}; connecting again"));
                }
                Err(failure) => return Err(failure),
            }
            delay = if self.last_event_id == before { delay.saturating_mul(2).min(MAX_DELAY) } else { MIN_DELAY };
            sleep(delay).await;
        }
    }

    /// Reads one connection. Returns whether the count is reached; otherwise the connection broke.
    async fn read_stream(&mut self) -> Result<bool, CommandFailure> {
        self.request.headers.retain(|(name, _)| name != "last-event-id");
        let resumed = self.last_event_id.clone().map(|id| ("last-event-id".to_owned(), id));
        self.request.headers.extend(resumed);
        let mut body = self.client.send(&self.request).await?.into_body().into_data_stream();
        self.was_connected = true;
        let mut reader = EventReader::default();
        while let Ok(Ok(Some(bytes))) = timeout(SILENCE_TIMEOUT, body.try_next()).await {
            for event in reader.read(&bytes) {
                self.show(&event)?;
                if self.rest == Some(0) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn show(&mut self, event: &StreamEvent) -> Result<(), CommandFailure> {
        if event.kind == "error" {
            return Err(refusal(&event.data));
        }
        let line = if self.is_json { safe_json(&event.data).replace('\n', " ") } else { summary(&event.data) };
        pager::write(&format!("{line}\n"))?;
        if event.id.is_some() {
            self.last_event_id.clone_from(&event.id);
        }
        self.rest = self.rest.map(|rest| rest.saturating_sub(1));
        Ok(())
    }
}

/// Returns whether another attempt may succeed.
fn is_temporary(failure: &CommandFailure) -> bool {
    matches!(failure.status, ExitStatus::Unreachable | ExitStatus::RateLimited)
}

/// Reads the refusal that ends a stream. Its code decides the exit code.
fn refusal(data: &str) -> CommandFailure {
    let envelope: Value = serde_json::from_str(data).unwrap_or_default();
    let status = match envelope["name"].as_str().unwrap_or_default() {
        "UnauthorizedError" => StatusCode::UNAUTHORIZED,
        "NotFoundError" => StatusCode::NOT_FOUND,
        "ServiceUnavailableError" => StatusCode::SERVICE_UNAVAILABLE,
        "RateLimitError" | "TooManyRequestsError" => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::FORBIDDEN,
    };
    CommandFailure::from_response(status, data.as_bytes())
}

/// Returns an event as one line.
fn summary(data: &str) -> String {
    let event: Value = serde_json::from_str(data).unwrap_or_default();
    let text = |field: &Value| plain(field);
    let mut parts =
        vec![time_of_day(&text(&event["created_at"])), text(&event["event_type"]), text(&event["inbox_id"])];
    let message = &event["message"];
    if message["subject"].is_string() || message["from"].is_string() {
        parts.push(format!("{}: {}", text(&message["from"]), text(&message["subject"])));
    }
    let bodies = ["send", "delivery", "bounce", "complaint", "reject"].into_iter();
    parts.extend(bodies.flat_map(|name| ["recipients", "reason"].map(|field| text(&event[name][field]))));
    parts.push(text(&event["domain"]["domain"]));
    parts.push(text(&event["message_id"]));
    parts.retain(|part| !part.is_empty());
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_is_one_line_without_control_characters() {
        let event = serde_json::json!({
            "event_type": "message.received", "created_at": "2026-11-28T03:24:30.233Z", "inbox_id": "scout@x",
            "message_id": "<1@x>", "message": {"from": "Eve <e@x>", "subject": "Hi\u{1b}[2J\nthere"},
        });
        let expected = "03:24:30  message.received  scout@x  Eve <e@x>: Hi[2J there  <1@x>";
        assert_eq!(summary(&event.to_string()), expected);
    }
}
