//! The budget of webhook bodies in memory, shared among organizations.

use std::time::Duration;

use inboxd_core::app::{ByteBudget, ByteShare};
use inboxd_core::model::OrganizationId;
use tokio::time::sleep;

/// Bytes of bodies that wait for their turn or are being sent.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// Of these, bytes for small bodies alone.
const SMALL_RESERVE_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of one organization.
const MAX_ORGANIZATION_BYTES: usize = 8 * 1024 * 1024;
/// The largest body that is small.
const MAX_SMALL_BYTES: usize = 32 * 1024;
/// The time between two attempts to reserve bytes.
const RESERVE_INTERVAL: Duration = Duration::from_millis(250);

/// The bytes of all bodies in memory.
pub(super) struct BodyBudget(ByteBudget<OrganizationId>);

/// The bytes of one body. Dropping them frees them.
pub(super) type BodyBytes = ByteShare<OrganizationId>;

impl Default for BodyBudget {
    fn default() -> Self {
        Self(ByteBudget::new(MAX_BODY_BYTES, SMALL_RESERVE_BYTES))
    }
}

impl BodyBudget {
    /// Reserves the bytes of a body; `None` where its organization, or all together, have too many.
    pub(super) fn reserve(&self, organization_id: OrganizationId, bytes: usize) -> Option<BodyBytes> {
        let mut share = self.0.share(vec![(organization_id, MAX_ORGANIZATION_BYTES)]);
        share.grow(bytes, bytes <= MAX_SMALL_BYTES).ok()?;
        Some(share)
    }

    /// Waits until the bytes of a body are reserved.
    pub(super) async fn wait(&self, organization_id: OrganizationId, bytes: usize) -> BodyBytes {
        loop {
            match self.reserve(organization_id, bytes) {
                Some(share) => return share,
                None => sleep(RESERVE_INTERVAL).await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::from_fn;

    use futures_util::FutureExt;
    use inboxd_core::testing::fixtures::id;

    use super::*;

    const LARGE: usize = 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn organization_with_large_bodies_waits_without_stopping_others() {
        let budget = BodyBudget::default();
        let mut held: Vec<_> = from_fn(|| budget.reserve(id(1), LARGE)).collect();
        assert_eq!(held.len(), 8);
        assert!(budget.reserve(id(1), 1).is_none(), "its share is used up");
        assert!(budget.reserve(id(2), LARGE).is_some());
        let mut waiting = Box::pin(budget.wait(id(1), LARGE));
        assert!((&mut waiting).now_or_never().is_none());
        held.pop();
        assert_eq!(waiting.await.held(), LARGE);
    }

    #[test]
    fn large_bodies_of_many_organizations_leave_a_reserve_to_small_ones() {
        let budget = BodyBudget::default();
        let held: Vec<_> = (1..=100)
            .flat_map(|organization| from_fn(move || Some(organization)).take(8))
            .filter_map(|organization| budget.reserve(id(organization), LARGE))
            .collect();
        assert_eq!(held.len(), 48);
        let small: Vec<_> =
            (200..300).filter_map(|organization| budget.reserve(id(organization), MAX_SMALL_BYTES)).collect();
        assert_eq!(small.len(), 100);
    }
}
