//! Query, path and header parameters as the OpenAPI document lists them. [`crate::query::QueryReader`] reads the query.
#![expect(dead_code, reason = "these structs only describe parameters")]

use inboxd_core::model::{AuditAction, AuditedResource, EventType, UsageType};
use inboxd_core::rules::trust::Verdict;
use utoipa::IntoParams;
use utoipa::openapi::schema::{Array, ArrayBuilder, Object, ObjectBuilder, Type};

/// Direction and type of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ListParams {
    /// Mail that the list applies to: outgoing mail (`send`), incoming mail (`receive`), or incoming replies to mail of
    /// the inbox (`reply`).
    #[param(inline)]
    direction: DirectionWord,
    /// Effect of an entry: only the listed addresses pass (`allow`), or the listed addresses do not pass (`block`).
    #[param(inline)]
    r#type: TypeWord,
}

/// Mail that a list applies to.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum DirectionWord {
    Send,
    Receive,
    Reply,
}

/// Effect of the entries of a list.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum TypeWord {
    Allow,
    Block,
}

/// Idempotency key of a send.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct SendKeyParams {
    /// Idempotency key, chosen by the client. For 24 hours the same request with the same key returns the first
    /// response and sends nothing; a different request with that key is refused. The key applies to the whole
    /// organization.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// Page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageParams {
    /// Maximum number of items in the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// `next_page_token` of the previous page. Filters and order must be the same.
    page_token: Option<String>,
}

/// Size of a page of a list that is always empty, and has no next page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LimitParams {
    /// Maximum number of items in the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
}

/// Filter of API keys.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyTypeParams {
    /// Type of the keys. Every key is a `bearer` key; the list of `public_key` keys is empty.
    #[param(inline)]
    r#type: Option<KeyTypeWord>,
}

/// Type of an API key.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum KeyTypeWord {
    Bearer,
    PublicKey,
}

/// Filters of the audit log.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditParams {
    /// Only changes by this member or API key, or by `operator`, `payment_provider`, `oauth_client` or `service`.
    actor_id: Option<String>,
    /// Only changes of this kind, such as `api_key.created`.
    #[param(schema_with = audit_actions)]
    action: Option<String>,
    /// Only changes of this kind of resource, such as `webhook`.
    #[param(schema_with = audited_resources)]
    resource_type: Option<String>,
    /// Only changes of the resource with this id; a list entry is named by its address or domain.
    resource_id: Option<String>,
    /// Only changes at or after this time.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Only changes before this time.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// Filters of a trace.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TraceParams {
    /// Only entries about this message.
    message_id: Option<String>,
    /// Only entries about messages of this thread.
    #[param(pattern = "^thr_[0-9a-fA-F]{32}$")]
    thread_id: Option<String>,
    /// Only entries about messages from or to this address, and refusals of mail from it.
    with: Option<String>,
    /// Only entries at or after this time.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Only entries before this time.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// Form of the texts of a message.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct BodyFormatParams {
    /// `markdown` returns `text` and `extracted_text` of messages with HTML as Markdown: with headings, lists, links,
    /// tables and preformatted text. The default is `text`.
    #[param(inline)]
    format: Option<TextFormWord>,
}

/// Form of an attachment.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AttachmentFormParams {
    /// Returns the words of the document as `text` or `markdown` instead of a link to its bytes: PDF, DOCX, XLSX, PPTX,
    /// ODF, RTF, HTML, CSV, calendars, contact cards, mails and text; the files of an archive are listed. The first
    /// 1,000,000 characters and 2,000 pages are read; `X-Text-Truncated: true` says that more was cut.
    #[param(inline)]
    r#as: Option<TextFormWord>,
}

/// Form of a text.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum TextFormWord {
    Text,
    Markdown,
}

/// Order of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrderParams {
    /// Whether the oldest item is first.
    #[param(default = false)]
    ascending: Option<bool>,
}

/// Time span.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SpanParams {
    /// Only items strictly before this time.
    #[param(format = DateTime)]
    before: Option<String>,
    /// Only items strictly after this time.
    #[param(format = DateTime)]
    after: Option<String>,
}

/// Label filter and hiding labels.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LabelParams {
    /// Only items with all of these labels.
    labels: Option<Vec<String>>,
    /// Whether messages with the label `spam` are included.
    #[param(default = false)]
    include_spam: Option<bool>,
    /// Whether messages with the label `blocked` are included.
    #[param(default = false)]
    include_blocked: Option<bool>,
    /// Whether messages with the label `unauthenticated` are included.
    #[param(default = false)]
    include_unauthenticated: Option<bool>,
    /// Whether messages with the label `trash` are included.
    #[param(default = false)]
    include_trash: Option<bool>,
    /// Whether messages with the label `held` are included. A filter by this label includes them too.
    #[param(default = false)]
    include_held: Option<bool>,
}

/// Filters of drafts.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DraftParams {
    /// Only items with all of these labels.
    labels: Option<Vec<String>>,
}

/// Filters of messages.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessageParams {
    /// Substrings of the sender. All must match; letter case is ignored.
    from: Option<Vec<String>>,
    /// Substrings of the recipients. All must match; letter case is ignored.
    to: Option<Vec<String>>,
    /// Substrings of the subject. All must match; letter case is ignored.
    subject: Option<Vec<String>>,
    /// Verdicts of trust (`trusted`, `known`, `first_contact`, `suspicious`), of which a message must have one.
    trust: Option<Vec<String>>,
}

/// Envelope recipient.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecipientParams {
    /// Only messages that were received for this address. Letter case is ignored.
    delivered_to: Option<String>,
    /// Only messages that were received for an address with this tag after the `+`. Letter case is ignored.
    tag: Option<String>,
}

