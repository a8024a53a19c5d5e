//! What is asked outside units of work: here an inbox, its address, and the messages in it.

use std::collections::BTreeSet;

use inboxd_core::model::feed::FeedPlace;
use inboxd_core::model::metrics::{Span, UsageSample, UsageTotals};
use inboxd_core::model::return_path::SentMail;
use inboxd_core::model::{
    ApiKey, ApiKeyId, AttachmentId, BillingRecord, ClaimedMail, Cursor, CustomerId, DkimKey, Domain, DomainId,
    DomainName, Draft, DraftId, DraftItem, EntryName, EventId, Hidden, Home, Inbox, InboxId, LabelEvent, ListEntry,
    ListExcerpt, ListKey, MailKey, Member, MemberId, Membership, Message, MessageId, MessageItem, Note, Organization,
    OrganizationId, Outgoing, OutgoingId, Overview, Page, PageRequest, Pod, PodId, Scope, Sealed, Suppression, Thread,
    ThreadId, Webhook, WebhookAttempt, WebhookDelivery, WebhookId,
};
use inboxd_core::ports::{
    AccountReads, ApiKeyQuery, ApiKeyReads, AskedDomain, AttemptQuery, BillingReads, CapturedMail, ClockStep,
    Credential, DeliveryClaim, DeliveryReads, Destination, DomainQuery, DomainReads, DraftContent, DraftQuery,
    DraftReads, EventCountQuery, EventCounts, EventKey, EventQuery, EventReads, ExcerptQuery, FeedPage, FeedQuery,
    FeedReads, InboxQuery, InboxReads, LabelEventQuery, LabelHistoryReads, ListReads, MadeDraft, MemberQuery,
    MemberReads, MessageQuery, MessageReads, MetricReads, NoteReads, OutgoingReads, PodQuery, PodReads, ProcessBeat,
    Processes, RawSource, RecipientRoute, ReturnPathReads, Sequenced, Standing, StoreError, SuppressionQuery,
    SuppressionReads, ThreadKey, ThreadQuery, ThreadReads, VisibleThread, WebhookReads, WebhookScope, WholeEvent,
};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::memory::port;

