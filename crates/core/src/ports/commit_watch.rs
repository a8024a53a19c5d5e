//! Changes committed by this process.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::{Sequenced, Signal};

/// Committed changes for readers and other processes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CommittedChanges {
    /// Signals of the changes. Here [`Signal::Feed`] means unsequenced events.
    pub signals: BTreeSet<Signal>,
    /// Events sequenced by their commit.
    pub placed: Vec<Sequenced>,
}

/// Committed changes of this process. Each change is returned once.
#[async_trait]
pub trait CommitWatch: Send + Sync {
    /// Waits for changes and returns all of them.
    async fn committed(&self) -> CommittedChanges;

    /// Returns the current changes without waiting.
    fn committed_now(&self) -> CommittedChanges;
}
