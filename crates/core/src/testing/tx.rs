//! The unit of work that a test prepares.

#![expect(clippy::ref_option_ref, reason = "the mock looks at its arguments through references, optional ones too")]

use std::collections::BTreeSet;

use async_trait::async_trait;
use futures_channel::oneshot::Receiver;
use inboxd_mail::EmailAddress;
use mockall::mock;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Happened, Journal};
use crate::model::return_path::SentMail;
use crate::model::{
    ApiKey, ApiKeyId, BillingRecord, ClaimedDraft, ClaimedMail, Cursor, CustomerId, DkimKey, Domain, DomainId,
    DomainName, Draft, DraftId, EntryName, Event, EventId, Inbox, InboxId, LabelEvent, Labels, ListEntry, ListKey,
    ListLevel, Member, MemberId, Membership, MessageId, MessageItem, NewMail, Note, Organization, OrganizationId,
    Outgoing, OutgoingId, Pod, PodId, Sealed, SendClaim, SendCounts, SendKey, Sent, SignInCode, Subscription,
    Suppression, Thread, ThreadId, UsageChange, UsedKey, VerificationCode, Webhook, WebhookAttempt, WebhookId,
};
use crate::ports::{
    Accounts, ApiKeys, ArrivalQuery, Arrivals, AskedDomain, Billing, CapturedMail, ClaimTimes, ClientIdKind, ClientIds,
    Deliveries, Destination, Domains, DraftContent, Drafts, Events, FailureRun, Inboxes, LabelHistory, Lists, Members,
    Messages, Notes, OnArrival, OutgoingClaim, OutgoingQueue, Pods, QueuedEvent, ReplaySpan, Replays, ReturnPaths,
    Sampling, SendKeys, Settlement, SignIns, Standing, StoreError, Suppressions, ThreadKey, Threads, Tx, Usage, Walked,
    Webhooks,
};
use crate::rules::domains::minting::HeldDomain;
use crate::rules::loops::Spent;

/// A unit of work made of one mock for each port that writes. Its commits are noted in a [`Journal`].
pub struct MockTx {
    /// Organizations, their pods and codes.
    pub accounts: MockAccounts,
    /// API keys.
    pub api_keys: MockApiKeys,
    /// What arriving mail asks.
    pub arrivals: MockArrivals,
    /// Drafts.
    pub drafts: MockDrafts,
    /// The queue of events for webhooks.
    pub deliveries: MockDeliveries,
    /// What webhooks are told again.
    pub replays: MockReplays,
    /// Custom domains.
    pub domains: MockDomains,
    /// Who pays.
    pub billing: MockBilling,
    /// What each `client_id` made.
    pub client_ids: MockClientIds,
    /// Inboxes.
    pub inboxes: MockInboxes,
    /// Allow and block lists.
    pub lists: MockLists,
    /// The people of organizations.
    pub members: MockMembers,
    /// Messages.
    pub messages: MockMessages,
    /// Threads.
    pub threads: MockThreads,
    /// Notes.
    pub notes: MockNotes,
    /// Events.
    pub events: MockEvents,
    /// What callers did to labels.
    pub label_history: MockLabelHistory,
    /// The outgoing queue.
    pub outgoing: MockOutgoingQueue,
    /// Pods.
    pub pods: MockPods,
    /// Mail that left, by its return paths.
    pub return_paths: MockReturnPaths,
    /// Keys of repeatable sends.
    pub send_keys: MockSendKeys,
    /// Codes by which people sign in.
    pub sign_ins: MockSignIns,
    /// Suppressed addresses.
    pub suppressions: MockSuppressions,
    /// What is used.
    pub usage: MockUsage,
    /// Webhooks.
    pub webhooks: MockWebhooks,
    /// What its commit waits for, if anything.
    pub commit_awaits: Option<Receiver<()>>,
    /// What its commit answers, where that is an error.
    pub commit_fails: Option<StoreError>,
    journal: Journal,
}

