//! The unit of work that a test prepares.

mod events;
mod mail;
mod organizations;
mod outgoing;

use async_trait::async_trait;
use futures_channel::oneshot::Receiver;

pub use self::events::{MockDeliveries, MockEvents, MockReplays, MockWebhooks};
pub use self::mail::{MockArrivals, MockDrafts, MockInboxes, MockLabelHistory, MockMessages, MockNotes, MockThreads};
pub use self::organizations::{
    MockAccounts, MockApiKeys, MockBilling, MockClientIds, MockDomains, MockLists, MockMailQuotas, MockMembers,
    MockPods, MockSignIns, MockUsage,
};
pub use self::outgoing::{MockOperatorMails, MockOutgoingQueue, MockReturnPaths, MockSendKeys, MockSuppressions};
use super::{Happened, Journal};
use crate::model::NewMail;
use crate::ports::{
    Accounts, ApiKeys, Arrivals, Billing, ClientIds, Deliveries, Domains, Drafts, Events, Inboxes, LabelHistory, Lists,
    MailQuotas, Members, Messages, Notes, OperatorMails, OutgoingQueue, Pods, Replays, ReturnPaths, SendKeys, SignIns,
    StoreError, Suppressions, Threads, Tx, Usage, Webhooks,
};

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
    /// Shares of service mail.
    pub mail_quotas: MockMailQuotas,
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
    /// Mail for the operator.
    pub operator_mails: MockOperatorMails,
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
            mail_quotas: MockMailQuotas::new(),
            members: MockMembers::new(),
            messages: MockMessages::new(),
            threads: MockThreads::new(),
            notes: MockNotes::new(),
            events: MockEvents::new(),
            label_history: MockLabelHistory::new(),
            operator_mails: MockOperatorMails::new(),
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

    fn mail_quotas(&mut self) -> &mut dyn MailQuotas {
        &mut self.mail_quotas
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

    fn operator_mails(&mut self) -> &mut dyn OperatorMails {
        &mut self.operator_mails
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
