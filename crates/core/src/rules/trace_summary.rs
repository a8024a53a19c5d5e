//! Trace entries in one line of words, for people.

use crate::model::{
    Actor, DeliveryAttempt, Event, EventBody, RecipientResult, SessionTls, SmtpRefusal, TraceEntry, TraceRecord,
    TracedMessage, WebhookAttempt,
};
use crate::rules::sending_policy;
use crate::rules::trust::Reason;

/// Returns the facts of an entry beyond its kind and its actor. They contain texts of strangers.
#[must_use]
pub fn summary(entry: &TraceEntry) -> String {
    match &entry.record {
        TraceRecord::Event { event, message, webhook_attempts } => {
            let parts = [
                of_event(event, message.as_deref()),
                webhook_attempts.iter().map(of_webhook_attempt).collect::<Vec<_>>().join("; "),
            ];
            joined(&parts)
        }
        TraceRecord::Label { change, .. } => change.label.clone(),
        TraceRecord::Delivery(attempt) => of_attempt(attempt),
        TraceRecord::Refusal(refusal) => of_refusal(refusal),
        TraceRecord::Read { read, .. } => format!("first read of the {}", read.part.as_str()),
    }
}

/// Returns the actor in words.
#[must_use]
pub fn actor(actor: &Actor) -> String {
    match actor {
        Actor::Member { name, email, connection_id: None, .. } => format!("{name} ({email})"),
        Actor::Member { name, email, .. } => format!("{name} ({email}), through a chat client"),
        Actor::ApiKey { name, .. } => format!("API key {name}"),
    }
}

fn of_event(event: &Event, message: Option<&TracedMessage>) -> String {
    match &event.body {
        EventBody::Received { .. } => message.map_or_else(|| "the message is deleted".to_owned(), of_received),
        EventBody::Send { recipients } => {
            let answer = message.and_then(|message| message.in_reply_to.as_ref());
            let subject = message.and_then(|message| message.subject.as_deref()).unwrap_or_default();
            joined(&[
                format!("to {}", recipients.join(", ")),
                subject.to_owned(),
                answer.map_or_else(String::new, |id| format!("answers {id}")),
            ])
        }
        EventBody::Delivery { recipients } => format!("to {}", recipients.join(", ")),
        EventBody::Bounce { kind, sub_type, recipients } => {
            let recipients = recipients.iter().map(|one| format!("{} {}", one.address, one.status));
            format!("{kind}, {sub_type}: {}", recipients.collect::<Vec<_>>().join(", "))
        }
        EventBody::Complaint { kind, sub_type, recipients } => {
            format!("{kind}, {sub_type}: {}", recipients.join(", "))
        }
        EventBody::Security { result } => result.reason.clone(),
        EventBody::Override { release } => release.reason.clone(),
        EventBody::Hold { rule, recipients, .. } => {
            format!("to {}: {}", recipients.join(", "), sending_policy::describe(rule))
        }
        EventBody::Approve { draft_id, .. } => format!("draft {draft_id}"),
        EventBody::Redact { .. } => "the content was removed".to_owned(),
        EventBody::Reject { reason } | EventBody::Sending { reason, .. } => reason.clone(),
        EventBody::Calendar { calendar_event_id, .. } => calendar_event_id.to_string(),
        EventBody::Domain { domain } => domain.name.to_string(),
    }
}

fn of_received(message: &TracedMessage) -> String {
    let trust = message.trust.as_ref().map_or_else(String::new, |trust| {
        let reasons: Vec<String> = trust.reasons.iter().filter_map(name_of).collect();
        format!("judged {}: {}", trust.verdict.as_str(), reasons.join(", "))
    });
    joined(&[format!("from {}", message.from), message.subject.clone().unwrap_or_default(), trust])
}

/// Returns the name of a reason in the API.
fn name_of(reason: &Reason) -> Option<String> {
    Some(serde_json::to_value(reason).ok()?.get("name")?.as_str()?.to_owned())
}

fn of_webhook_attempt(attempt: &WebhookAttempt) -> String {
    let answer = match (attempt.status_code, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "no response".to_owned(),
    };
    format!("webhook {}: {answer} after {} ms", attempt.webhook_id, attempt.duration_ms)
}

fn of_refusal(refusal: &SmtpRefusal) -> String {
    let SmtpRefusal { client, helo, recipient, stage, code, status, reply, count, .. } = refusal;
    let sender = refusal.envelope_from.as_deref().unwrap_or_default();
    let times = if *count == 1 { String::new() } else { format!("{count} times until {}; ", refusal.last_refused_at) };
    format!(
        "{times}from <{sender}> to {recipient} by {helo} ({client}), at {}: {code} {status} {reply}",
        stage.as_str().to_uppercase()
    )
}

fn of_attempt(attempt: &DeliveryAttempt) -> String {
    let results = attempt.results.iter().map(of_result).collect::<Vec<_>>().join("; ");
    format!("attempt {}: {results}", attempt.attempt)
}

fn of_result(result: &RecipientResult) -> String {
    let server = result.server.as_ref().map_or_else(String::new, |server| {
        let encrypted = |is_encrypted| if is_encrypted { SessionTls::Encrypted } else { SessionTls::None };
        match result.tls.or(result.is_encrypted.map(encrypted)) {
            Some(tls) => format!(" at {server} {}", tls.phrase()),
            None => format!(" at {server}"),
        }
    });
    let reply = result.reply.as_ref().map_or_else(String::new, |reply| format!(": {reply}"));
    format!("{} for {}{server}{reply}", result.result.as_str(), result.recipients.join(", "))
}

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("; ")
}
