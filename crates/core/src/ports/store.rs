//! Storage: reads, and the unit of work that writes.

use async_trait::async_trait;

use super::{read_ports, write_ports};
use crate::model::NewMail;

macro_rules! reads {
    ($($field:ident: $module:ident::{$port:ident, $mock:ident},)+) => {
        /// All reads outside a unit of work. A type that implements every port of them implements this.
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

        /// All writes of a unit of work, grouped. A type that implements every write port implements this.
        pub trait Writes: $($group +)+ {}

        impl<T: $($group +)+> Writes for T {}
    };
}
write_ports!(accessors);

/// Time that each statement of a unit of work waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// 250 ms, for work that shares its connections with other tenants.
    Brief,
    /// 500 ms, for a later try of the same work, within a share of the connections.
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

    /// Begins a unit of work that gives up with [`StoreError::LockTimeout`] where a lock is not granted in time. Storage
    /// without locks begins as ever.
    ///
    /// # Errors
    /// When storage cannot be reached.
    async fn begin_within(&self, _lock_wait: LockWait) -> Result<Box<dyn Tx>, StoreError> {
        self.begin().await
    }

    /// Answers when storage can be reached and its schema is the one this program was built for.
    ///
    /// # Errors
    /// When it is not.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// A unit of work. Dropped uncommitted, it is rolled back.
///
/// Locks are taken in one order: organization, domain, pod, inbox, member (by id), API key, thread (by inbox, then id),
/// `client_id`, draft, webhook (by id), replay, delivery, send key, queued mail, mail that left, usage (by inbox), the
/// creations of a day, mail for the operator, share of service mail (by subject).
/// Nothing waits for the network between begin and commit.
#[async_trait]
pub trait Tx: Writes + Send {
    /// Makes all of it happen, durably. What was asked for last may be written only now. Its events have their places in the
    /// feed with it, unless others are getting theirs.
    ///
    /// # Errors
    /// When it could not; then nothing happened, but for [`StoreError::Undecided`]. [`StoreError::Contention`] where what was
    /// to be changed is not as it was.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;

    /// Stores mail as the last of the unit of work, and makes all of it happen, in one go: messages with their bodies, labels
    /// and raw mail, and the threads, events, queued mail and changes of usage that they make.
    ///
    /// # Errors
    /// As [`Self::commit`]; [`StoreError::Contention`] where a thread that messages join is not as it was, and
    /// [`Constraint::MessageId`] where an inbox has a message of the same id.
    async fn commit_with(self: Box<Self>, mail: &NewMail) -> Result<(), StoreError>;
}

/// A rule of uniqueness that storage keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// One account an owner address.
    OwnerEmail,
    /// One inbox an address, for ever.
    Address,
    /// One inbox a `client_id` within an organization.
    InboxClientId,
    /// One pod a `client_id` within an organization.
    PodClientId,
    /// One entry of a name in a list.
    ListEntry,
    /// One member an address within an organization.
    MemberEmail,
    /// One message an id within an inbox.
    MessageId,
}

/// Why storage did not do what was asked. Nothing was changed, but perhaps by a commit that is [`Self::Undecided`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A rule of uniqueness stands against it.
    #[error("not unique: {0:?}")]
    Duplicate(Constraint),
    /// Two units of work stood in each other's way; the same again will do.
    #[error("another change came between; try again")]
    Contention,
    /// A lock was not granted within its [`LockWait`].
    #[error("row lock not granted in time; try again later")]
    LockTimeout,
    /// It cannot be reached, or has no connection free.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// The answer to a commit was lost: what it was to store may be stored, or not.
    #[error("storage did not say whether it is done: {0}")]
    Undecided(String),
    /// Anything else.
    #[error("storage failed: {0}")]
    Failed(String),
}
