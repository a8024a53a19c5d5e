//! Hints between the processes that share a database.

use async_trait::async_trait;

use super::StoreError;
use crate::model::OrganizationId;

/// Something that other processes may wait for. It says where to look and nothing of what is there: losing it costs a
/// poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// The feed of an organization has grown.
    Feed(OrganizationId),
    /// What somebody in an organization reaches or may do has changed.
    Access(OrganizationId),
    /// Signals may have been lost: anything may have changed.
    Lost,
}

/// Signals between the processes on one database.
#[async_trait]
pub trait Signals: Send + Sync {
    /// Sends signals outside any unit of work: a notification within one would queue all commits. A process does not receive
    /// its own feed signals.
    async fn send_signals(&self, signals: &[Signal]) -> Result<(), StoreError>;

    /// Checks whether other processes listen. While none does, nothing is sent.
    async fn look_for_others(&self) -> Result<(), StoreError>;

    /// Returns whether other processes may listen, as of the last check.
    fn has_others(&self) -> bool;

    /// Passes received signals on until the connection is lost. [`Signal::Lost`] comes first, because earlier signals were not
    /// received.
    ///
    /// # Errors
    /// Always: the reason why it no longer listens.
    async fn listen(&self, on_signal: &(dyn Fn(Signal) + Send + Sync)) -> Result<(), StoreError>;
}
