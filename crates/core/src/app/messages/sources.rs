//! What answers about messages are made from, so that one can be given again while nothing of it has changed.

use super::MessageFilter;
use crate::model::{Caller, Hidden, InboxId, MessageId, PageRequest};
use crate::ports::{SourceMessages, Sources};
use crate::rules::access;

/// What the answer of [`get`](super::get) is made from; nothing for a caller without a key.
#[must_use]
pub fn sources_of_one(caller: &Caller, inbox_id: &InboxId, message_id: &MessageId) -> Option<Sources> {
    sources(caller, inbox_id, SourceMessages::One(message_id.clone()))
}

/// What the answer of [`list`](super::list) is made from, where that is the newest messages of an inbox, whatever they are.
#[must_use]
pub fn sources_of_newest(caller: &Caller, inbox_id: &InboxId, filter: &MessageFilter) -> Option<Sources> {
    let limit = filter.page.limit;
    let newest = PageRequest { limit, ..PageRequest::default() };
    let all = MessageFilter { include: filter.include, page: newest, ..MessageFilter::default() };
    let is_newest = *filter == all && filter.include.and(access::readable(caller)) == Hidden::NONE;
    is_newest.then(|| sources(caller, inbox_id, SourceMessages::Newest(limit))).flatten()
}

fn sources(caller: &Caller, inbox_id: &InboxId, messages: SourceMessages) -> Option<Sources> {
    Some(Sources {
        organization_id: caller.organization.organization_id,
        api_key_id: caller.api_key_id?,
        member_id: caller.member.as_ref().map(|member| member.member_id),
        inbox_id: inbox_id.clone(),
        messages,
    })
}
