//! Memory for storing spooled messages, with a share for each client network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::budget::MAX_SMALL_BYTES;

/// Memory for large messages, and a reserve for small ones.
#[derive(Debug)]
pub(super) struct StoringMemory {
    small: SharedMemory,
    large: SharedMemory,
}

/// Memory permit of one message.
#[derive(Debug)]
pub(super) struct StoringPermit {
    _of_network: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl StoringMemory {
    /// Returns memory of so many bytes, but at least for the largest message.
    pub(super) fn new(bytes: usize, max_message_bytes: usize) -> Self {
        Self {
            small: SharedMemory::new(bytes / 2, MAX_SMALL_BYTES),
            large: SharedMemory::new(bytes, max_message_bytes),
        }
    }

    /// Waits for memory: first behind messages of the same network, then behind those of others.
    pub(super) async fn acquire(&self, network: IpAddr, bytes: usize) -> Result<StoringPermit, AcquireError> {
        let memory = if bytes <= MAX_SMALL_BYTES { &self.small } else { &self.large };
        memory.acquire(network, bytes).await
    }
}

#[derive(Debug)]
struct SharedMemory {
    all: Arc<Semaphore>,
    share_kib: usize,
    by_network: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl SharedMemory {
    fn new(bytes: usize, max_message_bytes: usize) -> Self {
        let kib = |bytes: usize| bytes.div_ceil(1024).min(Semaphore::MAX_PERMITS);
        let largest = kib(max_message_bytes);
        let all = kib(bytes).max(largest);
        Self { all: Arc::new(Semaphore::new(all)), share_kib: (all / 2).max(largest), by_network: Mutex::default() }
    }

    async fn acquire(&self, network: IpAddr, bytes: usize) -> Result<StoringPermit, AcquireError> {
        let kib = u32::try_from(bytes.div_ceil(1024).min(self.share_kib)).unwrap_or(u32::MAX);
        let of_network = self.share_of(network).acquire_many_owned(kib).await?;
        let of_all = Arc::clone(&self.all).acquire_many_owned(kib).await?;
        Ok(StoringPermit { _of_network: of_network, _of_all: of_all })
    }

    fn share_of(&self, network: IpAddr) -> Arc<Semaphore> {
        let mut by_network = self.by_network.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = by_network.get(&network).and_then(Weak::upgrade) {
            return share;
        }
        by_network.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.share_kib));
        by_network.insert(network, Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MIB: usize = 1024 * 1024;

    #[tokio::test]
    async fn network_with_its_share_waits_and_others_do_not() {
        let memory = StoringMemory::new(64 * MIB, 16 * MIB);
        let network = |number: u8| IpAddr::from([192, 0, number, 0]);
        let acquire = |number, bytes| memory.acquire(network(number), bytes).now_or_never().map(Result::unwrap);
        let first = acquire(1, 31 * MIB);
        assert!(first.is_some());
        let mut second = Box::pin(memory.acquire(network(1), 2 * MIB));
        assert!((&mut second).now_or_never().is_none());
        assert!(acquire(2, 16 * MIB).is_some());
        assert!(acquire(1, MIB).is_some(), "small messages have memory of their own");
        drop(first);
        assert!(second.now_or_never().is_some());
    }
}
