//! The unit of work that a test prepares.

mod events;
mod mail;
mod organizations;
mod outgoing;

use async_trait::async_trait;
use futures_channel::oneshot::Receiver;

pub use self::events::{MockDeliveryWrites, MockEventWrites, MockReplayWrites, MockWebhookWrites};
pub use self::mail::{
    MockDraftWrites, MockInboundQueries, MockInboxWrites, MockLabelHistoryWrites, MockMessageWrites, MockNoteWrites,
    MockThreadWrites,
};
pub use self::organizations::{
    MockAccountWrites, MockApiKeyWrites, MockBillingWrites, MockClientIdWrites, MockDomainWrites, MockListWrites,
    MockMailQuotaWrites, MockMemberWrites, MockPodWrites, MockSignInWrites, MockUsageWrites,
};
pub use self::outgoing::{
    MockIdempotencyKeyWrites, MockOperatorMailWrites, MockOutgoingWrites, MockReturnPathWrites, MockSuppressionWrites,
};
use super::{Happened, Journal};
use crate::model::NewMail;
use crate::ports::{
    AccountWrites, ApiKeyWrites, BillingWrites, ClientIdWrites, DeliveryWrites, DomainWrites, DraftWrites, EventWrites,
    IdempotencyKeyWrites, InboundQueries, InboxWrites, LabelHistoryWrites, ListWrites, MailQuotaWrites, MemberWrites,
    MessageWrites, NoteWrites, OperatorMailWrites, OutgoingWrites, PodWrites, ReplayWrites, ReturnPathWrites,
    SignInWrites, StoreError, SuppressionWrites, ThreadWrites, Tx, UsageWrites, WebhookWrites,
};

/// A unit of work made of one mock for each port that writes. Its commits are noted in a [`Journal`].
pub struct MockTx {
    /// Organizations, their pods and codes.
    pub accounts: MockAccountWrites,
    /// API keys.
    pub api_keys: MockApiKeyWrites,
    /// What arriving mail asks.
    pub inbound: MockInboundQueries,
    /// Drafts.
    pub drafts: MockDraftWrites,
    /// The queue of events for webhooks.
    pub deliveries: MockDeliveryWrites,
    /// What webhooks are told again.
    pub replays: MockReplayWrites,
    /// Custom domains.
    pub domains: MockDomainWrites,
    /// Who pays.
    pub billing: MockBillingWrites,
    /// What each `client_id` made.
    pub client_ids: MockClientIdWrites,
    /// Inboxes.
    pub inboxes: MockInboxWrites,
    /// Allow and block lists.
    pub lists: MockListWrites,
    /// Shares of service mail.
    pub mail_quotas: MockMailQuotaWrites,
    /// The people of organizations.
    pub members: MockMemberWrites,
    /// Messages.
    pub messages: MockMessageWrites,
    /// Threads.
    pub threads: MockThreadWrites,
    /// Notes.
    pub notes: MockNoteWrites,
    /// Events.
    pub events: MockEventWrites,
    /// What callers did to labels.
    pub label_history: MockLabelHistoryWrites,
    /// Mail for the operator.
    pub operator_mails: MockOperatorMailWrites,
    /// The outgoing queue.
    pub outgoing: MockOutgoingWrites,
    /// Pods.
    pub pods: MockPodWrites,
    /// Mail that left, by its return paths.
    pub return_paths: MockReturnPathWrites,
    /// Keys of repeatable sends.
    pub idempotency_keys: MockIdempotencyKeyWrites,
    /// Codes by which people sign in.
    pub sign_ins: MockSignInWrites,
    /// Suppressed addresses.
    pub suppressions: MockSuppressionWrites,
    /// What is used.
    pub usage: MockUsageWrites,
    /// Webhooks.
    pub webhooks: MockWebhookWrites,
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
            accounts: MockAccountWrites::new(),
            api_keys: MockApiKeyWrites::new(),
            inbound: MockInboundQueries::new(),
            drafts: MockDraftWrites::new(),
            deliveries: MockDeliveryWrites::new(),
            replays: MockReplayWrites::new(),
            domains: MockDomainWrites::new(),
            billing: MockBillingWrites::new(),
            client_ids: MockClientIdWrites::new(),
            inboxes: MockInboxWrites::new(),
            lists: MockListWrites::new(),
            mail_quotas: MockMailQuotaWrites::new(),
            members: MockMemberWrites::new(),
            messages: MockMessageWrites::new(),
            threads: MockThreadWrites::new(),
            notes: MockNoteWrites::new(),
            events: MockEventWrites::new(),
            label_history: MockLabelHistoryWrites::new(),
            operator_mails: MockOperatorMailWrites::new(),
            outgoing: MockOutgoingWrites::new(),
            pods: MockPodWrites::new(),
            return_paths: MockReturnPathWrites::new(),
            idempotency_keys: MockIdempotencyKeyWrites::new(),
            sign_ins: MockSignInWrites::new(),
            suppressions: MockSuppressionWrites::new(),
            usage: MockUsageWrites::new(),
            webhooks: MockWebhookWrites::new(),
            commit_awaits: None,
            commit_fails: None,
            journal,
        }
    }
}

