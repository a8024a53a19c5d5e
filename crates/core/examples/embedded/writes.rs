//! What a unit of work changes: here the arrival of a mail, with its thread and its event.

use std::collections::BTreeSet;

use inboxd_core::model::return_path::SentMail;
use inboxd_core::model::{
    ApiKey, ApiKeyId, BillingRecord, ClaimedDraft, ClaimedMail, Cursor, CustomerId, DkimKey, Domain, DomainId,
    DomainName, Draft, DraftId, EntryName, Event, EventId, Inbox, InboxId, LabelEvent, Labels, ListEntry, ListKey,
    ListLevel, MailCharge, Member, MemberId, Membership, MessageId, MessageItem, NewMail, NewMessage, Note,
    OperatorMail, Organization, OrganizationId, Outgoing, OutgoingId, Pod, PodId, Sealed, SendClaim, SendCounts,
    SendKey, Sent, SignInCode, Subscription, Suppression, Thread, ThreadId, UsageChange, UsedKey, VerificationCode,
    Webhook, WebhookAttempt, WebhookId,
};
use inboxd_core::ports::{
    AccountWrites, AddressClaims, ApiKeyWrites, ArrivalQuery, AskedDomain, BillingWrites, CapturedMail, ClaimTimes,
    ClientIdKind, ClientIdWrites, Constraint, CountedRows, DeliveryWrites, Destination, DomainWrites, DraftContent,
    DraftWrites, EventWrites, FailureRun, IdempotencyKeyWrites, InboundQueries, InboxWrites, KnownMessage,
    LabelHistoryWrites, ListWrites, MailQuotaWrites, MemberWrites, MessageWrites, NoteWrites, OnArrival,
    OperatorMailWrites, OutgoingClaim, OutgoingWrites, PodWrites, QueueSlice, QueuedEvent, ReplaySpan, ReplayWrites,
    ReturnPathWrites, Sampling, Settlement, SignInWrites, Standing, StoreError, SuppressionWrites, ThreadKey,
    ThreadWrites, UsageWrites, Walked, WebhookWrites,
};
use inboxd_core::rules::domains::minting::HeldDomain;
use inboxd_core::rules::loops::Spent;
use inboxd_mail::EmailAddress;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use crate::memory::{Unit, port};

impl Unit {
    fn messages_of<'a>(&'a self, inbox_id: &'a InboxId) -> impl Iterator<Item = &'a NewMessage> {
        self.state.messages.iter().filter(move |stored| stored.message.item.inbox_id == *inbox_id)
    }

    pub(crate) fn add(&mut self, mail: &NewMail) -> Result<(), StoreError> {
        for new in &mail.messages {
            let item = &new.message.item;
            if self.messages_of(&item.inbox_id).any(|stored| stored.message.item.message_id == item.message_id) {
                return Err(StoreError::Duplicate(Constraint::MessageId));
            }
            self.state.messages.push(new.clone());
        }
        let threads = mail.begun.iter().chain(&mail.joined).map(|thread| (thread.thread_id, thread.clone()));
        self.state.threads.extend(threads);
        self.state.events.extend_from_slice(&mail.events);
        Ok(())
    }
}

port! { writes InboxWrites {}
    fn hold(&[Destination]) -> Vec<Destination>;
    fn lock_sending(&[Destination]) -> Vec<Destination>;
    fn lock_exclusive(OrganizationId, &InboxId) -> Option<Inbox>;
    fn count(OrganizationId) -> u64;
    fn find_by_client_id(OrganizationId, &str) -> Option<(Inbox, bool)>;
    fn insert(&Inbox) -> ();
    fn lock(OrganizationId, &InboxId) -> Option<Inbox>;
    fn update(&Inbox) -> ();
    fn delete(OrganizationId, &InboxId, OffsetDateTime) -> ();
    fn purge_deleted(u32) -> u64;
}

port! { writes InboundQueries {
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
} }

port! { writes MessageWrites {}
    fn spent_budgets(OrganizationId, &InboxId, ThreadId, &[EmailAddress], OffsetDateTime, u32) -> Vec<Spent>;
    fn items(OrganizationId, &InboxId, &[MessageId]) -> Vec<MessageItem>;
    fn of_thread(OrganizationId, &InboxId, ThreadId, u32, Option<&Cursor>) -> Vec<MessageItem>;
    fn labels_of_thread(OrganizationId, &InboxId, ThreadId) -> Labels;
    fn update_labels(&[MessageItem]) -> ();
    fn delete(OrganizationId, &InboxId, &[MessageId]) -> ();
}

