//! Changes that units of work of this process have committed.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::{Sequenced, Signal};

/// Committed changes that readers and other processes wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CommittedChanges {
    /// Signals of the changes. Here [`Signal::Feed`] means that the organization has events without a position.
    pub signals: BTreeSet<Signal>,
    /// Events that got their positions with the commit.
    pub placed: Vec<Sequenced>,
}

/// The committed changes of this process. Each change is returned once.
#[async_trait]
pub trait CommitWatch: Send + Sync {
    /// Waits for changes and returns all that are known.
    async fn committed(&self) -> CommittedChanges;

    /// Returns the changes that are known now.
    fn committed_now(&self) -> CommittedChanges;
}
