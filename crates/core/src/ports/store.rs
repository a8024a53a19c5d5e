//! Storage: reads and the unit of work.

use async_trait::async_trait;

use super::{read_ports, write_ports};
use crate::model::NewMail;

macro_rules! reads {
    ($($field:ident: $module:ident::{$port:ident, $mock:ident},)+) => {
        /// All reads outside a unit of work. Implemented for every type that implements all read ports.
        pub trait Reads: $(super::$port +)+ {}

        impl<T: $(super::$port +)+> Reads for T {}
    };
}
read_ports!(reads);

macro_rules! accessors {
    ($($(#[$about:meta])* $group:ident {
        $($(#[$doc:meta])* $field:ident: $module:ident::{$port:ident, $mock:ident},)+
    })+) => {
        $(
            $(#[$about])*
            pub trait $group {
                $($(#[$doc])* fn $field(&mut self) -> &mut dyn super::$port;)+
            }

            impl<T: $(super::$port +)+> $group for T {
                $(fn $field(&mut self) -> &mut dyn super::$port { self })+
            }
        )+

        /// All writes of a unit of work, grouped. Implemented for every type that implements all write ports.
        pub trait Writes: $($group +)+ {}

        impl<T: $($group +)+> Writes for T {}
    };
}
write_ports!(accessors);

/// Maximum time that each statement of a unit of work waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// 250 ms, for work that shares its connections with other tenants.
    Brief,
    /// 500 ms, for a later try of the same work, on a limited share of the connections.
    Patient,
}

/// Durable storage.
#[async_trait]
pub trait Store: Reads + Send + Sync {
    /// Begins a unit of work.
    ///
    /// # Errors
    /// When storage cannot be reached.
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError>;

    /// Begins a unit of work that fails with [`StoreError::LockTimeout`] when a lock is not granted in time. Storage
    /// without locks ignores the limit.
    ///
    /// # Errors
    ///
    /// When storage cannot be reached.
    async fn begin_within(&self, _lock_wait: LockWait) -> Result<Box<dyn Tx>, StoreError> {
        self.begin().await
    }

    /// Checks that storage is reachable and has the schema of this program.
    ///
    /// # Errors
    ///
    /// When storage is unreachable or has another schema.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// A unit of work. Dropped uncommitted, it is rolled back.
///
/// Locks are taken in one order: authorization code, organization, domain, pod, inbox, member (by id), connection,
/// API key, thread (by inbox, then id),
/// `client_id`, draft, webhook (by id), replay, delivery, send key, queued mail, mail that left, calendar events (by
/// inbox, then uid), contacts (by inbox, then address), usage (by inbox), the creations of a day, mail for the operator,
/// share of service mail (by subject).
/// Nothing waits for the network between begin and commit.
#[async_trait]
pub trait Tx: Writes + Send {
    /// Commits all writes durably. Deferred writes may be sent only now. Events receive their feed positions in the
    /// commit, unless another transaction is sequencing the feed.
    ///
    /// # Errors
    ///
    /// When the commit failed; nothing is stored then, except after [`StoreError::Undecided`].
    /// [`StoreError::Contention`] when a row to change has changed meanwhile.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Stores messages as the last write and commits, in one round trip. Stores their bodies, labels and raw content,
    /// and the resulting threads, events, queued messages and usage changes.
    ///
    /// # Errors
    ///
    /// As [`Self::commit`]; [`StoreError::Contention`] when a thread that messages join has changed, and
    /// [`Constraint::MessageId`] when an inbox already has a message with the same id.
    async fn commit_with(self: Box<Self>, mail: &NewMail) -> Result<(), StoreError>;
}

/// Uniqueness constraint of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// One account per owner address.
    OwnerEmail,
    /// One inbox per address, permanently.
    Address,
    /// One inbox per `client_id` of an organization.
    InboxClientId,
    /// One pod per `client_id` of an organization.
    PodClientId,
    /// One entry per name in a list.
    ListEntry,
    /// One member per address in an organization.
    MemberEmail,
    /// One message per id in an inbox.
    MessageId,
}

/// Storage failure. Nothing is changed, except perhaps by a commit that is [`Self::Undecided`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A uniqueness constraint is violated.
    #[error("not unique: {0:?}")]
    Duplicate(Constraint),
    /// Two units of work conflicted; a retry can succeed.
    #[error("a concurrent change conflicts; try again")]
    Contention,
    /// A lock was not granted within its [`LockWait`].
    #[error("row lock not granted in time; try again later")]
    LockTimeout,
    /// Storage is unreachable or has no free connection.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// The store of large contents is unreachable. All else works.
    #[error("a large content is unavailable: {0}")]
    ContentUnavailable(String),
    /// The object of a large content is missing or damaged, so that no retry can succeed. All else works.
    #[error("a large content is lost: {0}")]
    ContentLost(String),
    /// The response to COMMIT was lost; its writes may be stored or not.
    #[error("the result of the commit is unknown: {0}")]
    Undecided(String),
    /// Any other failure.
    #[error("storage failed: {0}")]
    Failed(String),
}