port! { writes DraftWrites {}
    fn insert(&Draft, &[DraftContent]) -> ();
    fn lock(OrganizationId, DraftId) -> Option<Draft>;
    fn update(&Draft, &[DraftContent]) -> ();
    fn claim_due(OffsetDateTime, Duration, u32) -> Vec<ClaimedDraft>;
    fn remove(&ClaimedDraft) -> Option<u64>;
}

port! { writes ThreadWrites {
    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError> {
        Ok(threads.iter().filter_map(|key| self.state.threads.get(&key.thread_id)).cloned().collect())
    }
}
    fn lock(OrganizationId, &InboxId, &[ThreadId]) -> Vec<Thread>;
    fn update(&[Thread]) -> ();
    fn unassign(OrganizationId, &str, &BTreeSet<InboxId>, OffsetDateTime) -> ();
    fn delete(OrganizationId, &InboxId, ThreadId) -> ();
}

port! { writes NoteWrites {}
    fn count(OrganizationId, &InboxId, ThreadId) -> u64;
    fn insert(&Note) -> ();
    fn delete(&Note) -> bool;
}

port! { writes EventWrites {}
    fn append(&[Event]) -> ();
}

port! { writes LabelHistoryWrites {}
    fn append(&[LabelEvent], u64) -> ();
}

port! { writes UsageWrites {}
    fn change(&[(OrganizationId, InboxId, UsageChange)]) -> ();
    fn storage_bytes(OrganizationId) -> u64;
    fn sends(OrganizationId, Date) -> SendCounts;
    fn count_rows(OrganizationId, &CountedRows, u64) -> u64;
    fn count_creation(OrganizationId, Date) -> u64;
    fn sample(&Sampling) -> Option<OrganizationId>;
}

port! { writes AccountWrites {}
    fn insert(&Organization) -> ();
    fn lock(OrganizationId) -> Option<Organization>;
    fn update(&Organization) -> ();
    fn insert_pod(&Pod) -> ();
    fn put_code(&VerificationCode) -> ();
    fn lock_code(OrganizationId) -> Option<VerificationCode>;
    fn delete_code(OrganizationId) -> ();
    fn lock_unconfirmed(OffsetDateTime) -> Option<OrganizationId>;
    fn remove(OrganizationId, AddressClaims, OffsetDateTime) -> ();
    fn purge_removed(u32) -> u64;
}

port! { writes ApiKeyWrites {}
    fn insert(&ApiKey, &[u8; 32]) -> ();
    fn lock(OrganizationId, ApiKeyId) -> Option<ApiKey>;
    fn hold(OrganizationId, ApiKeyId) -> Option<ApiKey>;
    fn all(OrganizationId) -> Vec<ApiKey>;
    fn revoke(OrganizationId, ApiKeyId, OffsetDateTime) -> bool;
    fn update(&ApiKey) -> bool;
    fn revoke_of_pod(OrganizationId, PodId, OffsetDateTime) -> ();
    fn revoke_of_inbox(OrganizationId, &InboxId, OffsetDateTime) -> ();
}

port! { writes ListWrites {}
    fn insert(&ListEntry) -> ();
    fn delete(&ListKey, &EntryName) -> bool;
    fn delete_all(OrganizationId, &ListLevel) -> ();
}

port! { writes BillingWrites {}
    fn note_event(OrganizationId, &str, OffsetDateTime) -> bool;
    fn read(OrganizationId) -> BillingRecord;
    fn put_subscription(&Subscription) -> ();
    fn put_customer(OrganizationId, &CustomerId, OffsetDateTime) -> ();
}

port! { writes MailQuotaWrites {}
    fn charge(&MailCharge, OffsetDateTime) -> Option<OffsetDateTime>;
    fn purge(OffsetDateTime, u32) -> u64;
}

port! { writes OperatorMailWrites {}
    fn hold(&OperatorMail) -> bool;
}

port! { writes MemberWrites {}
    fn insert(&Member) -> ();
    fn count(OrganizationId) -> u64;
    fn find_by_client_id(OrganizationId, &str) -> Option<(Member, bool)>;
    fn of_address(&EmailAddress, Option<OrganizationId>) -> Vec<Membership>;
    fn reads(&InboxId) -> bool;
    fn lock(OrganizationId, MemberId) -> Option<Member>;
    fn hold(OrganizationId, MemberId) -> Option<Member>;
    fn update(&Member) -> ();
    fn leave_inbox(OrganizationId, &InboxId, OffsetDateTime) -> ();
    fn join(&EmailAddress, OffsetDateTime) -> ();
    fn remove(&Member, OffsetDateTime) -> ();
}

