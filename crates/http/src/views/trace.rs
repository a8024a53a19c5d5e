//! Entries of traces.

use inboxd_core::model::{self, DeliveryAttempt, EventBody, TraceRecord, TracedMessage};
use inboxd_core::rules::sending_policy::describe;
use inboxd_core::rules::trust::Judgement;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;
use super::trust_schema::TrustView;

/// Entry of a trace.
#[derive(Serialize, ToSchema)]
#[schema(as = TraceEntry)]
pub(crate) struct TraceEntryView {
    /// Id of the entry: that of its event, label change, delivery attempt, refusal or read.
    entry_id: String,
    /// Time of the entry.
    #[schema(format = DateTime)]
    at: String,
    /// Kind: the type of an event, `label.added`, `label.removed`, `delivery.attempted`, `smtp.refused` or
    /// `message.read`. Clients ignore unknown kinds.
    #[schema(example = "message.received")]
    kind: &'static str,
    /// Message that the entry is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message_id: Option<String>,
    /// Thread of the message; absent from label changes of deleted messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    thread_id: Option<String>,
    /// Member or API key that acted; absent when the service or a stranger did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    actor: Option<ActorView>,
    /// Facts that depend on the kind.
    detail: TraceDetailView,
}

/// Facts of a trace entry. Fields without a value are absent.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = TraceDetail)]
pub(crate) struct TraceDetailView {
    /// Sender of the message of an event, while the message exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    from: Option<String>,
    /// Subject of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// Message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    in_reply_to: Option<String>,
    /// Judgement of a received message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TrustView>, nullable = false)]
    trust: Option<Judgement>,
    /// Recipients of an event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    recipients: Vec<TracedRecipientView>,
    /// Type of a bounce, `Permanent` or `Transient`, or of a complaint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    r#type: Option<String>,
    /// Meaning of the status code of a bounce, or details of a complaint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sub_type: Option<String>,
    /// Reason of a refusal before sending, of a judgement, or of a release; for a held send the rule that held it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
    /// First 20 attempts to deliver the event to webhooks in the scope of the key, oldest first; only with `webhook_read`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    webhook_attempts: Vec<TracedWebhookAttemptView>,
    /// Label that was added or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    label: Option<String>,
    /// Number of a delivery attempt, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    attempt: Option<u32>,
    /// Time of the next delivery attempt; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    next_attempt_at: Option<String>,
    /// Part that an actor read first: `message`, `raw` or `attachment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(message|raw|attachment)$")]
    part: Option<&'static str>,
    /// Refusals of mail at SMTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refusal: Option<SmtpRefusalView>,
    /// Results of a delivery attempt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    results: Vec<DeliveryResultView>,
}

/// Refusals of mail at SMTP with the same client network, envelope sender, stage and codes within an hour. Strangers wrote
/// parts of the texts.
#[derive(Serialize, ToSchema)]
#[schema(as = SmtpRefusal)]
pub(crate) struct SmtpRefusalView {
    /// Address of the client of the first one.
    client: String,
    /// Its name in HELO or EHLO.
    helo: String,
    /// Envelope sender; absent from reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    envelope_from: Option<String>,
    /// Recipient of the first one.
    recipient: String,
    /// Refused step: `rcpt` or `data`.
    #[schema(pattern = "^(rcpt|data)$")]
    stage: &'static str,
    /// Reply code.
    code: u16,
    /// Enhanced status code.
    status: String,
    /// Text of the first reply.
    reply: String,
    /// Number of refusals.
    count: u64,
    /// Time of the last one.
    #[schema(format = DateTime)]
    last_refused_at: String,
}

/// Recipient of an event in a trace.
#[derive(Serialize, ToSchema)]
#[schema(as = TracedRecipient)]
pub(crate) struct TracedRecipientView {
    /// Address of the recipient.
    address: String,
    /// Enhanced status code of a bounce.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<String>,
}

/// Attempt to deliver an event to a webhook, in a trace.
#[derive(Serialize, ToSchema)]
#[schema(as = TracedWebhookAttempt)]
pub(crate) struct TracedWebhookAttemptView {
    /// Id of the attempt.
    attempt_id: String,
    /// Id of the webhook.
    webhook_id: String,
    /// Time of the attempt.
    #[schema(format = DateTime)]
    attempted_at: String,
    /// Status code of the response; absent without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status_code: Option<u16>,
    /// Duration in milliseconds.
    duration_ms: u32,
    /// Reason of a missing response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
}

/// Recipients of a delivery attempt with the same result.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryResult)]
pub(crate) struct DeliveryResultView {
    /// Addresses of the recipients.
    recipients: Vec<String>,
    /// `delivered`, `refused` or `deferred`.
    #[schema(pattern = "^(delivered|refused|deferred)$")]
    result: &'static str,
    /// Enhanced status code of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<String>,
    /// Words of the server, or the reason without them: at most 500 characters on one line, written by a stranger.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reply: Option<String>,
    /// Server and its address; absent when none was asked, and for local delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    server: Option<String>,
    /// Whether the session used TLS; absent when it did not get that far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tls: Option<bool>,
    /// TLS of the session: `none`, `encrypted` (any certificate), `verified` (a certificate of a public authority for the
    /// server) or `dane` (authenticated by TLSA records). Absent like `tls`, and from attempts before it existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(none|encrypted|verified|dane)$")]
    tls_level: Option<&'static str>,
}