impl MockTx {
    /// A unit of work that expects nothing but perhaps to be committed.
    #[must_use]
    pub fn new(journal: Journal) -> Self {
        Self {
            accounts: MockAccounts::new(),
            api_keys: MockApiKeys::new(),
            arrivals: MockArrivals::new(),
            drafts: MockDrafts::new(),
            deliveries: MockDeliveries::new(),
            replays: MockReplays::new(),
            domains: MockDomains::new(),
            billing: MockBilling::new(),
            client_ids: MockClientIds::new(),
            inboxes: MockInboxes::new(),
            lists: MockLists::new(),
            members: MockMembers::new(),
            messages: MockMessages::new(),
            threads: MockThreads::new(),
            notes: MockNotes::new(),
            events: MockEvents::new(),
            label_history: MockLabelHistory::new(),
            outgoing: MockOutgoingQueue::new(),
            pods: MockPods::new(),
            return_paths: MockReturnPaths::new(),
            send_keys: MockSendKeys::new(),
            sign_ins: MockSignIns::new(),
            suppressions: MockSuppressions::new(),
            usage: MockUsage::new(),
            webhooks: MockWebhooks::new(),
            commit_awaits: None,
            commit_fails: None,
            journal,
        }
    }
}

#[async_trait]
impl Tx for MockTx {
    fn accounts(&mut self) -> &mut dyn Accounts {
        &mut self.accounts
    }

    fn api_keys(&mut self) -> &mut dyn ApiKeys {
        &mut self.api_keys
    }

    fn arrivals(&mut self) -> &mut dyn Arrivals {
        &mut self.arrivals
    }

    fn drafts(&mut self) -> &mut dyn Drafts {
        &mut self.drafts
    }

    fn domains(&mut self) -> &mut dyn Domains {
        &mut self.domains
    }

    fn billing(&mut self) -> &mut dyn Billing {
        &mut self.billing
    }

    fn client_ids(&mut self) -> &mut dyn ClientIds {
        &mut self.client_ids
    }

    fn inboxes(&mut self) -> &mut dyn Inboxes {
        &mut self.inboxes
    }

    fn lists(&mut self) -> &mut dyn Lists {
        &mut self.lists
    }

    fn members(&mut self) -> &mut dyn Members {
        &mut self.members
    }

    fn messages(&mut self) -> &mut dyn Messages {
        &mut self.messages
    }

    fn threads(&mut self) -> &mut dyn Threads {
        &mut self.threads
    }

    fn notes(&mut self) -> &mut dyn Notes {
        &mut self.notes
    }

    fn events(&mut self) -> &mut dyn Events {
        &mut self.events
    }

