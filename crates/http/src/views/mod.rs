//! JSON of responses (`wire.md`, section 3). Absent values are omitted, except for documented nulls.

mod actor;
mod agent_armor;
mod api_key;
mod attachment;
mod audit;
mod billing;
mod calendar;
mod calendar_event;
mod connection;
mod contact;
mod domain;
mod draft;
mod dry_run;
mod event;
mod event_schema;
mod extracted;
mod identity;
mod inbox;
mod label_event;
mod legal_hold;
mod list;
mod list_entry;
mod member;
mod message;
mod message_item;
mod metrics;
mod note;
mod organization;
mod pod;
mod policy;
mod thread;
pub(crate) mod time;
mod trace;
mod trust;
mod trust_schema;
mod webhook;
mod webhook_attempt;

pub(crate) use agent_armor::{AgentArmorFeedbackView, ReleasedMessageView};
pub(crate) use api_key::{ApiKeyView, CreatedApiKey};
pub(crate) use attachment::AttachmentLink;
pub(crate) use audit::AuditEntryView;
pub(crate) use billing::{BillingView, HostedPage, NoticeTaken};
pub(crate) use calendar::CalendarView;
pub(crate) use calendar_event::{CalendarEventView, InboxCalendarView};
pub(crate) use connection::ConnectionView;
pub(crate) use contact::ContactView;
pub(crate) use domain::DomainView;
pub(crate) use draft::{CancelledSend, DraftItemView, DraftView};
pub(crate) use dry_run::{DryRunView, SendAnswer};
pub(crate) use event::EventView;
pub(crate) use extracted::{ExtractedCodeView, ExtractedLinkView};
pub(crate) use identity::IdentityView;
pub(crate) use inbox::InboxView;
pub(crate) use label_event::LabelEventView;
pub(crate) use legal_hold::LegalHoldView;
pub(crate) use list::{
    ApiKeyList, AuditList, CalendarEventList, ConnectionList, ContactList, DomainList, DraftList, EntryList, EventList,
    InboxList, LabelEventList, MemberList, MessageList, PodList, SuppressionList, ThreadList, TraceList,
    WebhookAttemptList, WebhookList,
};
pub(crate) use list_entry::{ListEntryView, SuppressionView};
pub(crate) use member::{MemberView, SignedIn};
pub(crate) use message::{LabelsView, MessageView, RawLink, SendResponse};
pub(crate) use message_item::MessageItemView;
pub(crate) use metrics::{EventCounts, UsagePoints};
pub(crate) use note::NoteView;
pub(crate) use organization::OrganizationView;
pub(crate) use pod::PodView;
pub(crate) use policy::{AmountRulesView, ContentRulesView, PolicyView, RecipientRulesView, SendingHoursView};
pub(crate) use thread::{ThreadItemView, ThreadView};
pub(crate) use time::WireTime;
pub(crate) use trace::TraceEntryView;
pub use trace::trace_entry;
pub(crate) use trust::{AuthenticationView, SpamReportView};
pub(crate) use webhook::{WebhookHeaderNames, WebhookView};
pub(crate) use webhook_attempt::{WebhookAttemptView, WebhookReplayView};
