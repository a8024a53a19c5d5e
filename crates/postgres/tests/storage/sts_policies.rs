use inboxd_core::model::{StsMode, StsPolicy};
use inboxd_core::ports::StsPolicyStore;
use time::{Duration, OffsetDateTime};

use crate::support::*;

/// No bound.
const ALL: u64 = u64::MAX;

fn policy(fetched_at: OffsetDateTime, hosts: usize) -> StsPolicy {
    StsPolicy {
        id: "20261123".to_owned(),
        mode: StsMode::Enforce,
        hosts: vec!["*.mail.example".to_owned(); hosts],
        fetched_at,
        max_age: Duration::days(30),
    }
}

async fn domains(world: &World) -> Vec<String> {
    world.database.session().await.texts("SELECT domain AS text FROM sts_policies ORDER BY domain").await
}

#[tokio::test]
async fn policy_is_loaded_as_saved_and_replaced() {
    let world = world().await;
    let load = async || world.store.load_sts_policy("out.example", at(5)).await.unwrap();
    assert_eq!(load().await, None);
    let withdrawn = StsPolicy { mode: StsMode::None, hosts: Vec::new(), ..policy(at(1), 0) };
    for policy in [policy(at(0), 2), StsPolicy { mode: StsMode::Testing, ..policy(at(2), 1) }, withdrawn] {
        world.store.save_sts_policy("out.example", &policy).await.unwrap();
        assert_eq!(load().await, Some(policy));
    }
}

#[tokio::test]
async fn expired_policies_are_evicted() {
    let world = world().await;
    world.store.save_sts_policy("old.example", &policy(at(0), 1)).await.unwrap();
    world.store.save_sts_policy("new.example", &policy(at(0) + Duration::days(1), 1)).await.unwrap();
    let expiry = at(0) + Duration::days(30);
    assert_eq!(world.store.evict_sts_policies(expiry - Duration::MILLISECOND, ALL).await.unwrap(), 0);
    assert_eq!(world.store.evict_sts_policies(expiry, ALL).await.unwrap(), 1);
    assert_eq!(domains(&world).await, ["new.example"]);
}

#[tokio::test]
async fn least_recently_used_and_then_large_policies_are_evicted() {
    let world = world().await;
    for (domain, days, hosts) in [("used", 0, 1), ("unused", 0, 1), ("large", 3, 90), ("small", 3, 1)] {
        let policy = policy(at(0) + Duration::days(days), hosts);
        world.store.save_sts_policy(domain, &policy).await.unwrap();
    }
    let now = at(0) + Duration::days(3);
    assert!(world.store.load_sts_policy("used", now).await.unwrap().is_some());
    assert_eq!(world.store.evict_sts_policies(now, 4000).await.unwrap(), 0);
    // A small policy counts for less than 200 bytes, the large one for 1,400.
    assert_eq!(world.store.evict_sts_policies(now, 1800).await.unwrap(), 1);
    assert_eq!(domains(&world).await, ["large", "small", "used"]);
    assert_eq!(world.store.evict_sts_policies(now, 400).await.unwrap(), 1);
    assert_eq!(domains(&world).await, ["small", "used"]);
    assert_eq!(world.store.evict_sts_policies(now, 0).await.unwrap(), 2);
}
