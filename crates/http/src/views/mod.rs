//! The JSON shapes of answers (`wire.md`, section 3). What is not there is left out, not null, but where said otherwise.

#![expect(clippy::struct_field_names, reason = "the wire names its fields so")]

mod actor;
mod api_key;
mod attachment;
mod billing;
mod domain;
mod draft;
mod event;
mod event_schema;
mod extracted;
mod identity;
mod inbox;
mod label_event;
mod list;
mod list_entry;
mod member;
mod message;
mod metrics;
mod note;
mod organization;
mod pod;
mod thread;
pub(crate) mod time;
mod trust;
mod webhook;
mod webhook_attempt;

pub(crate) use api_key::{ApiKey, CreatedApiKey};
pub(crate) use attachment::AttachmentLink;
pub(crate) use billing::{Billing, HostedPage, NoticeTaken};
pub(crate) use domain::Domain;
pub(crate) use draft::{Draft, DraftItem};
pub(crate) use event::Event;
pub(crate) use identity::Identity;
pub(crate) use inbox::Inbox;
pub(crate) use label_event::LabelEvent;
pub(crate) use list::{
    ApiKeyList, DomainList, DraftList, EntryList, EventList, InboxList, LabelEventList, MemberList, MessageList,
    PodList, SuppressionList, ThreadList, WebhookAttemptList, WebhookList,
};
pub(crate) use list_entry::{ListEntry, Suppression};
pub(crate) use member::{Member, SignedIn};
pub(crate) use message::{Labelled, Message, MessageItem, RawLink, SendResponse};
pub(crate) use metrics::{EventCounts, UsagePoints};
pub(crate) use note::Note;
pub(crate) use organization::Organization;
pub(crate) use pod::Pod;
pub(crate) use thread::{Thread, ThreadItem};
pub(crate) use webhook::{Webhook, WebhookHeaderNames};
pub(crate) use webhook_attempt::{WebhookAttempt, WebhookReplay};
