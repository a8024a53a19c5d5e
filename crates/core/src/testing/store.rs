//! The store that answers as a test prepared it.

#![expect(clippy::ref_option_ref, reason = "the mock looks at its arguments through references, optional ones too")]

use std::collections::BTreeSet;

use async_trait::async_trait;
use inboxd_mail::EmailAddress;
use mockall::mock;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::model::feed::FeedPlace;
use crate::model::metrics::{Span, UsageSample, UsageTotals};
use crate::model::return_path::SentMail;
use crate::model::{
    ApiKey, ApiKeyId, AttachmentId, BillingRecord, ClaimedMail, Cursor, CustomerId, DkimKey, Domain, DomainId,
    DomainName, Draft, DraftId, DraftItem, EntryName, EventId, Hidden, Home, Inbox, InboxId, LabelEvent, ListEntry,
    ListExcerpt, ListKey, MailKey, Member, MemberId, Membership, Message, MessageId, MessageItem, Note, Organization,
    OrganizationId, Outgoing, OutgoingId, Overview, Page, PageRequest, Pod, PodId, Scope, Sealed, Suppression, Thread,
    ThreadId, Webhook, WebhookAttempt, WebhookDelivery, WebhookId,
};
use crate::ports::{
    AccountReads, ApiKeyQuery, ApiKeyReads, AskedDomain, AttemptQuery, BillingReads, CapturedMail, ClockStep,
    Credential, DeliveryClaim, DeliveryReads, DomainQuery, DomainReads, DraftContent, DraftQuery, DraftReads,
    EventCountQuery, EventCounts, EventKey, EventQuery, EventReads, ExcerptQuery, FeedPage, FeedQuery, FeedReads,
    InboxQuery, InboxReads, IndexedInbox, LabelEventQuery, LabelHistoryReads, ListReads, MemberQuery, MemberReads,
    MessageQuery, MessageReads, MetricReads, NoteReads, OutgoingReads, PodQuery, PodReads, ProcessBeat, Processes,
    RawSource, RecipientRoute, ReturnPathReads, SearchIndex, Sequenced, Standing, Store, StoreError, SuppressionQuery,
    SuppressionReads, ThreadKey, ThreadQuery, ThreadReads, Tx, VisibleThread, WebhookReads, WebhookScope, WholeEvent,
};

