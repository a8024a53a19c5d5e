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

/// Tells every process on the database, this one included. Who tells of a feed does not hear it.
#[async_trait]
pub trait Signals: Send + Sync {
    /// Sends signals, outside any unit of work: a notification in one would make all commits queue up.
    async fn send_signals(&self, signals: &[Signal]) -> Result<(), StoreError>;
}
