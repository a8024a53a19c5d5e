//! A budget of bytes with a share per client network and a reserve for small messages.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest message that may use the reserve.
pub(super) const MAX_SMALL_BYTES: usize = 1024 * 1024;

/// Bytes that all messages on their way share.
#[derive(Debug, Clone)]
pub(super) struct ByteBudget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    share: usize,
    used: Mutex<UsedBytes>,
}

#[derive(Debug, Default)]
struct UsedBytes {
    total: usize,
    by_network: HashMap<IpAddr, usize>,
}

impl ByteBudget {
    /// A budget in which a network has a quarter, and `min_share` always.
    pub(super) fn new(total: usize, min_share: usize) -> Self {
        let total = total.max(min_share.saturating_mul(2));
        Self(Arc::new(Inner { total, share: (total / 4).max(min_share), used: Mutex::default() }))
    }

    /// A lease of nothing yet.
    pub(super) fn lease(&self, network: IpAddr) -> ByteLease {
        ByteLease { budget: self.clone(), network, bytes: 0 }
    }

    /// Whether more than half of the budget is used.
    pub(super) fn is_scarce(&self) -> bool {
        self.used().total > self.0.total / 2
    }

    fn used(&self) -> MutexGuard<'_, UsedBytes> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of one message. Dropped, they are free again.
#[derive(Debug)]
pub(super) struct ByteLease {
    budget: ByteBudget,
    network: IpAddr,
    bytes: usize,
}

impl ByteLease {
    /// Extends the lease to so many bytes. Returns whether there was room.
    pub(super) fn extend_to(&mut self, bytes: usize) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return true };
        let Inner { total, share, .. } = *self.budget.0;
        let within = if bytes <= MAX_SMALL_BYTES { total } else { total - total / 8 };
        let mut used = self.budget.used();
        let of_network = used.by_network.get(&self.network).copied().unwrap_or(0) + more;
        if of_network > share || used.total + more > within {
            return false;
        }
        used.total += more;
        used.by_network.insert(self.network, of_network);
        drop(used);
        self.bytes = bytes;
        true
    }

    /// Gives all bytes back.
    pub(super) fn release(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut used = self.budget.used();
        used.total -= self.bytes;
        if let Some(of_network) = used.by_network.get_mut(&self.network) {
            *of_network -= self.bytes;
            if *of_network == 0 {
                used.by_network.remove(&self.network);
            }
        }
        self.bytes = 0;
    }
}

impl Drop for ByteLease {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn network(number: u8) -> IpAddr {
        [192, 0, number, 0].into()
    }

    #[test]
    fn network_beyond_its_share_leaves_budget_to_others() {
        let budget = ByteBudget::new(16 * MIB, MIB);
        let mut leases: Vec<_> = (0..5).map(|_| budget.lease(network(1))).collect();
        let granted: Vec<_> = leases.iter_mut().map(|lease| lease.extend_to(MIB)).collect();
        assert_eq!(granted, [true, true, true, true, false]);
        assert!(budget.lease(network(2)).extend_to(MIB));
        leases[0].release();
        assert!(leases[4].extend_to(MIB), "the share is free again");
    }

    #[test]
    fn reserve_is_limited_to_small_messages() {
        let budget = ByteBudget::new(16 * MIB, MIB);
        let mut large: Vec<_> = (1..=4).map(|number| budget.lease(network(number))).collect();
        let granted: Vec<_> = large.iter_mut().map(|lease| lease.extend_to(4 * MIB)).collect();
        assert_eq!(granted, [true, true, true, false], "the last two MiB are no room for the fourth");
        assert!(budget.is_scarce());
        let mut fitting = budget.lease(network(5));
        assert!(fitting.extend_to(2 * MIB), "up to the reserve");
        assert!(!budget.lease(network(6)).extend_to(MIB + 1));
        assert!(budget.lease(network(6)).extend_to(MIB));
    }
}