/// Returns an entry as the API shows it.
#[must_use]
pub fn trace_entry(entry: model::TraceEntry) -> impl Serialize {
    TraceEntryView::from(entry)
}

impl From<model::TraceEntry> for TraceEntryView {
    fn from(entry: model::TraceEntry) -> Self {
        let (kind, at) = (entry.kind(), format_time(entry.place.at));
        let message_id = entry.message_id().map(ToString::to_string);
        let thread_id = entry.thread_id().map(|id| id.to_string());
        let actor = entry.actor().cloned().map(ActorView::from);
        let (entry_id, detail) = match entry.record {
            TraceRecord::Event { event, message, webhook_attempts } => {
                (event.event_id.to_string(), of_event(event.body, message.map(|message| *message), webhook_attempts))
            }
            TraceRecord::Label { change, .. } => (
                change.event_id.to_string(),
                TraceDetailView { label: Some(change.label), ..TraceDetailView::default() },
            ),
            TraceRecord::Delivery(attempt) => (attempt.attempt_id.to_string(), of_attempt(attempt)),
            TraceRecord::Refusal(refusal) => (refusal.refusal_id.to_string(), of_refusal(*refusal)),
            TraceRecord::Read { read, .. } => (
                read.read_id.to_string(),
                TraceDetailView { part: Some(read.part.as_str()), ..TraceDetailView::default() },
            ),
        };
        Self { entry_id, at, kind, message_id, thread_id, actor, detail }
    }
}

fn of_event(body: EventBody, message: Option<TracedMessage>, attempts: Vec<model::WebhookAttempt>) -> TraceDetailView {
    let webhook_attempts = attempts.into_iter().map(TracedWebhookAttemptView::from).collect();
    let detail = match message {
        None => TraceDetailView { webhook_attempts, ..TraceDetailView::default() },
        Some(message) => TraceDetailView {
            from: Some(message.from),
            subject: message.subject,
            in_reply_to: message.in_reply_to.map(|id| id.to_string()),
            trust: message.trust.filter(|_| matches!(body, EventBody::Received { .. })),
            webhook_attempts,
            ..TraceDetailView::default()
        },
    };
    let plain = |recipients: Vec<String>| {
        recipients.into_iter().map(|address| TracedRecipientView { address, status: None }).collect()
    };
    match body {
        EventBody::Received { .. }
        | EventBody::Approve { .. }
        | EventBody::Redact { .. }
        | EventBody::Domain { .. }
        | EventBody::Calendar { .. }
        | EventBody::Sending { .. } => detail,
        EventBody::Send { recipients } | EventBody::Delivery { recipients } => {
            TraceDetailView { recipients: plain(recipients), ..detail }
        }
        EventBody::Bounce { kind, sub_type, recipients } => {
            let recipient =
                |one: model::RecipientStatus| TracedRecipientView { address: one.address, status: Some(one.status) };
            let recipients = recipients.into_iter().map(recipient).collect();
            TraceDetailView { r#type: Some(kind), sub_type: Some(sub_type), recipients, ..detail }
        }
        EventBody::Complaint { kind, sub_type, recipients } => {
            TraceDetailView { r#type: Some(kind), sub_type: Some(sub_type), recipients: plain(recipients), ..detail }
        }
        EventBody::Hold { rule, recipients, .. } => {
            TraceDetailView { reason: Some(describe(&rule)), recipients: plain(recipients), ..detail }
        }
        EventBody::Security { result } => TraceDetailView { reason: Some(result.reason), ..detail },
        EventBody::Override { release } => TraceDetailView { reason: Some(release.reason), ..detail },
        EventBody::Reject { reason } => TraceDetailView { reason: Some(reason), ..detail },
    }
}

fn of_refusal(refusal: model::SmtpRefusal) -> TraceDetailView {
    let refusal = SmtpRefusalView {
        client: refusal.client,
        helo: refusal.helo,
        envelope_from: refusal.envelope_from,
        recipient: refusal.recipient,
        stage: refusal.stage.as_str(),
        code: refusal.code,
        status: refusal.status,
        reply: refusal.reply,
        count: refusal.count,
        last_refused_at: format_time(refusal.last_refused_at),
    };
    TraceDetailView { refusal: Some(refusal), ..TraceDetailView::default() }
}

fn of_attempt(attempt: DeliveryAttempt) -> TraceDetailView {
    let result = |result: model::RecipientResult| DeliveryResultView {
        recipients: result.recipients,
        result: result.result.as_str(),
        status: result.status,
        reply: result.reply,
        server: result.server,
        tls: result.is_encrypted,
        tls_level: result.tls.map(model::SessionTls::as_str),
    };
    TraceDetailView {
        attempt: Some(attempt.attempt),
        next_attempt_at: attempt.next_attempt_at.map(format_time),
        results: attempt.results.into_iter().map(result).collect(),
        ..TraceDetailView::default()
    }
}

impl From<model::WebhookAttempt> for TracedWebhookAttemptView {
    fn from(attempt: model::WebhookAttempt) -> Self {
        Self {
            attempt_id: attempt.attempt_id.to_string(),
            webhook_id: attempt.webhook_id.to_string(),
            attempted_at: format_time(attempt.attempted_at),
            status_code: attempt.status_code,
            duration_ms: attempt.duration_ms,
            error: attempt.error,
        }
    }
}