port! { writes SignInWrites {}
    fn ask(&SignInCode, OffsetDateTime) -> ();
    fn lock(&EmailAddress) -> Option<SignInCode>;
    fn tried(&SignInCode) -> ();
    fn end(&EmailAddress, OffsetDateTime) -> ();
    fn claim(OffsetDateTime, Duration, u32) -> Vec<SignInCode>;
    fn settle(&[SignInCode]) -> ();
    fn forget_expired(OffsetDateTime, u32) -> u64;
}

port! { writes OutgoingWrites {}
    fn enqueue(&[Outgoing]) -> ();
    fn claim(&OutgoingClaim) -> Vec<Outgoing>;
    fn defer(&Outgoing) -> bool;
    fn postpone(ClaimedMail, OffsetDateTime) -> bool;
    fn remove(&[ClaimedMail]) -> Vec<ClaimedMail>;
    fn capture(&CapturedMail) -> ();
    fn suspend(&QueueSlice) -> Option<OutgoingId>;
    fn resume(&QueueSlice) -> Option<OutgoingId>;
    fn take_before(OffsetDateTime, u32) -> Vec<Outgoing>;
}

port! { writes PodWrites {}
    fn count(OrganizationId) -> u64;
    fn find_by_client_id(OrganizationId, &str) -> Option<(Pod, bool)>;
    fn hold(OrganizationId, PodId) -> bool;
    fn lock(OrganizationId, PodId) -> Option<Pod>;
    fn count_inboxes(OrganizationId, PodId) -> u64;
    fn update(&Pod) -> ();
    fn delete(OrganizationId, PodId, OffsetDateTime) -> ();
}

port! { writes ReturnPathWrites {}
    fn lock(OrganizationId, OutgoingId) -> Option<SentMail>;
    fn tell(&SentMail) -> ();
    fn forget(OutgoingId, u32) -> u64;
}

port! { writes IdempotencyKeyWrites {}
    fn claim(&SendKey, Uuid, ClaimTimes) -> Option<UsedKey>;
    fn keep(&SendClaim, &Sent, OffsetDateTime) -> bool;
    fn release(&SendClaim) -> ();
    fn purge(OffsetDateTime, u32) -> u64;
}

port! { writes ClientIdWrites {}
    fn spend(OrganizationId, ClientIdKind, &str, &str) -> Option<String>;
}

port! { writes SuppressionWrites {}
    fn add(&Suppression) -> ();
}

port! { writes DomainWrites {}
    fn standing(&AskedDomain) -> Standing;
    fn held(OrganizationId, &[DomainName]) -> Vec<HeldDomain>;
    fn insert(&Domain, &[u8]) -> ();
    fn lock(OrganizationId, DomainId) -> Option<Domain>;
    fn lock_with_holder(OrganizationId, DomainId) -> Option<(Domain, Option<Domain>)>;
    fn update(&Domain) -> ();
    fn count_inboxes(&Domain) -> u64;
    fn delete(&Domain, OffsetDateTime) -> ();
    fn claim(&Domain) -> bool;
    fn release(&Domain) -> ();
    fn insert_dkim_key(&DkimKey) -> bool;
    fn promote_dkim_key(&DkimKey, OffsetDateTime) -> ();
}

port! { writes WebhookWrites {}
    fn count(OrganizationId) -> u64;
    fn all(OrganizationId) -> Vec<Webhook>;
    fn insert(&Webhook, &Sealed) -> ();
    fn lock(OrganizationId, WebhookId) -> Option<(Webhook, Sealed)>;
    fn update(&Webhook, &Sealed) -> ();
    fn delete(OrganizationId, WebhookId) -> bool;
    fn leave_inbox(OrganizationId, &InboxId, OffsetDateTime) -> ();
    fn leave_pod(OrganizationId, PodId, OffsetDateTime) -> ();
}

port! { writes DeliveryWrites {}
    fn log(&[WebhookAttempt]) -> ();
    fn settle(&[Settlement]) -> ();
    fn lock_runs(&[(OrganizationId, WebhookId, bool)]) -> Vec<FailureRun>;
    fn update_runs(&[FailureRun], OffsetDateTime) -> ();
    fn purge(EventId, u32) -> u64;
}

port! { writes ReplayWrites {}
    fn event(OrganizationId, EventId) -> Option<QueuedEvent>;
    fn queue(WebhookId, &QueuedEvent, OffsetDateTime) -> bool;
    fn begin(&ReplaySpan) -> ();
    fn next(u32, OffsetDateTime) -> Option<(OrganizationId, WebhookId)>;
    fn walk(OrganizationId, WebhookId, OffsetDateTime, u32) -> Walked;
}
