//! Threads for long computations, apart from those that serve sockets.

use std::net::IpAddr;

use async_trait::async_trait;

use crate::model::OrganizationId;
use crate::rules::networks::ClientNetwork;

/// A computation that runs to its end without waiting for anything.
pub type BlockingWork = Box<dyn FnOnce() + Send>;

/// The owner of a computation, for which it takes its turn.
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

/// Runs long computations on threads of their own, a few at a time.
#[async_trait]
pub trait BlockingPool: Send + Sync {
    /// Runs a computation to its end, and waits first while all places of the pool are taken; owners take turns. A
    /// computation that began ends even where its caller goes away.
    async fn run(&self, owner: WorkOwner, work: BlockingWork);
}
