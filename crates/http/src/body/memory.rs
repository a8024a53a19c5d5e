//! Memory budget of request bodies: shares per organization and client network, and a reserve for small bodies.

use std::net::IpAddr;

use inboxd_core::app::{BudgetReached, ByteBudget, ByteShare};
use inboxd_core::model::OrganizationId;
use inboxd_core::rules::networks::ClientNetwork;

/// Bytes free of accounting in each body: the read buffer of the connection already holds as many.
const FREE_BYTES: usize = 4 * 1024;
/// Size up to which a request body may use the reserve.
const SMALL_BODY_BYTES: usize = 64 * 1024;
/// Size up to which a response may use the reserve.
const SMALL_RESPONSE_BYTES: usize = 1024 * 1024;
/// Growth step of small bodies; `STEP_BYTES` is that of large bodies.
const SMALL_STEP_BYTES: usize = 4 * 1024;
const STEP_BYTES: usize = 256 * 1024;

/// Account that the bytes of a body are charged to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MemoryHolder {
    /// Organization of a known key.
    Organization(OrganizationId),
    /// Network of the client address.
    Network(IpAddr),
}

/// Memory budget of all bodies.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory {
    budget: ByteBudget<MemoryHolder>,
    of_organization: usize,
    of_network: usize,
    /// Size up to which a body may use the reserve.
    small: usize,
    /// Exempts local networks from the limit: all clients behind a proxy share its address.
    is_local_exempt: bool,
}

/// Memory charged to one body, released on drop.
#[derive(Debug, Default)]
pub(crate) struct MemoryShare(Option<(ByteShare<MemoryHolder>, usize)>);

impl BodyMemory {
    /// Creates a budget of `bytes`: at most a quarter per organization and half per client network, and an eighth
    /// reserved for small bodies. One body of the largest size always fits.
    pub(crate) fn new(bytes: usize, largest_body: usize) -> Self {
        let largest = steps(largest_body);
        let bytes = bytes.max(largest.saturating_mul(8) / 7 + STEP_BYTES);
        Self {
            budget: ByteBudget::new(bytes, bytes / 8),
            of_organization: (bytes / 4).max(largest),
            of_network: (bytes / 2).max(largest),
            small: SMALL_BODY_BYTES,
            is_local_exempt: false,
        }
    }

    /// Creates a budget of responses: half of it is reserved for responses of up to 1 MiB. An organization may have two
    /// of the largest, so that an unread one leaves capacity for another, unless these exceed three eighths: other
    /// organizations need capacity as well.
    pub(crate) fn of_responses(bytes: usize, largest: usize) -> Self {
        let largest = steps(largest);
        let bytes = bytes.max(largest.saturating_mul(2));
        Self {
            budget: ByteBudget::new(bytes, bytes / 2),
            of_organization: (bytes / 4).max(largest.saturating_mul(2).min(bytes / 8 * 3)).max(largest),
            small: SMALL_RESPONSE_BYTES,
            is_local_exempt: true,
            ..Self::new(bytes, largest)
        }
    }

    /// Returns the bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.budget.used()
    }

    /// Opens the share of a body, charged to its client network and to the organization of its key.
    pub(crate) fn share(&self, network: IpAddr, organization_id: Option<OrganizationId>) -> MemoryShare {
        let organization = organization_id.map(|id| (MemoryHolder::Organization(id), self.of_organization));
        let is_exempt = self.is_local_exempt && ClientNetwork::of(network).is_local();
        let network = (!is_exempt).then_some((MemoryHolder::Network(network), self.of_network));
        MemoryShare(Some((self.budget.share(organization.into_iter().chain(network).collect()), self.small)))
    }
}

impl MemoryShare {
    /// Extends the share of a body to `bytes`.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), BudgetReached> {
        let Some((share, small)) = self.0.as_mut().filter(|_| bytes > FREE_BYTES) else { return Ok(()) };
        if share.held() >= bytes {
            return Ok(());
        }
        share.grow(steps(bytes), bytes <= *small)
    }
}

fn steps(bytes: usize) -> usize {
    bytes.next_multiple_of(if bytes <= SMALL_BODY_BYTES { SMALL_STEP_BYTES } else { STEP_BYTES })
}

#[cfg(test)]
mod tests {
    use inboxd_core::testing::fixtures::id;

    use super::*;

    const MIB: usize = 1024 * 1024;

    fn network(last: u8) -> IpAddr {
        IpAddr::from([192, 0, last, 0])
    }

    #[test]
    fn organization_has_a_quarter_and_a_network_half() {
        let memory = BodyMemory::new(64 * MIB, MIB);
        let grown = |organization: u128, from: u8, bytes: usize| {
            let mut share = memory.share(network(from), Some(id(organization)));
            let grown = share.grow(bytes);
            (share, grown)
        };
        let first = grown(1, 1, 16 * MIB);
        assert_eq!(first.1, Ok(()));
        assert_eq!(grown(1, 2, 65 * 1024).1, Err(BudgetReached::Holder));
        assert_eq!(grown(1, 2, FREE_BYTES).1, Ok(()));
        let second = grown(2, 1, 16 * MIB);
        assert_eq!(second.1, Ok(()));
        assert_eq!(grown(3, 1, 65 * 1024).1, Err(BudgetReached::Holder), "the network has half");
        let others = [grown(3, 2, 16 * MIB), grown(4, 3, 8 * MIB)];
        assert!(others.iter().all(|(_, grown)| grown.is_ok()));
        assert_eq!(grown(5, 4, 65 * 1024).1, Err(BudgetReached::All));
        assert_eq!(grown(5, 4, SMALL_BODY_BYTES).1, Ok(()), "small bodies have a reserve");
        drop(first);
        assert_eq!(grown(5, 4, 65 * 1024).1, Ok(()));
    }

    #[test]
    fn organization_may_have_two_largest_responses() {
        let memory = BodyMemory::of_responses(256 * MIB, 40 * MIB);
        let mut shares = [1, 2, 3].map(|from| memory.share(network(from), Some(id(1))));
        let grown = shares.each_mut().map(|share| share.grow(40 * MIB));
        assert_eq!(grown, [Ok(()), Ok(()), Err(BudgetReached::Holder)]);
    }

    #[test]
    fn largest_responses_of_an_organization_leave_capacity_to_others() {
        let memory = BodyMemory::of_responses(192 * MIB, 40 * MIB);
        let share = |(from, organization)| memory.share(network(from), Some(id(organization)));
        let mut shares = [(1, 1), (2, 1), (3, 2)].map(share);
        let grown = shares.each_mut().map(|share| share.grow(40 * MIB));
        assert_eq!(grown, [Ok(()), Err(BudgetReached::Holder), Ok(())]);
    }

    #[test]
    fn largest_body_fits_any_configuration() {
        let memory = BodyMemory::new(0, 10 * MIB);
        assert_eq!(memory.share(network(1), Some(id(1))).grow(10 * MIB), Ok(()));
    }
}
