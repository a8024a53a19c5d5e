//! Spans of attempts, for an export of traces. Without one they cost nothing.

use std::time::Duration;

use inboxd_core::model::{DeliveryOutcome, DeliveryReport, QueuedMail, SPAN_TARGET, TraceContext, WebhookAttempt};

use crate::metrics::route_name;

/// Reports a delivery attempt, in the trace of the request that sent the message.
pub(crate) fn export_delivery(mail: &QueuedMail, reports: &[DeliveryReport], elapsed: Duration) {
    let count =
        |is_such: fn(&DeliveryOutcome) -> bool| reports.iter().filter(|report| is_such(&report.outcome)).count();
    drop(tracing::info_span!(
        target: SPAN_TARGET,
        parent: None,
        "deliver message",
        otel.kind = "client",
        traceparent = mail.traceparent.map(|cause| cause.to_string()),
        duration_s = elapsed.as_secs_f64(),
        inboxd.route = route_name(mail.route),
        inboxd.attempt = mail.attempts,
        inboxd.delivered = count(|outcome| matches!(outcome, DeliveryOutcome::Delivered)),
        inboxd.refused = count(|outcome| matches!(outcome, DeliveryOutcome::Refused { .. })),
        inboxd.deferred = count(|outcome| matches!(outcome, DeliveryOutcome::Deferred { .. })),
    ));
}

/// Reports an attempt to deliver an event to a webhook, with the span of the request that caused the event and its own.
pub(crate) fn export_webhook(
    attempt: &WebhookAttempt,
    spans: Option<(TraceContext, TraceContext)>,
    failed: u32,
    elapsed: Duration,
) {
    drop(tracing::info_span!(
        target: SPAN_TARGET,
        parent: None,
        "deliver event",
        otel.kind = "client",
        otel.status_code = (!attempt.is_success()).then_some("ERROR"),
        traceparent = spans.map(|(cause, _)| cause.to_string()),
        span_id = spans.map(|(_, own)| own.span_id()),
        duration_s = elapsed.as_secs_f64(),
        http.request.method = "POST",
        http.response.status_code = attempt.status_code,
        inboxd.event_type = attempt.event_type.as_str(),
        inboxd.attempt = failed.saturating_add(1),
    ));
}
