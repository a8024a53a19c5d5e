//! The JSON shapes of answers (`wire.md`, section 3). What is not there is left out, not null, but where said otherwise.

#![expect(clippy::struct_field_names, reason = "the wire names its fields so")]

mod actor;
mod api_key;
mod attachment;
mod domain;
mod event;
mod event_schema;
mod identity;
mod inbox;
mod list;
mod member;
mod message;
mod organization;
mod thread;
pub(crate) mod time;

pub(crate) use api_key::{ApiKey, CreatedApiKey};
pub(crate) use attachment::AttachmentLink;
pub(crate) use domain::Domain;
pub(crate) use event::Event;
pub(crate) use identity::Identity;
pub(crate) use inbox::Inbox;
pub(crate) use list::{ApiKeyList, DomainList, EventList, InboxList, MemberList, MessageList, ThreadList};
pub(crate) use member::{Member, SignedIn};
pub(crate) use message::{Labelled, Message, MessageItem, RawLink, SendResponse};
pub(crate) use organization::Organization;
pub(crate) use thread::{Thread, ThreadItem};