port! { reads InboxReads {
    async fn inbox(&self, of: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError> {
        let is_meant = |inbox: &&Inbox| inbox.organization_id == of && inbox.inbox_id == *inbox_id;
        Ok(self.state().inboxes.iter().find(is_meant).cloned())
    }

    async fn destinations(&self, addresses: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError> {
        let state = self.state();
        let destination = |address: &EmailAddress| {
            let inbox = state.inboxes.iter().find(|inbox| inbox.inbox_id.as_str() == address.without_tag())?;
            let Inbox { organization_id, pod_id, inbox_id, .. } = inbox.clone();
            Some(Destination { organization_id, pod_id, inbox_id }.into())
        };
        Ok(addresses.iter().map(destination).collect())
    }
}
    fn list_inboxes(&InboxQuery) -> Page<Inbox>;
}

port! { reads MessageReads {
    // Of the conditions of a query this program uses none but the inbox and what is hidden.
    async fn list_messages(&self, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError> {
        let state = self.state();
        let items = state.messages.iter().rev().map(|stored| &stored.message.item);
        let is_meant = |item: &&MessageItem| {
            item.inbox_id == query.inbox_id && Hidden::of(&item.labels).shown_to(query.included)
        };
        let rows = items.filter(is_meant).cloned().collect();
        let place = |item: &MessageItem| Cursor { time: item.timestamp, id: item.message_id.to_string() };
        Ok(Page::of(rows, query.page.limit, place))
    }

    async fn message(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
        readable: Hidden,
    ) -> Result<Option<Message>, StoreError> {
        let found = self.messages(organization_id, inbox_id, std::slice::from_ref(message_id), readable).await?;
        Ok(found.into_iter().next())
    }

    async fn messages(
        &self,
        _: OrganizationId,
        inbox_id: &InboxId,
        message_ids: &[MessageId],
        readable: Hidden,
    ) -> Result<Vec<Message>, StoreError> {
        let state = self.state();
        let messages = state.messages.iter().rev().map(|stored| &stored.message);
        let is_meant = |message: &&Message| {
            let item = &message.item;
            item.inbox_id == *inbox_id
                && message_ids.contains(&item.message_id)
                && Hidden::of(&item.labels).shown_to(readable)
        };
        Ok(messages.filter(is_meant).cloned().collect())
    }
}
    fn body_sizes(OrganizationId, &InboxId, &[MessageId], Hidden) -> Vec<u64>;
    fn messages_of_thread(OrganizationId, &InboxId, ThreadId, Hidden, u32, Option<&Cursor>) -> Page<Message>;
    fn raw_message(OrganizationId, &InboxId, &MessageId, Hidden) -> Option<RawSource>;
    fn message_item(OrganizationId, &InboxId, &MessageId, Hidden) -> Option<MessageItem>;
    fn item_with_attachment(OrganizationId, &InboxId, ThreadId, AttachmentId, Hidden) -> Option<MessageItem>;
}

port! { reads AccountReads {}
    fn organization_of_owner(&EmailAddress) -> Option<Organization>;
    fn overview(OrganizationId) -> Option<Overview>;
    fn organizations(Option<OrganizationId>, u32) -> Vec<Organization>;
}

port! { reads ApiKeyReads {}
    fn credential(&[u8; 32]) -> Option<Credential>;
    fn credentials(&[[u8; 32]]) -> Vec<([u8; 32], Credential)>;
    fn list_api_keys(&ApiKeyQuery) -> Page<ApiKey>;
    fn api_key(OrganizationId, ApiKeyId) -> Option<ApiKey>;
    fn touch_api_key(OrganizationId, ApiKeyId, OffsetDateTime) -> ();
}

port! { reads DraftReads {}
    fn list_drafts(&DraftQuery) -> Page<DraftItem>;
    fn draft(OrganizationId, DraftId) -> Option<Draft>;
    fn draft_of_client_id(OrganizationId, &str) -> Option<MadeDraft>;
    fn drafts_of_thread(OrganizationId, &InboxId, ThreadId, u32, u32) -> Vec<Draft>;
    fn draft_contents(OrganizationId, DraftId) -> Vec<DraftContent>;
    fn draft_content(OrganizationId, DraftId, AttachmentId) -> Option<Vec<u8>>;
    fn next_due_draft() -> Option<OffsetDateTime>;
}

port! { reads BillingReads {}
    fn billing(OrganizationId) -> BillingRecord;
    fn organization_of_customer(&CustomerId) -> Option<OrganizationId>;
}

port! { reads EventReads {}
    fn list_events(&EventQuery) -> Page<WholeEvent>;
}

port! { reads FeedReads {}
    fn sequence(&[OrganizationId], OffsetDateTime) -> Vec<Sequenced>;
    fn unsequenced(u32) -> Vec<OrganizationId>;
    fn feed_place(OrganizationId, EventId) -> Option<FeedPlace>;
    fn feed_heads(&[OrganizationId]) -> Vec<(OrganizationId, FeedPlace)>;
    fn read_feed(&FeedQuery) -> FeedPage;
}

port! { reads LabelHistoryReads {}
    fn list_label_events(&LabelEventQuery) -> Page<LabelEvent>;
}

port! { reads MetricReads {}
    fn count_events(&EventCountQuery) -> EventCounts;
    fn usage_totals(OrganizationId, &Scope) -> UsageTotals;
    fn usage_samples(OrganizationId, &Scope, &Span) -> Vec<UsageSample>;
}

port! { reads NoteReads {}
    fn notes_of_thread(OrganizationId, &InboxId, ThreadId) -> Vec<Note>;
}

port! { reads ListReads {
    // There are no lists here, so that everybody passes.
    async fn excerpts_of_lists(&self, _: &ExcerptQuery) -> Result<Vec<ListExcerpt>, StoreError> {
        Ok(Vec::new())
    }
}
    fn list_entries(&ListKey, &PageRequest) -> Page<ListEntry>;
    fn list_entry(&ListKey, &EntryName) -> Option<ListEntry>;
}

port! { reads MemberReads {}
    fn member(OrganizationId, MemberId) -> Option<Member>;
    fn list_members(&MemberQuery) -> Page<Member>;
    fn memberships(&EmailAddress) -> Vec<Membership>;
    fn memberships_of(&[EmailAddress]) -> Vec<Option<Vec<Membership>>>;
}

port! { reads OutgoingReads {}
    fn raw_of_outgoing(OutgoingId) -> Option<Vec<u8>>;
    fn size_of_outgoing(OutgoingId) -> Option<u64>;
    fn claimed_mail(ClaimedMail) -> Option<Outgoing>;
    fn captured(u32) -> Vec<CapturedMail>;
}

port! { reads Processes {}
    fn record_heartbeat(Uuid, OffsetDateTime) -> Vec<ProcessBeat>;
    fn mail_claimed_by(&[Uuid], OffsetDateTime, OffsetDateTime) -> Vec<ClaimedMail>;
    fn release_claims(&[Uuid], OffsetDateTime) -> u64;
    fn forget_processes(&[Uuid]) -> ();
    fn bring_forward_due_times(ClockStep) -> u64;
}

port! { reads PodReads {}
    fn pod(OrganizationId, PodId) -> Option<Pod>;
    fn list_pods(&PodQuery) -> Page<Pod>;
    fn pod_has_any(OrganizationId, PodId, &BTreeSet<InboxId>) -> bool;
}

port! { reads ReturnPathReads {}
    fn sent_mail(OutgoingId) -> Option<SentMail>;
    fn served_domain(OrganizationId, &[DomainName]) -> Option<DomainName>;
}

port! { reads SuppressionReads {}
    fn suppressed(OrganizationId, &[EmailAddress]) -> Vec<Suppression>;
    fn list_suppressions(&SuppressionQuery) -> Page<Suppression>;
    fn suppressions_by_address(OrganizationId, &PageRequest) -> Page<Suppression>;
}

port! { reads ThreadReads {}
    fn list_threads(&ThreadQuery) -> Page<Thread>;
    fn inbox_of_thread(OrganizationId, ThreadId) -> Option<InboxId>;
    fn thread(OrganizationId, &InboxId, ThreadId, Hidden) -> Option<Thread>;
    fn visible_threads(OrganizationId, &[ThreadKey], Hidden) -> Vec<VisibleThread>;
}

port! { reads DomainReads {}
    fn domain(OrganizationId, DomainId) -> Option<Domain>;
    fn list_domains(&DomainQuery) -> Page<Domain>;
    fn domain_standing(&AskedDomain) -> Standing;
    fn is_name_lost(OrganizationId, &[DomainName]) -> bool;
    fn custom_homes(&[EmailAddress]) -> Vec<Home>;
    fn proven_domain(&str) -> Option<Domain>;
    fn mail_key(OrganizationId, &[DomainName]) -> Option<MailKey>;
    fn dkim_keys(Option<OrganizationId>, &str) -> Vec<DkimKey>;
}

port! { reads WebhookReads {}
    fn webhook(OrganizationId, WebhookId) -> Option<Webhook>;
    fn list_webhooks(&WebhookScope, &PageRequest) -> Page<Webhook>;
    fn list_attempts(&AttemptQuery) -> Page<WebhookAttempt>;
}

port! { reads DeliveryReads {}
    fn claim_deliveries(&DeliveryClaim) -> Vec<WebhookDelivery>;
    fn receivers(&[(OrganizationId, WebhookId)]) -> Vec<(Webhook, Sealed)>;
    fn whole_events(&[EventKey], u32) -> Vec<WholeEvent>;
}
