//! Delivery attempt of one event to a webhook.

use time::OffsetDateTime;

use super::prepare::{Prepared, Task, Unsigned};
use crate::app::App;
use crate::model::{WebhookAttempt, WebhookDelivery};
use crate::ports::{NotAnswered, Notification, OnItsWay, WebhookAnswer, WebhookSender};
use crate::rules::webhooks::{schedule, signature};

/// Result of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The delivery.
    pub delivery: WebhookDelivery,
    /// The attempt; `None` if the event no longer exists.
    pub attempt: Option<WebhookAttempt>,
}

/// Sends a prepared delivery and awaits its result. `None` means that nothing was attempted and nothing is to be
/// recorded.
///
/// `on_its_way` is called while the request is being sent. It is dropped if no request is sent.
pub async fn attempt(
    app: &App,
    sender: &dyn WebhookSender,
    prepared: Prepared,
    on_its_way: OnItsWay,
) -> Option<Outcome> {
    let Prepared { delivery, task } = prepared;
    let attempted_at = app.clock.now();
    let answer = match task {
        Task::Leave => return None,
        Task::Forget => return Some(Outcome { delivery, attempt: None }),
        Task::Fail(reason) => Err(NotAnswered(reason.to_owned())),
        Task::Send(unsigned) => sender.send(signed(&delivery, unsigned, attempted_at), on_its_way).await,
    };
    let attempt = conclude(app, &delivery, answer, attempted_at);
    Some(Outcome { delivery, attempt: Some(attempt) })
}

fn signed(delivery: &WebhookDelivery, unsigned: Unsigned, now: OffsetDateTime) -> Notification {
    let Unsigned { url, mut headers, secrets, body, traceparent } = unsigned;
    let fields = signature::fields(&secrets, &delivery.event_id.to_string(), now, &body);
    headers.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    headers.extend(traceparent.map(|(_, own)| ("traceparent".to_owned(), own.to_string())));
    Notification { url, headers, body }
}

fn conclude(
    app: &App,
    delivery: &WebhookDelivery,
    answer: Result<WebhookAnswer, NotAnswered>,
    attempted_at: OffsetDateTime,
) -> WebhookAttempt {
    let ended_at = app.clock.now();
    let (status_code, body, error) = match answer {
        Ok(WebhookAnswer { status, body }) => (Some(status), Some(body), None),
        Err(NotAnswered(words)) => (None, None, Some(words)),
    };
    let attempt = WebhookAttempt {
        organization_id: delivery.organization_id,
        attempt_id: app.mint(attempted_at),
        webhook_id: delivery.webhook_id,
        event_id: delivery.event_id,
        event_type: delivery.event_type,
        status_code,
        duration_ms: u32::try_from((ended_at - attempted_at).whole_milliseconds()).unwrap_or(0),
        response_body: None,
        error,
        attempted_at,
        next_attempt_at: None,
    };
    if attempt.is_success() {
        return attempt;
    }
    WebhookAttempt {
        response_body: body.filter(|body| !body.is_empty()),
        next_attempt_at: schedule::next_attempt(delivery.failed.saturating_add(1), ended_at),
        ..attempt
    }
}