#[async_trait]
impl Tx for MockTx {
    fn accounts(&mut self) -> &mut dyn AccountWrites {
        &mut self.accounts
    }

    fn api_keys(&mut self) -> &mut dyn ApiKeyWrites {
        &mut self.api_keys
    }

    fn inbound(&mut self) -> &mut dyn InboundQueries {
        &mut self.inbound
    }

    fn drafts(&mut self) -> &mut dyn DraftWrites {
        &mut self.drafts
    }

    fn domains(&mut self) -> &mut dyn DomainWrites {
        &mut self.domains
    }

    fn billing(&mut self) -> &mut dyn BillingWrites {
        &mut self.billing
    }

    fn client_ids(&mut self) -> &mut dyn ClientIdWrites {
        &mut self.client_ids
    }

    fn inboxes(&mut self) -> &mut dyn InboxWrites {
        &mut self.inboxes
    }

    fn lists(&mut self) -> &mut dyn ListWrites {
        &mut self.lists
    }

    fn mail_quotas(&mut self) -> &mut dyn MailQuotaWrites {
        &mut self.mail_quotas
    }

    fn members(&mut self) -> &mut dyn MemberWrites {
        &mut self.members
    }

    fn messages(&mut self) -> &mut dyn MessageWrites {
        &mut self.messages
    }

    fn threads(&mut self) -> &mut dyn ThreadWrites {
        &mut self.threads
    }

    fn notes(&mut self) -> &mut dyn NoteWrites {
        &mut self.notes
    }

    fn events(&mut self) -> &mut dyn EventWrites {
        &mut self.events
    }

    fn label_history(&mut self) -> &mut dyn LabelHistoryWrites {
        &mut self.label_history
    }

    fn operator_mails(&mut self) -> &mut dyn OperatorMailWrites {
        &mut self.operator_mails
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingWrites {
        &mut self.outgoing
    }

    fn pods(&mut self) -> &mut dyn PodWrites {
        &mut self.pods
    }

    fn return_paths(&mut self) -> &mut dyn ReturnPathWrites {
        &mut self.return_paths
    }

    fn idempotency_keys(&mut self) -> &mut dyn IdempotencyKeyWrites {
        &mut self.idempotency_keys
    }

    fn sign_ins(&mut self) -> &mut dyn SignInWrites {
        &mut self.sign_ins
    }

    fn suppressions(&mut self) -> &mut dyn SuppressionWrites {
        &mut self.suppressions
    }

    fn usage(&mut self) -> &mut dyn UsageWrites {
        &mut self.usage
    }

    fn replays(&mut self) -> &mut dyn ReplayWrites {
        &mut self.replays
    }

    fn deliveries(&mut self) -> &mut dyn DeliveryWrites {
        &mut self.deliveries
    }

    fn webhooks(&mut self) -> &mut dyn WebhookWrites {
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
