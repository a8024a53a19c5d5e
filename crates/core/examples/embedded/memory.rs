//! Storage in memory, and the unit of work over it: a copy that replaces the original when it is committed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use inboxd_core::model::{CalendarEvent, Event, Inbox, NewMail, NewMessage, Thread, ThreadId};
use inboxd_core::ports::{Constraint, Store, StoreError, Tx};
use inboxd_core::refuse_ports;

/// The rows of all tables.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) inboxes: Vec<Inbox>,
    pub(crate) messages: Vec<NewMessage>,
    pub(crate) threads: BTreeMap<ThreadId, Thread>,
    pub(crate) events: Vec<Event>,
    pub(crate) calendar: Vec<CalendarEvent>,
}

/// The store. Units of work do not run concurrently here, so a copy isolates them.
pub(crate) struct Memory(Arc<Mutex<State>>);

impl Memory {
    /// Returns a store with one inbox.
    pub(crate) fn with(inbox: Inbox) -> Self {
        Self(Arc::new(Mutex::new(State { inboxes: vec![inbox], ..State::default() })))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// The reads that receiving and reading mail need are in `reads.rs`. No use case of this program calls these.
refuse_ports!(
    Memory: AccountReads, ApiKeyReads, AttachmentIndex, AuditReads, BillingReads, BrowserSessionReads, CalendarReads, ConnectionReads, ContactReads,
    DeliveryReads, DomainReads, DraftReads, EventReads, FeedReads, FileReads, LabelHistoryReads, LegalHoldReads, MailReportReads, MemberReads,
    MetricReads, NoteReads, OauthClientReads, OperatorMailReads, OutgoingReads, PodReads, PolicyReads, PollingReads, Processes, ReturnPathReads,
    SearchIndex, SuppressionReads, ThreadReads, TraceReads, WebhookReads, WordSearchReads
);

#[async_trait]
impl Store for Memory {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(Unit { state: self.state().clone(), store: Arc::clone(&self.0) }))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A unit of work. Dropped without a commit, its copy is discarded.
pub(crate) struct Unit {
    pub(crate) state: State,
    store: Arc<Mutex<State>>,
}

// The writes that receiving mail needs are in `writes.rs`, and in `commit_with` below.
refuse_ports!(
    Unit: AccountWrites, ApiKeyWrites, AuditWrites, BillingWrites, BrowserSessionWrites, ClientIdWrites,
    ConnectionWrites, ContactWrites, DeliveryWrites, DomainWrites, DraftWrites, EventWrites, FileWrites, FirstReadWrites, IdempotencyKeyWrites,
    InboxWrites, LabelHistoryWrites, LegalHoldWrites, ListWrites, MailQuotaWrites, MailReportWrites, MemberWrites, MessageWrites,
    NoteWrites, OauthClientWrites, OauthTokenWrites, OperatorMailWrites, OutgoingWrites, PodWrites, PolicyWrites, PollingWrites, RefusalWrites, ReplayWrites,
    ReturnPathWrites, SignInWrites, SuppressionWrites, UsageWrites, WebhookWrites
);

#[async_trait]
impl Tx for Unit {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = self.state;
        Ok(())
    }

    async fn commit_with(mut self: Box<Self>, mail: &NewMail) -> Result<(), StoreError> {
        for new in &mail.messages {
            let item = &new.message.item;
            let mut stored = self.state.messages.iter().map(|stored| &stored.message.item);
            if stored.any(|stored| (&stored.inbox_id, &stored.message_id) == (&item.inbox_id, &item.message_id)) {
                return Err(StoreError::Duplicate(Constraint::MessageId));
            }
            self.state.messages.push(new.clone());
        }
        let threads = mail.begun.iter().chain(&mail.joined).map(|thread| (thread.thread_id, thread.clone()));
        self.state.threads.extend(threads);
        self.state.events.extend_from_slice(&mail.events);
        self.commit().await
    }
}

/// Returns the error of a method that no use case of this program calls.
pub(crate) fn unused<T>(method: &str) -> Result<T, StoreError> {
    Err(StoreError::Failed(format!("{method} is not part of this example")))
}
