//! Thread pool for long computations.

use std::net::IpAddr;

use async_trait::async_trait;

use crate::model::OrganizationId;
use crate::rules::networks::ClientNetwork;

/// A computation that never waits.
pub type BlockingWork = Box<dyn FnOnce() + Send>;

/// Owner of a computation, for fair scheduling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkOwner {
    /// An organization, for requests with a key.
    Organization(OrganizationId),
    /// A client network, for everything else.
    Network(IpAddr),
}

impl WorkOwner {
    /// Returns the network of a client address.
    #[must_use]
    pub fn of_client(address: IpAddr) -> Self {
        Self::Network(ClientNetwork::of(address).network)
    }
}

/// Runs long computations on separate threads, a few at a time.
#[async_trait]
pub trait BlockingPool: Send + Sync {
    /// Runs a computation. Waits while the pool is full; owners take turns. A started computation finishes even if its
    /// caller is cancelled.
    async fn run(&self, owner: WorkOwner, work: BlockingWork);
}
