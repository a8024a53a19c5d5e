//! Signals between processes on one database.

use async_trait::async_trait;

use super::StoreError;
use crate::model::OrganizationId;

/// A hint for other processes without the changed data. A lost signal costs a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// The feed of an organization has new events.
    Feed(OrganizationId),
    /// The access rights of a caller in an organization have changed.
    Access(OrganizationId),
    /// Signals may have been lost; any data may have changed.
    Lost,
}

/// Signals between the processes on one database.
#[async_trait]
pub trait Signals: Send + Sync {
    /// Sends signals outside any unit of work, because NOTIFY in a transaction serializes all commits. A process does
    /// not receive its own feed signals.
    async fn send_signals(&self, signals: &[Signal]) -> Result<(), StoreError>;

    /// Checks for other listening processes. Without any, no signal is sent.
    async fn look_for_others(&self) -> Result<(), StoreError>;

    /// Returns whether other processes may be listening, as of the last check.
    fn has_others(&self) -> bool;

    /// Passes on received signals until the connection is lost. The first one is [`Signal::Lost`], because earlier
    /// signals were missed.
    ///
    /// # Errors
    ///
    /// Always: the reason for the end.
    async fn listen(&self, on_signal: &(dyn Fn(Signal) + Send + Sync)) -> Result<(), StoreError>;
}
