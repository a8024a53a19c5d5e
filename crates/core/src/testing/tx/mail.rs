//! Mocks of what a unit of work does to mail in inboxes.

#![expect(clippy::ref_option_ref, reason = "the mock looks at its arguments through references, optional ones too")]

use std::collections::BTreeSet;

use async_trait::async_trait;
use inboxd_mail::EmailAddress;
use mockall::mock;
use time::{Duration, OffsetDateTime};

use crate::model::{
    ClaimedDraft, Cursor, Draft, DraftId, Inbox, InboxId, LabelEvent, Labels, MessageId, MessageItem, NewMail, Note,
    OrganizationId, Thread, ThreadId,
};
use crate::ports::{
    ArrivalQuery, Destination, DraftContent, DraftWrites, InboundQueries, InboxWrites, LabelHistoryWrites,
    MessageWrites, NoteWrites, OnArrival, StoreError, ThreadKey, ThreadWrites,
};
use crate::rules::loops::Spent;

mock! {
    /// What a unit of work asks of [`InboundQueries`].
    pub InboundQueries {}

    #[async_trait]
    impl InboundQueries for InboundQueries {
        async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`MessageWrites`].
    pub MessageWrites {
        /// What [`Tx::commit_with`](crate::ports::Tx::commit_with) stores.
        pub fn insert(&mut self, mail: &NewMail) -> Result<(), StoreError>;
    }

    #[async_trait]
    impl MessageWrites for MessageWrites {
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
    /// What a unit of work does to [`ThreadWrites`].
    pub ThreadWrites {}

    #[async_trait]
    impl ThreadWrites for ThreadWrites {
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
    /// What a unit of work does to [`NoteWrites`].
    pub NoteWrites {}

    #[async_trait]
    impl NoteWrites for NoteWrites {
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
    /// What a unit of work does to [`LabelHistoryWrites`].
    pub LabelHistoryWrites {}

    #[async_trait]
    impl LabelHistoryWrites for LabelHistoryWrites {
        async fn append(&mut self, events: &[LabelEvent], limit: u64) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`DraftWrites`].
    pub DraftWrites {}

    #[async_trait]
    impl DraftWrites for DraftWrites {
        async fn insert(&mut self, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;
        async fn update(&mut self, draft: &Draft, added: &[DraftContent]) -> Result<(), StoreError>;
        async fn claim_due(
            &mut self,
            now: OffsetDateTime,
            lease: Duration,
            limit: u32,
        ) -> Result<Vec<ClaimedDraft>, StoreError>;
        async fn remove(&mut self, draft: &ClaimedDraft) -> Result<Option<u64>, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`InboxWrites`].
    pub InboxWrites {}

    #[async_trait]
    impl InboxWrites for InboxWrites {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Inbox, bool)>, StoreError>;
        async fn insert(&mut self, inbox: &Inbox) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;
        async fn lock_exclusive(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
        ) -> Result<Option<Inbox>, StoreError>;
        async fn lock_sending(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;
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
