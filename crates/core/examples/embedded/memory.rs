//! What is stored, and the unit of work over it: a copy that takes the place of the original when it is committed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use inboxd_core::model::{Event, Inbox, NewMail, NewMessage, Thread, ThreadId};
use inboxd_core::ports::{
    AccountWrites, ApiKeyWrites, BillingWrites, ClientIdWrites, DeliveryWrites, DomainWrites, DraftWrites, EventWrites,
    IdempotencyKeyWrites, InboundQueries, InboxWrites, LabelHistoryWrites, ListWrites, MailQuotaWrites, MemberWrites,
    MessageWrites, NoteWrites, OperatorMailWrites, OutgoingWrites, PodWrites, ReplayWrites, ReturnPathWrites,
    SearchIndex, SignInWrites, Store, StoreError, SuppressionWrites, ThreadWrites, Tx, UsageWrites, WebhookWrites,
};

/// Everything there is.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) inboxes: Vec<Inbox>,
    pub(crate) messages: Vec<NewMessage>,
    pub(crate) threads: BTreeMap<ThreadId, Thread>,
    pub(crate) events: Vec<Event>,
}

/// The store. Units of work do not run side by side here, so that a copy is all the isolation they need.
pub(crate) struct Memory(Arc<Mutex<State>>);

impl Memory {
    /// A store with one inbox.
    pub(crate) fn with(inbox: Inbox) -> Self {
        Self(Arc::new(Mutex::new(State { inboxes: vec![inbox], ..State::default() })))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for Memory {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(Unit { state: self.state().clone(), store: Arc::clone(&self.0) }))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl SearchIndex for Memory {}

/// A unit of work. Dropped uncommitted, its copy is forgotten.
pub(crate) struct Unit {
    pub(crate) state: State,
    store: Arc<Mutex<State>>,
}

#[async_trait]
impl Tx for Unit {
    fn accounts(&mut self) -> &mut dyn AccountWrites {
        self
    }

    fn api_keys(&mut self) -> &mut dyn ApiKeyWrites {
        self
    }

    fn inbound(&mut self) -> &mut dyn InboundQueries {
        self
    }

    fn drafts(&mut self) -> &mut dyn DraftWrites {
        self
    }

    fn client_ids(&mut self) -> &mut dyn ClientIdWrites {
        self
    }

    fn domains(&mut self) -> &mut dyn DomainWrites {
        self
    }

    fn billing(&mut self) -> &mut dyn BillingWrites {
        self
    }

    fn inboxes(&mut self) -> &mut dyn InboxWrites {
        self
    }

    fn lists(&mut self) -> &mut dyn ListWrites {
        self
    }

    fn mail_quotas(&mut self) -> &mut dyn MailQuotaWrites {
        self
    }

    fn members(&mut self) -> &mut dyn MemberWrites {
        self
    }

    fn messages(&mut self) -> &mut dyn MessageWrites {
        self
    }

    fn threads(&mut self) -> &mut dyn ThreadWrites {
        self
    }

    fn notes(&mut self) -> &mut dyn NoteWrites {
        self
    }

    fn events(&mut self) -> &mut dyn EventWrites {
        self
    }

    fn label_history(&mut self) -> &mut dyn LabelHistoryWrites {
        self
    }

    fn operator_mails(&mut self) -> &mut dyn OperatorMailWrites {
        self
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingWrites {
        self
    }

    fn pods(&mut self) -> &mut dyn PodWrites {
        self
    }

    fn return_paths(&mut self) -> &mut dyn ReturnPathWrites {
        self
    }

    fn idempotency_keys(&mut self) -> &mut dyn IdempotencyKeyWrites {
        self
    }

    fn sign_ins(&mut self) -> &mut dyn SignInWrites {
        self
    }

    fn suppressions(&mut self) -> &mut dyn SuppressionWrites {
        self
    }

    fn usage(&mut self) -> &mut dyn UsageWrites {
        self
    }

    fn replays(&mut self) -> &mut dyn ReplayWrites {
        self
    }

    fn deliveries(&mut self) -> &mut dyn DeliveryWrites {
        self
    }

    fn webhooks(&mut self) -> &mut dyn WebhookWrites {
        self
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = self.state;
        Ok(())
    }

    async fn commit_with(mut self: Box<Self>, mail: &NewMail) -> Result<(), StoreError> {
        self.add(mail)?;
        self.commit().await
    }
}

/// Implements a port by the methods in its braces; those behind them answer that they are not part of this example.
macro_rules! port {
    (reads $port:ident { $($here:tt)* } $(fn $name:ident($($arg:ty),*) -> $answer:ty;)*) => {
        #[async_trait::async_trait]
        impl $port for crate::memory::Memory {
            $($here)*
            $(async fn $name(&self, $(_: $arg),*) -> Result<$answer, StoreError> {
                Err(crate::memory::missing(stringify!($name)))
            })*
        }
    };
    (writes $port:ident { $($here:tt)* } $(fn $name:ident($($arg:ty),*) -> $answer:ty;)*) => {
        #[async_trait::async_trait]
        impl $port for crate::memory::Unit {
            $($here)*
            $(async fn $name(&mut self, $(_: $arg),*) -> Result<$answer, StoreError> {
                Err(crate::memory::missing(stringify!($name)))
            })*
        }
    };
}
pub(crate) use port;

pub(crate) fn missing(name: &str) -> StoreError {
    StoreError::Failed(format!("{name} is not part of this example"))
}
