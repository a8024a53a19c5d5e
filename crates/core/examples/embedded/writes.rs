//! Writes and locks of the unit of work: the lookups that receiving mail needs.

use std::collections::BTreeSet;

use async_trait::async_trait;
use inboxd_core::model::{InboxId, MessageId, OrganizationId, Thread, ThreadId};
use inboxd_core::ports::{
    ArrivalQuery, Destination, InboundQueries, KnownMessage, OnArrival, StoreError, ThreadKey, ThreadWrites,
};
use time::OffsetDateTime;

use crate::memory::{Unit, unused};

#[async_trait]
impl InboundQueries for Unit {
    async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError> {
        let lives = |wanted: &&Destination| self.state.inboxes.iter().any(|inbox| inbox.inbox_id == wanted.inbox_id);
        let held = query.inboxes.iter().filter(lives).cloned().collect();
        let is_wanted = |stored: &KnownMessage| {
            let named = |id: &MessageId| {
                query.messages.iter().any(|key| key.inbox_id == stored.inbox_id && key.message_id == *id)
            };
            named(&stored.message_id) || stored.header_message_id.as_ref().is_some_and(named)
        };
        let known = self.state.messages.iter().map(KnownMessage::of).filter(is_wanted).collect();
        Ok(OnArrival { held, known, ..OnArrival::default() })
    }
}

#[async_trait]
impl ThreadWrites for Unit {
    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        Ok(threads.iter().filter_map(|key| self.state.threads.get(&key.thread_id)).cloned().collect())
    }

    async fn lock(&mut self, _: OrganizationId, _: &InboxId, _: &[ThreadId]) -> Result<Vec<Thread>, StoreError> {
        unused("ThreadWrites::lock")
    }

    async fn update(&mut self, _: &[Thread]) -> Result<(), StoreError> {
        unused("ThreadWrites::update")
    }

    async fn unassign(
        &mut self,
        _: OrganizationId,
        _: &str,
        _: &BTreeSet<InboxId>,
        _: OffsetDateTime,
    ) -> Result<(), StoreError> {
        unused("ThreadWrites::unassign")
    }

    async fn delete(&mut self, _: OrganizationId, _: &InboxId, _: ThreadId) -> Result<(), StoreError> {
        unused("ThreadWrites::delete")
    }
}