/// Filters of threads.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ThreadParams {
    /// Substrings of the senders. All must match; letter case is ignored.
    senders: Option<Vec<String>>,
    /// Substrings of the recipients. All must match; letter case is ignored.
    recipients: Option<Vec<String>>,
    /// Substrings of the subject. All must match; letter case is ignored.
    subject: Option<Vec<String>>,
    /// Assignee of the thread: `me`, `none`, or the id of a member or API key.
    assignee: Option<String>,
    /// Verdicts of trust (`trusted`, `known`, `first_contact`, `suspicious`), of which the newest received message must
    /// have one.
    trust: Option<Vec<String>>,
}

/// Filter by inbox.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxParams {
    /// Only items in this inbox.
    inbox_id: Option<String>,
}

/// Search text.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchParams {
    /// Substring of sender, recipients, subject, text or the text of an attachment, or words if `match` is `words`. Letter
    /// case is ignored. Attachments are read some seconds after the message.
    #[param(min_length = 1, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    q: String,
    /// Meaning of `q`, by default a `substring`. With `words` all words must match, in any order, each at the beginning
    /// of a word of the message. `"…"` matches whole words in sequence, `from:`, `to:`, `subject:` and `has:attachment`
    /// select parts, and `-` excludes. Each result has `highlights`. A page may be short, or empty, and still have a
    /// next page.
    #[param(inline)]
    r#match: Option<MatchWord>,
}

/// Meaning of a search text.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum MatchWord {
    Substring,
    Words,
}

/// Search text of inboxes.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxSearchParams {
    /// Words of which each begins a word of the address or display name. Case of ASCII letters is ignored.
    #[param(
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\u0000]*[^\u0000\u0009-\u000d\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$"
    )]
    q: String,
}

/// Filters of events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventParams {
    /// Only events of this inbox.
    inbox_id: Option<String>,
    /// Only events of these types.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
    /// Of received messages, only the events of those with one of these verdicts of trust; events of other kinds are not
    /// concerned.
    #[param(schema_with = verdicts)]
    trust: Option<Vec<String>>,
    /// Start of the time span, inclusive; by default seven days before `end`.
    #[param(format = DateTime)]
    start: Option<String>,
    /// End of the time span, exclusive; by default the time of the request.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// Position in the feed and long poll.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedParams {
    /// Id of the last event that the client has processed. The response holds every later event, oldest first, and no
    /// default time span applies.
    after_event_id: Option<String>,
    /// Maximum wait for an event if there is none yet, in seconds. Without `after_event_id` the request waits for
    /// events after the request.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
}

/// Filter of counted events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventTypeParams {
    /// Only events of these types.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
}

/// Filters of attempts to deliver events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AttemptParams {
    /// Only attempts of this webhook.
    #[param(pattern = "^whk_[0-9a-fA-F]{32}$")]
    webhook_id: Option<String>,
    /// Only attempts to deliver this event.
    #[param(pattern = "^evt_[0-9a-fA-F]{32}$")]
    event_id: Option<String>,
    /// Only attempts to deliver events of these types.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
    /// Result of the attempt: a 2xx response (`succeeded`), or another response or none (`failed`).
    #[param(inline)]
    status: Option<AttemptWord>,
    /// Only attempts that received a response with this status code.
    #[param(minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Start of the time span, inclusive.
    #[param(format = DateTime)]
    start: Option<String>,
    /// End of the time span, exclusive.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// Result of an attempt.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum AttemptWord {
    Succeeded,
    Failed,
}

/// Filter of usage types.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageTypeParams {
    /// Only these usage types. Inboxes have no `inbox_count`, `pod_count` and `domain_count`; pods have no `pod_count`.
    #[param(schema_with = usage_types)]
    usage_types: Option<Vec<String>>,
}

/// Time window and buckets of metrics.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MetricParams {
    /// Start of the time window, inclusive; by default 24 hours before `end`.
    #[param(format = DateTime)]
    start: Option<String>,
    /// End of the time window, exclusive, at most 90 days after `start`. The default is the time of the request, which
    /// also replaces a time in the future.
    #[param(format = DateTime)]
    end: Option<String>,
    /// Length of a bucket in seconds, a multiple of 60. A time window has at most 10,000 buckets.
    #[param(minimum = 60, maximum = 7_776_000, multiple_of = 60, default = 3600)]
    period: Option<u64>,
    /// Maximum number of buckets per type.
    #[param(minimum = 1, maximum = 10_000)]
    limit: Option<u32>,
    /// Whether the newest bucket is first.
    #[param(default = false)]
    descending: Option<bool>,
}

/// Part of the scope of the key.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WithinParams {
    /// Only this inbox.
    inbox_id: Option<String>,
    /// Only this pod.
    pod_id: Option<String>,
}

/// Returns the schema of a list of event types.
fn event_types() -> Array {
    words(EventType::ALL.iter().map(|kind| kind.as_str()))
}

/// Returns the schema of a list of verdicts.
fn verdicts() -> Array {
    words(Verdict::ALL.iter().map(|verdict| verdict.as_str()))
}

/// Returns the schema of a list of usage types.
fn usage_types() -> Array {
    words(UsageType::ALL.iter().map(|measure| measure.as_str()))
}

/// Returns the schema of a recorded change.
fn audit_actions() -> Object {
    word(AuditAction::ALL.iter().map(|action| action.as_str()))
}

/// Returns the schema of a kind of audited resource.
fn audited_resources() -> Object {
    word(AuditedResource::ALL.iter().map(|resource| resource.as_str()))
}

pub(crate) fn words(names: impl Iterator<Item = &'static str>) -> Array {
    ArrayBuilder::new().items(word(names)).build()
}

pub(crate) fn word(names: impl Iterator<Item = &'static str>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build()
}