    fn label_history(&mut self) -> &mut dyn LabelHistory {
        &mut self.label_history
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingQueue {
        &mut self.outgoing
    }

    fn pods(&mut self) -> &mut dyn Pods {
        &mut self.pods
    }

    fn return_paths(&mut self) -> &mut dyn ReturnPaths {
        &mut self.return_paths
    }

    fn send_keys(&mut self) -> &mut dyn SendKeys {
        &mut self.send_keys
    }

    fn sign_ins(&mut self) -> &mut dyn SignIns {
        &mut self.sign_ins
    }

    fn suppressions(&mut self) -> &mut dyn Suppressions {
        &mut self.suppressions
    }

    fn usage(&mut self) -> &mut dyn Usage {
        &mut self.usage
    }

    fn replays(&mut self) -> &mut dyn Replays {
        &mut self.replays
    }

    fn deliveries(&mut self) -> &mut dyn Deliveries {
        &mut self.deliveries
    }

    fn webhooks(&mut self) -> &mut dyn Webhooks {
        &mut self.webhooks
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        if let Some(end) = self.commit_awaits {
            // Where the sender is gone there is nothing to wait for.
            let _ = end.await;
        }
        if let Some(error) = self.commit_fails {
            return Err(error);
        }
        self.journal.note(Happened::Committed);
        Ok(())
    }

    async fn commit_with(mut self: Box<Self>, mail: &NewMail) -> Result<(), StoreError> {
        self.messages.insert(mail)?;
        self.commit().await
    }
}

mock! {
    /// What a unit of work does to [`Accounts`].
    pub Accounts {}

    #[async_trait]
    impl Accounts for Accounts {
        async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId) -> Result<Option<Organization>, StoreError>;
        async fn update(&mut self, organization: &Organization) -> Result<(), StoreError>;
        async fn insert_pod(&mut self, pod: &Pod) -> Result<(), StoreError>;
        async fn put_code(&mut self, code: &VerificationCode) -> Result<(), StoreError>;
        async fn lock_code(&mut self, organization_id: OrganizationId) -> Result<Option<VerificationCode>, StoreError>;
        async fn delete_code(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ApiKeys`].
    pub ApiKeys {}

    #[async_trait]
    impl ApiKeys for ApiKeys {
        async fn insert(&mut self, api_key: &ApiKey, hash: &[u8; 32]) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
        ) -> Result<Option<ApiKey>, StoreError>;
        async fn hold(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
        ) -> Result<Option<ApiKey>, StoreError>;
        async fn revoke(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
            at: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn update(&mut self, api_key: &ApiKey) -> Result<bool, StoreError>;
        async fn revoke_of_pod(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn revoke_of_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ClientIds`].
    pub ClientIds {}

    #[async_trait]
    impl ClientIds for ClientIds {
        async fn spend(
            &mut self,
            organization_id: OrganizationId,
            kind: ClientIdKind,
            client_id: &str,
            made: &str,
        ) -> Result<Option<String>, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Drafts`].
    pub Drafts {}

    #[async_trait]
    impl Drafts for Drafts {
        async fn insert(&mut self, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;
        async fn update(&mut self, draft: &Draft, added: &[DraftContent]) -> Result<(), StoreError>;
        async fn claim_due(
            &mut self,
            now: OffsetDateTime,
            lease: Duration,
            limit: u32,
        ) -> Result<Vec<ClaimedDraft>, StoreError>;
        async fn remove(&mut self, draft: &ClaimedDraft) -> Result<bool, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Domains`].
    pub Domains {}

    #[async_trait]
    impl Domains for Domains {
        async fn standing(&mut self, asked: &AskedDomain) -> Result<Standing, StoreError>;
        async fn held(
            &mut self,
            organization_id: OrganizationId,
            names: &[DomainName],
        ) -> Result<Vec<HeldDomain>, StoreError>;
        async fn insert(&mut self, domain: &Domain, sealed_key: &[u8]) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            domain_id: DomainId,
        ) -> Result<Option<Domain>, StoreError>;
        async fn lock_with_holder(
            &mut self,
            organization_id: OrganizationId,
            domain_id: DomainId,
        ) -> Result<Option<(Domain, Option<Domain>)>, StoreError>;
        async fn update(&mut self, domain: &Domain) -> Result<(), StoreError>;
        async fn count_inboxes(&mut self, domain: &Domain) -> Result<u64, StoreError>;
        async fn delete(&mut self, domain: &Domain, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn claim(&mut self, domain: &Domain) -> Result<bool, StoreError>;
        async fn release(&mut self, domain: &Domain) -> Result<(), StoreError>;
        async fn insert_dkim_key(&mut self, key: &DkimKey) -> Result<bool, StoreError>;
        async fn promote_dkim_key(&mut self, next: &DkimKey, at: OffsetDateTime) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Events`].
    pub Events {}

    #[async_trait]
    impl Events for Events {
        async fn append(&mut self, events: &[Event]) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Inboxes`].
    pub Inboxes {}

    #[async_trait]
    impl Inboxes for Inboxes {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Inbox, bool)>, StoreError>;
        async fn insert(&mut self, inbox: &Inbox) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;
        async fn hold(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;
        async fn update(&mut self, inbox: &Inbox) -> Result<(), StoreError>;
        async fn delete(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn purge_deleted(&mut self, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Lists`].
    pub Lists {}

    #[async_trait]
    impl Lists for Lists {
        async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError>;
        async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError>;
        async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`LabelHistory`].
    pub LabelHistory {}

    #[async_trait]
    impl LabelHistory for LabelHistory {
        async fn append(&mut self, events: &[LabelEvent]) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Members`].
    pub Members {}

    #[async_trait]
    impl Members for Members {
        async fn insert(&mut self, member: &Member) -> Result<(), StoreError>;
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Member, bool)>, StoreError>;
        async fn of_address(
            &mut self,
            email: &EmailAddress,
            asked: Option<OrganizationId>,
        ) -> Result<Vec<Membership>, StoreError>;
        async fn reads(&mut self, inbox_id: &InboxId) -> Result<bool, StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            member_id: MemberId,
        ) -> Result<Option<Member>, StoreError>;
        async fn hold(
            &mut self,
            organization_id: OrganizationId,
            member_id: MemberId,
        ) -> Result<Option<Member>, StoreError>;
        async fn update(&mut self, member: &Member) -> Result<(), StoreError>;
        async fn leave_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn join(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn remove(&mut self, member: &Member, at: OffsetDateTime) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work asks of [`Arrivals`].
    pub Arrivals {}

    #[async_trait]
    impl Arrivals for Arrivals {
        async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Messages`].
    pub Messages {
        /// What [`Tx::commit_with`] stores.
        pub fn insert(&mut self, mail: &NewMail) -> Result<(), StoreError>;
    }

    #[async_trait]
    impl Messages for Messages {
        async fn spent_budgets(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
            addresses: &[EmailAddress],
            after: OffsetDateTime,
            budget: u32,
        ) -> Result<Vec<Spent>, StoreError>;
        async fn items(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_ids: &[MessageId],
        ) -> Result<Vec<MessageItem>, StoreError>;
        async fn of_thread<'a, 'b, 'c>(
            &'a mut self,
            organization_id: OrganizationId,
            inbox_id: &'b InboxId,
            thread_id: ThreadId,
            limit: u32,
            after: Option<&'c Cursor>,
        ) -> Result<Vec<MessageItem>, StoreError>;
        async fn labels_of_thread(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
        ) -> Result<Labels, StoreError>;
        async fn update_labels(&mut self, messages: &[MessageItem]) -> Result<(), StoreError>;
        async fn delete(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_ids: &[MessageId],
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Notes`].
    pub Notes {}

    #[async_trait]
    impl Notes for Notes {
        async fn count(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
        ) -> Result<u64, StoreError>;
        async fn insert(&mut self, note: &Note) -> Result<(), StoreError>;
        async fn delete(&mut self, note: &Note) -> Result<bool, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Billing`].
    pub Billing {}

    #[async_trait]
    impl Billing for Billing {
        async fn note_event(
            &mut self,
            organization_id: OrganizationId,
            event_id: &str,
            now: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn read(&mut self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;
        async fn put_subscription(&mut self, subscription: &Subscription) -> Result<(), StoreError>;
        async fn put_customer(
            &mut self,
            organization_id: OrganizationId,
            customer_id: &CustomerId,
            now: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`OutgoingQueue`].
    pub OutgoingQueue {}

    #[async_trait]
    impl OutgoingQueue for OutgoingQueue {
        async fn enqueue(&mut self, mails: &[Outgoing]) -> Result<(), StoreError>;
        async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<Outgoing>, StoreError>;
        async fn defer(&mut self, mail: &Outgoing) -> Result<bool, StoreError>;
        async fn remove(&mut self, claims: &[ClaimedMail]) -> Result<Vec<ClaimedMail>, StoreError>;
        async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Pods`].
    pub Pods {}

    #[async_trait]
    impl Pods for Pods {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Pod, bool)>, StoreError>;
        async fn hold(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<bool, StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;
        async fn count_inboxes(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<u64, StoreError>;
        async fn update(&mut self, pod: &Pod) -> Result<(), StoreError>;
        async fn delete(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ReturnPaths`].
    pub ReturnPaths {}

    #[async_trait]
    impl ReturnPaths for ReturnPaths {
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            outgoing_id: OutgoingId,
        ) -> Result<Option<SentMail>, StoreError>;
        async fn tell(&mut self, mail: &SentMail) -> Result<(), StoreError>;
        async fn forget(&mut self, before: OutgoingId, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`SendKeys`].
    pub SendKeys {}

    #[async_trait]
    impl SendKeys for SendKeys {
        async fn claim(
            &mut self,
            key: &SendKey,
            claim_id: Uuid,
            times: ClaimTimes,
        ) -> Result<Option<UsedKey>, StoreError>;
        async fn keep(&mut self, claim: &SendClaim, sent: &Sent, now: OffsetDateTime) -> Result<bool, StoreError>;
        async fn release(&mut self, claim: &SendClaim) -> Result<(), StoreError>;
        async fn purge(&mut self, forgotten: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`SignIns`].
    pub SignIns {}

    #[async_trait]
    impl SignIns for SignIns {
        async fn ask(&mut self, code: &SignInCode, now: OffsetDateTime) -> Result<(), StoreError>;
        async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError>;
        async fn tried(&mut self, code: &SignInCode) -> Result<(), StoreError>;
        async fn end(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn claim(
            &mut self,
            now: OffsetDateTime,
            lease: Duration,
            limit: u32,
        ) -> Result<Vec<SignInCode>, StoreError>;
        async fn settle(&mut self, codes: &[SignInCode]) -> Result<(), StoreError>;
        async fn forget_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Suppressions`].
    pub Suppressions {}

    #[async_trait]
    impl Suppressions for Suppressions {
        async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Threads`].
    pub Threads {}

    #[async_trait]
    impl Threads for Threads {
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_ids: &[ThreadId],
        ) -> Result<Vec<Thread>, StoreError>;
        async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError>;
        async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError>;
        async fn delete(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
        ) -> Result<(), StoreError>;
        async fn unassign(
            &mut self,
            organization_id: OrganizationId,
            assignee_id: &str,
            keep: &BTreeSet<InboxId>,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Usage`].
    pub Usage {}

    #[async_trait]
    impl Usage for Usage {
        async fn change(&mut self, changes: &[(OrganizationId, InboxId, UsageChange)]) -> Result<(), StoreError>;
        async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError>;
        async fn sample(&mut self, sampling: &Sampling) -> Result<Option<OrganizationId>, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Webhooks`].
    pub Webhooks {}

    #[async_trait]
    impl Webhooks for Webhooks {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn insert(&mut self, webhook: &Webhook, sealed: &Sealed) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            webhook_id: WebhookId,
        ) -> Result<Option<(Webhook, Sealed)>, StoreError>;
        async fn update(&mut self, webhook: &Webhook, sealed: &Sealed) -> Result<(), StoreError>;
        async fn delete(&mut self, organization_id: OrganizationId, webhook_id: WebhookId) -> Result<bool, StoreError>;
        async fn leave_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn leave_pod(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Deliveries`].
    pub Deliveries {}

    #[async_trait]
    impl Deliveries for Deliveries {
        async fn log(&mut self, attempts: &[WebhookAttempt]) -> Result<(), StoreError>;
        async fn settle(&mut self, settlements: &[Settlement]) -> Result<(), StoreError>;
        async fn lock_runs(
            &mut self,
            webhooks: &[(OrganizationId, WebhookId, bool)],
        ) -> Result<Vec<FailureRun>, StoreError>;
        async fn update_runs(&mut self, runs: &[FailureRun], at: OffsetDateTime) -> Result<(), StoreError>;
        async fn purge(&mut self, forgotten: EventId, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`Replays`].
    pub Replays {}

    #[async_trait]
    impl Replays for Replays {
        async fn event(
            &mut self,
            organization_id: OrganizationId,
            event_id: EventId,
        ) -> Result<Option<QueuedEvent>, StoreError>;
        async fn queue(
            &mut self,
            webhook_id: WebhookId,
            event: &QueuedEvent,
            now: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn begin(&mut self, span: &ReplaySpan) -> Result<(), StoreError>;
        async fn next(
            &mut self,
            most_waiting: u32,
            now: OffsetDateTime,
        ) -> Result<Option<(OrganizationId, WebhookId)>, StoreError>;
        async fn walk(
            &mut self,
            organization_id: OrganizationId,
            webhook_id: WebhookId,
            now: OffsetDateTime,
            limit: u32,
        ) -> Result<Walked, StoreError>;
    }
}
