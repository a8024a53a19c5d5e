//! Byte budget with a share for each client network and a reserve for small messages.

use std::net::IpAddr;

use inboxd_core::app::{ByteBudget, ByteShare};

/// Size of the largest message that may use the reserve.
pub(super) const MAX_SMALL_BYTES: usize = 1024 * 1024;

/// Bytes of all messages in progress.
#[derive(Debug, Clone)]
pub(super) struct NetworkBudget {
    budget: ByteBudget<IpAddr>,
    max_network_bytes: usize,
}

/// Bytes of one message, released on drop.
#[derive(Debug)]
pub(super) struct MessageShare(ByteShare<IpAddr>);

impl NetworkBudget {
    /// Creates a budget in which a network has a quarter, and `min_share` always. Small messages alone use the last eighth.
    pub(super) fn new(total: usize, min_share: usize) -> Self {
        let total = total.max(min_share.saturating_mul(2));
        Self { budget: ByteBudget::new(total, total / 8), max_network_bytes: (total / 4).max(min_share) }
    }

    /// Returns the empty share of a message from a network.
    pub(super) fn share(&self, network: IpAddr) -> MessageShare {
        MessageShare(self.budget.share(vec![(network, self.max_network_bytes)]))
    }

    /// Returns the bytes in use.
    pub(super) fn used(&self) -> usize {
        self.budget.used()
    }

    /// Returns whether more than half of the budget is used.
    pub(super) fn is_scarce(&self) -> bool {
        self.budget.is_scarce()
    }
}

impl MessageShare {
    /// Extends the share to so many bytes. Returns whether the budget permits it.
    pub(super) fn grow_to(&mut self, bytes: usize) -> bool {
        self.0.grow(bytes, bytes <= MAX_SMALL_BYTES).is_ok()
    }

    /// Releases all bytes.
    pub(super) fn release(&mut self) {
        self.0.release();
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
        let budget = NetworkBudget::new(16 * MIB, MIB);
        let mut shares: Vec<_> = (0..5).map(|_| budget.share(network(1))).collect();
        let granted: Vec<_> = shares.iter_mut().map(|share| share.grow_to(MIB)).collect();
        assert_eq!(granted, [true, true, true, true, false]);
        assert!(budget.share(network(2)).grow_to(MIB));
        shares[0].release();
        assert!(shares[4].grow_to(MIB), "the share is free again");
    }

    #[test]
    fn reserve_is_limited_to_small_messages() {
        let budget = NetworkBudget::new(16 * MIB, MIB);
        let mut large: Vec<_> = (1..=4).map(|number| budget.share(network(number))).collect();
        let granted: Vec<_> = large.iter_mut().map(|share| share.grow_to(4 * MIB)).collect();
        assert_eq!(granted, [true, true, true, false], "the last two MiB are no room for the fourth");
        assert!(budget.is_scarce());
        let mut fitting = budget.share(network(5));
        assert!(fitting.grow_to(2 * MIB), "up to the reserve");
        assert!(!budget.share(network(6)).grow_to(MIB + 1));
        assert!(budget.share(network(6)).grow_to(MIB));
    }
}