mock! {
    /// Storage outside and at the beginning of units of work. Its `begin` is prepared by [`World`](super::World).
    pub Store {}

    #[async_trait]
    impl AccountReads for Store {
        async fn organization_of_owner(&self, email: &EmailAddress) -> Result<Option<Organization>, StoreError>;
        async fn overview(&self, organization_id: OrganizationId) -> Result<Option<Overview>, StoreError>;
        async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError>;
    }

    #[async_trait]
    impl ApiKeyReads for Store {
        async fn credential(&self, hash: &[u8; 32]) -> Result<Option<Credential>, StoreError>;
        async fn credentials(&self, hashes: &[[u8; 32]]) -> Result<Vec<([u8; 32], Credential)>, StoreError>;
        async fn list_api_keys(&self, query: &ApiKeyQuery) -> Result<Page<ApiKey>, StoreError>;
        async fn api_key(
            &self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
        ) -> Result<Option<ApiKey>, StoreError>;
        async fn touch_api_key(
            &self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }

    #[async_trait]
    impl DraftReads for Store {
        async fn list_drafts(&self, query: &DraftQuery) -> Result<Page<DraftItem>, StoreError>;
        async fn draft(&self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;
        async fn draft_of_client_id(
            &self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<crate::ports::MadeDraft>, StoreError>;
        async fn drafts_of_thread(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
            limit: u32,
            largest_body: u32,
        ) -> Result<Vec<Draft>, StoreError>;
        async fn draft_contents(
            &self,
            organization_id: OrganizationId,
            draft_id: DraftId,
        ) -> Result<Vec<DraftContent>, StoreError>;
        async fn draft_content(
            &self,
            organization_id: OrganizationId,
            draft_id: DraftId,
            attachment_id: AttachmentId,
        ) -> Result<Option<Vec<u8>>, StoreError>;
        async fn next_due_draft(&self) -> Result<Option<OffsetDateTime>, StoreError>;
    }

    #[async_trait]
    impl DomainReads for Store {
        async fn domain(&self, organization_id: OrganizationId, domain_id: DomainId) -> Result<Option<Domain>, StoreError>;
        async fn list_domains(&self, query: &DomainQuery) -> Result<Page<Domain>, StoreError>;
        async fn domain_standing(&self, asked: &AskedDomain) -> Result<Standing, StoreError>;
        async fn is_name_lost(&self, organization_id: OrganizationId, names: &[DomainName]) -> Result<bool, StoreError>;
        async fn custom_homes(&self, addresses: &[EmailAddress]) -> Result<Vec<Home>, StoreError>;
        async fn proven_domain(&self, name: &str) -> Result<Option<Domain>, StoreError>;
        async fn mail_key(
            &self,
            organization_id: OrganizationId,
            names: &[DomainName],
        ) -> Result<Option<MailKey>, StoreError>;
        async fn dkim_keys(
            &self,
            organization_id: Option<OrganizationId>,
            name: &str,
        ) -> Result<Vec<DkimKey>, StoreError>;
    }

    #[async_trait]
    impl BillingReads for Store {
        async fn billing(&self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;
        async fn organization_of_customer(&self, customer_id: &CustomerId) -> Result<Option<OrganizationId>, StoreError>;
    }

    #[async_trait]
    impl EventReads for Store {
        async fn list_events(&self, query: &EventQuery) -> Result<Page<WholeEvent>, StoreError>;
    }

    #[async_trait]
    impl FeedReads for Store {
        async fn sequence(
            &self,
            organizations: &[OrganizationId],
            now: OffsetDateTime,
        ) -> Result<Vec<Sequenced>, StoreError>;
        async fn unsequenced(&self, limit: u32) -> Result<Vec<OrganizationId>, StoreError>;
        async fn feed_place(
            &self,
            organization_id: OrganizationId,
            event_id: EventId,
        ) -> Result<Option<FeedPlace>, StoreError>;
        async fn feed_heads(
            &self,
            organizations: &[OrganizationId],
        ) -> Result<Vec<(OrganizationId, FeedPlace)>, StoreError>;
        async fn read_feed(&self, query: &FeedQuery) -> Result<FeedPage, StoreError>;
    }

    #[async_trait]
    impl InboxReads for Store {
        async fn inbox(&self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;
        async fn list_inboxes(&self, query: &InboxQuery) -> Result<Page<Inbox>, StoreError>;
        async fn destinations(&self, addresses: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError>;
    }

    #[async_trait]
    impl ListReads for Store {
        async fn list_entries(&self, list: &ListKey, page: &PageRequest) -> Result<Page<ListEntry>, StoreError>;
        async fn list_entry(&self, list: &ListKey, entry: &EntryName) -> Result<Option<ListEntry>, StoreError>;
        async fn excerpts_of_lists(&self, query: &ExcerptQuery) -> Result<Vec<ListExcerpt>, StoreError>;
    }

    #[async_trait]
    impl LabelHistoryReads for Store {
        async fn list_label_events(&self, query: &LabelEventQuery) -> Result<Page<LabelEvent>, StoreError>;
    }

    #[async_trait]
    impl MemberReads for Store {
        async fn member(&self, organization_id: OrganizationId, member_id: MemberId) -> Result<Option<Member>, StoreError>;
        async fn list_members(&self, query: &MemberQuery) -> Result<Page<Member>, StoreError>;
        async fn memberships(&self, email: &EmailAddress) -> Result<Vec<Membership>, StoreError>;
        async fn memberships_of(&self, emails: &[EmailAddress]) -> Result<Vec<Option<Vec<Membership>>>, StoreError>;
    }

    #[async_trait]
    impl MessageReads for Store {
        async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError>;
        async fn message(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_id: &MessageId,
            readable: Hidden,
        ) -> Result<Option<Message>, StoreError>;
        async fn messages(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_ids: &[MessageId],
            readable: Hidden,
        ) -> Result<Vec<Message>, StoreError>;
        async fn body_sizes(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_ids: &[MessageId],
            readable: Hidden,
        ) -> Result<Vec<u64>, StoreError>;
        async fn messages_of_thread<'a, 'b, 'c>(
            &'a self,
            organization_id: OrganizationId,
            inbox_id: &'b InboxId,
            thread_id: ThreadId,
            readable: Hidden,
            limit: u32,
            after: Option<&'c Cursor>,
        ) -> Result<Page<Message>, StoreError>;
        async fn raw_message(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_id: &MessageId,
            readable: Hidden,
        ) -> Result<Option<RawSource>, StoreError>;
        async fn message_item(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            message_id: &MessageId,
            readable: Hidden,
        ) -> Result<Option<MessageItem>, StoreError>;
        async fn item_with_attachment(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
            attachment_id: crate::model::AttachmentId,
            readable: Hidden,
        ) -> Result<Option<MessageItem>, StoreError>;
    }

    #[async_trait]
    impl MetricReads for Store {
        async fn count_events(&self, query: &EventCountQuery) -> Result<EventCounts, StoreError>;
        async fn usage_totals(
            &self,
            organization_id: OrganizationId,
            scope: &Scope,
        ) -> Result<UsageTotals, StoreError>;
        async fn usage_samples(
            &self,
            organization_id: OrganizationId,
            scope: &Scope,
            span: &Span,
        ) -> Result<Vec<UsageSample>, StoreError>;
    }

    #[async_trait]
    impl NoteReads for Store {
        async fn notes_of_thread(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
        ) -> Result<Vec<Note>, StoreError>;
    }

    #[async_trait]
    impl OutgoingReads for Store {
        async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError>;
        async fn size_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<u64>, StoreError>;
        async fn claimed_mail(&self, claim: ClaimedMail) -> Result<Option<Outgoing>, StoreError>;
        async fn captured(&self, limit: u32) -> Result<Vec<CapturedMail>, StoreError>;
    }

    #[async_trait]
    impl Processes for Store {
        async fn record_heartbeat(&self, process_id: Uuid, now: OffsetDateTime) -> Result<Vec<ProcessBeat>, StoreError>;
        async fn mail_claimed_by(
            &self,
            processes: &[Uuid],
            now: OffsetDateTime,
            until: OffsetDateTime,
        ) -> Result<Vec<ClaimedMail>, StoreError>;
        async fn release_claims(&self, processes: &[Uuid], now: OffsetDateTime) -> Result<u64, StoreError>;
        async fn forget_processes(&self, processes: &[Uuid]) -> Result<(), StoreError>;
        async fn bring_forward_due_times(&self, step: ClockStep) -> Result<u64, StoreError>;
    }

    #[async_trait]
    impl PodReads for Store {
        async fn pod(&self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;
        async fn list_pods(&self, query: &PodQuery) -> Result<Page<Pod>, StoreError>;
        async fn pod_has_any(
            &self,
            organization_id: OrganizationId,
            pod_id: PodId,
            inbox_ids: &BTreeSet<InboxId>,
        ) -> Result<bool, StoreError>;
    }

    #[async_trait]
    impl ReturnPathReads for Store {
        async fn sent_mail(&self, outgoing_id: OutgoingId) -> Result<Option<SentMail>, StoreError>;
        async fn served_domain(
            &self,
            organization_id: OrganizationId,
            names: &[DomainName],
        ) -> Result<Option<DomainName>, StoreError>;
    }

    #[async_trait]
    impl SuppressionReads for Store {
        async fn suppressed(
            &self,
            organization_id: OrganizationId,
            addresses: &[EmailAddress],
        ) -> Result<Vec<Suppression>, StoreError>;
        async fn list_suppressions(&self, query: &SuppressionQuery) -> Result<Page<Suppression>, StoreError>;
        async fn suppressions_by_address(
            &self,
            organization_id: OrganizationId,
            page: &PageRequest,
        ) -> Result<Page<Suppression>, StoreError>;
    }

    #[async_trait]
    impl SearchIndex for Store {
        async fn index_some(&self, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError>;
        async fn merge_some(&self, inbox: &IndexedInbox, segment_id: Uuid, rest: u32) -> Result<bool, StoreError>;
        async fn inboxes_to_index<'a, 'b>(
            &'a self,
            after: Option<&'b IndexedInbox>,
            limit: u32,
        ) -> Result<Vec<IndexedInbox>, StoreError>;
    }

    #[async_trait]
    impl ThreadReads for Store {
        async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError>;
        async fn inbox_of_thread(
            &self,
            organization_id: OrganizationId,
            thread_id: ThreadId,
        ) -> Result<Option<InboxId>, StoreError>;
        async fn thread(
            &self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            thread_id: ThreadId,
            readable: Hidden,
        ) -> Result<Option<Thread>, StoreError>;
        async fn visible_threads(
            &self,
            organization_id: OrganizationId,
            threads: &[ThreadKey],
            readable: Hidden,
        ) -> Result<Vec<VisibleThread>, StoreError>;
    }

    #[async_trait]
    impl DeliveryReads for Store {
        async fn claim_deliveries(&self, claim: &DeliveryClaim) -> Result<Vec<WebhookDelivery>, StoreError>;
        async fn receivers(
            &self,
            webhooks: &[(OrganizationId, WebhookId)],
        ) -> Result<Vec<(Webhook, Sealed)>, StoreError>;
        async fn whole_events(&self, events: &[EventKey], largest_body: u32) -> Result<Vec<WholeEvent>, StoreError>;
    }

    #[async_trait]
    impl WebhookReads for Store {
        async fn webhook(
            &self,
            organization_id: OrganizationId,
            webhook_id: WebhookId,
        ) -> Result<Option<Webhook>, StoreError>;
        async fn list_webhooks(&self, scope: &WebhookScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError>;
        async fn list_attempts(&self, query: &AttemptQuery) -> Result<Page<WebhookAttempt>, StoreError>;
    }

    #[async_trait]
    impl Store for Store {
        async fn begin(&self) -> Result<Box<dyn Tx>, StoreError>;
        async fn ready(&self) -> Result<(), StoreError>;
    }
}
