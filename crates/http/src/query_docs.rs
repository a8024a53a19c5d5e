//! Parameters of query strings as the OpenAPI document lists them. They are read by [`crate::query::QueryReader`].
#![expect(dead_code, reason = "these structs only describe parameters")]

use inboxd_core::model::{EventType, UsageType};
use utoipa::IntoParams;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, Type};

/// Which list.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ListParams {
    /// Mail that leaves (`send`), that comes in (`receive`), or that comes in and answers mail of ours (`reply`).
    #[param(inline)]
    direction: DirectionWord,
    /// Whether nobody else passes (`allow`), or they do not (`block`).
    #[param(inline)]
    r#type: TypeWord,
}

/// Which mail a list is about.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum DirectionWord {
    Send,
    Receive,
    Reply,
}

/// What a list does.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum TypeWord {
    Allow,
    Block,
}

/// How a send is made repeatable.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct SendKeyParams {
    /// A key of the caller's choice. For 24 hours the same request with the same key, from anybody in the organization,
    /// is answered what it was answered first, and nothing more is sent; another request with that key is refused.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// Which page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageParams {
    /// The most rows of the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// The `next_page_token` of the page before, with the same filters and order.
    page_token: Option<String>,
}

/// Which keys.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyTypeParams {
    /// Only keys of this type. Every key is a `bearer` key: of `public_key` the list is empty.
    #[param(inline)]
    r#type: Option<KeyTypeWord>,
}

/// A type of keys.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum KeyTypeWord {
    Bearer,
    PublicKey,
}

/// The order of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OrderParams {
    /// Oldest first.
    #[param(default = false)]
    ascending: Option<bool>,
}

/// A span of time.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SpanParams {
    /// Only what is strictly before this.
    #[param(format = DateTime)]
    before: Option<String>,
    /// Only what is strictly after this.
    #[param(format = DateTime)]
    after: Option<String>,
}

/// Labels, and what they hide.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LabelParams {
    /// Only what carries all of these labels.
    labels: Option<Vec<String>>,
    /// Includes what is labelled spam.
    #[param(default = false)]
    include_spam: Option<bool>,
    /// Includes what is labelled blocked.
    #[param(default = false)]
    include_blocked: Option<bool>,
    /// Includes what is labelled unauthenticated.
    #[param(default = false)]
    include_unauthenticated: Option<bool>,
    /// Includes what is labelled trash.
    #[param(default = false)]
    include_trash: Option<bool>,
}

/// Filters of drafts.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DraftParams {
    /// Only what carries all of these labels.
    labels: Option<Vec<String>>,
}

/// Filters of messages.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessageParams {
    /// Substrings of the sender, all of them, in any letter case.
    from: Option<Vec<String>>,
    /// Substrings of a recipient.
    to: Option<Vec<String>>,
    /// Substrings of the subject.
    subject: Option<Vec<String>>,
}

/// The recipient of the envelope.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecipientParams {
    /// Only what came for this address, in any letter case.
    delivered_to: Option<String>,
    /// Only what came for an address with this behind its `+`, in any letter case.
    tag: Option<String>,
}

/// Filters of threads.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ThreadParams {
    /// Substrings of a sender, all of them, in any letter case.
    senders: Option<Vec<String>>,
    /// Substrings of a recipient.
    recipients: Option<Vec<String>>,
    /// Substrings of the subject.
    subject: Option<Vec<String>>,
    /// Whose the thread is: `me`, `none`, or the id of a member or key.
    assignee: Option<String>,
}

/// One inbox of all.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxParams {
    /// Only what is in this inbox.
    inbox_id: Option<String>,
}

/// What to search for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchParams {
    /// A substring of sender, recipients, subject or text, in any letter case.
    #[param(min_length = 1, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    q: String,
}

/// Filters of events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventParams {
    /// Only those of this inbox.
    inbox_id: Option<String>,
    /// Only those of one of these kinds.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
    /// Not before this; seven days before `end` where it is absent.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Before this; now where it is absent.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// From where events are read on, and how long to wait for the first.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedParams {
    /// Every event since this one, oldest first, without a default window.
    after_event_id: Option<String>,
    /// Where there is none yet, how long to wait for one, in seconds; since now where `after_event_id` is absent.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
}

/// Which events are counted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventTypeParams {
    /// Only those of one of these kinds.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
}

/// Filters of attempts to deliver events.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AttemptParams {
    /// Only those to this webhook.
    #[param(pattern = "^whk_[0-9a-fA-F]{32}$")]
    webhook_id: Option<String>,
    /// Only those of this event.
    #[param(pattern = "^evt_[0-9a-fA-F]{32}$")]
    event_id: Option<String>,
    /// Only those of events of one of these kinds.
    #[param(schema_with = event_types)]
    event_types: Option<Vec<String>>,
    /// Only those that ended with an answer 2xx, or only those that did not.
    #[param(inline)]
    status: Option<AttemptWord>,
    /// Only those that were answered with this status.
    #[param(minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Not before this.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Before this.
    #[param(format = DateTime)]
    end: Option<String>,
}

/// How an attempt ended.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum AttemptWord {
    Succeeded,
    Failed,
}

/// What of the usage is drawn.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UsageTypeParams {
    /// Only these. An inbox has no count of inboxes, pods and domains, a pod none of pods.
    #[param(schema_with = usage_types)]
    usage_types: Option<Vec<String>>,
}

/// The window of a count, and how it is cut.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MetricParams {
    /// Not before this; 24 hours before `end` where it is absent.
    #[param(format = DateTime)]
    start: Option<String>,
    /// Before this, at most 90 days after `start`; now where it is absent or lies in the future.
    #[param(format = DateTime)]
    end: Option<String>,
    /// The length of a bucket in seconds, a multiple of 60. A window has at most 10,000 buckets.
    #[param(minimum = 60, maximum = 7_776_000, multiple_of = 60, default = 3600)]
    period: Option<u64>,
    /// The most buckets of each type.
    #[param(minimum = 1, maximum = 10_000)]
    limit: Option<u32>,
    /// Newest first.
    #[param(default = false)]
    descending: Option<bool>,
}

/// A part of what the key reaches.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WithinParams {
    /// Only this inbox.
    inbox_id: Option<String>,
    /// Only this pod.
    pod_id: Option<String>,
}

/// Kinds of events, by their names.
fn event_types() -> Array {
    words(EventType::ALL.iter().map(|kind| kind.as_str()))
}

/// Measures of the usage, by their names.
fn usage_types() -> Array {
    words(UsageType::ALL.iter().map(|measure| measure.as_str()))
}

fn words(names: impl Iterator<Item = &'static str>) -> Array {
    ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names))).build()
}
