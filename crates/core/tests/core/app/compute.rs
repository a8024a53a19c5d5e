//! Computations by size.

use inboxd_core::app::MAX_INLINE_BYTES;
use inboxd_core::ports::WorkOwner;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::id;

#[tokio::test]
async fn computation_by_size_uses_the_pool_above_the_limit_only() {
    let world = World::default();
    let blocking = world.blocking.clone();
    let app = world.app();
    let owner = WorkOwner::Organization(id(1));
    assert_eq!(app.compute(owner, MAX_INLINE_BYTES, || 1).await.unwrap(), 1);
    assert_eq!(blocking.runs(), 0);
    assert_eq!(app.compute(owner, MAX_INLINE_BYTES + 1, || 2).await.unwrap(), 2);
    assert_eq!(blocking.runs(), 1);
}
