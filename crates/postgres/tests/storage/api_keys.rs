use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join, join_all};
use inboxd_core::model::page::PageRequest;
use inboxd_core::model::{ApiKey, Permissions, PodId, Reach};
use inboxd_core::ports::{ApiKeyQuery, ApiKeyReads, Credential, Store};
use uuid::Uuid;

use crate::support::*;

fn key(world: &World, number: u8, reach: Reach) -> ApiKey {
    ApiKey {
        organization_id: world.organization_id(),
        api_key_id: Uuid::from_u128(number.into()).into(),
        prefix: "am_123456789".to_owned(),
        name: format!("key {number}\0"),
        reach,
        member_id: None,
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: at(number.into()),
        updated_at: at(number.into()),
    }
}

fn inbox_reach(world: &World) -> Reach {
    Reach::Inbox { pod_id: world.inbox.pod_id, inbox_id: world.inbox_id().clone() }
}

async fn add(world: &World, api_key: &ApiKey, hash: [u8; 32]) {
    let mut tx = world.begin().await;
    tx.api_keys().insert(api_key, &hash).await.unwrap();
    tx.commit().await.unwrap();
}

/// Returns the key as read back: without the NUL in its name.
fn stored(api_key: &ApiKey) -> ApiKey {
    ApiKey { name: api_key.name.replace('\0', "\u{fffd}"), ..api_key.clone() }
}

#[tokio::test]
async fn key_is_found_by_hash_until_revoked() {
    let world = world().await;
    let mut api_key = key(&world, 1, inbox_reach(&world));
    api_key.permissions = Some(Permissions([("message_send".to_owned(), true), ("x".to_owned(), false)].into()));
    api_key.expires_at = Some(at(-5));
    add(&world, &api_key, [1; 32]).await;

    let found = world.store.credential(&[1; 32]).await.unwrap();
    let wanted = Credential {
        api_key: stored(&api_key),
        organization: world.organization.clone(),
        member: None,
        connection: None,
    };
    assert_eq!(found, Some(wanted));
    assert_eq!(world.store.credential(&[2; 32]).await.unwrap(), None);

    let mut tx = world.begin().await;
    assert!(tx.api_keys().revoke(world.organization_id(), api_key.api_key_id, at(9)).await.unwrap());
    assert!(!tx.api_keys().revoke(world.organization_id(), api_key.api_key_id, at(9)).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(world.store.credential(&[1; 32]).await.unwrap(), None);
    assert_eq!(world.store.api_key(world.organization_id(), api_key.api_key_id).await.unwrap(), None);
}

#[tokio::test]
async fn revoked_key_is_refused_immediately_under_concurrency() {
    let world = world().await;
    let is_over = AtomicBool::new(false);
    let ask_on = async {
        while !is_over.load(Ordering::Acquire) {
            join_all((1..=40).map(|number| world.store.credential(if number % 2 == 0 { &[1; 32] } else { &[2; 32] })))
                .await;
        }
    };
    let revoke = async {
        let other = key(&world, 200, Reach::Organization);
        add(&world, &other, [2; 32]).await;
        for number in 1..=50 {
            let api_key = key(&world, number, Reach::Organization);
            let hash = [number + 2; 32];
            add(&world, &api_key, hash).await;
            assert!(world.store.credential(&hash).await.unwrap().is_some(), "{number}: a stored key works");
            // One read occurs during the revocation; a read after it must not share its result.
            let (before, ()) = join(world.store.credential(&hash), async {
                let mut tx = world.begin().await;
                assert!(tx.api_keys().revoke(world.organization_id(), api_key.api_key_id, at(9)).await.unwrap());
                tx.commit().await.unwrap();
                let answers = join_all((0..20).map(|_| world.store.credential(&hash))).await;
                assert!(
                    answers.into_iter().all(|answer| answer.unwrap().is_none()),
                    "{number}: a revoked key is refused"
                );
            })
            .await;
            before.unwrap();
            assert_eq!(world.store.credential(&[2; 32]).await.unwrap().unwrap().api_key, stored(&other));
        }
        is_over.store(true, Ordering::Release);
    };
    join(ask_on, revoke).await;
}

#[tokio::test]
async fn foreign_organization_neither_reads_nor_revokes_key() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let api_key = key(&world, 1, Reach::Organization);
    add(&world, &api_key, [1; 32]).await;
    assert_eq!(world.store.api_key(other.organization_id, api_key.api_key_id).await.unwrap(), None);
    let mut tx = world.begin().await;
    assert!(!tx.api_keys().revoke(other.organization_id, api_key.api_key_id, at(9)).await.unwrap());
}

#[tokio::test]
async fn keys_are_listed_by_scope() {
    let world = world().await;
    let pod_id = world.inbox.pod_id;
    let keys = [Reach::Organization, Reach::Pod(pod_id), inbox_reach(&world)];
    for (number, reach) in (1..).zip(keys) {
        add(&world, &key(&world, number, reach), [number; 32]).await;
    }
    let all = ApiKeyQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        among: None,
        page: PageRequest { limit: 2, ..PageRequest::default() },
    };
    let first = world.store.list_api_keys(&all).await.unwrap();
    assert_eq!(first.items.iter().map(|key| key.created_at).collect::<Vec<_>>(), [at(3), at(2)]);
    let page = PageRequest { after: first.next, ..all.page.clone() };
    let second = world.store.list_api_keys(&ApiKeyQuery { page, ..all.clone() }).await.unwrap();
    assert_eq!(second.items, [stored(&key(&world, 1, Reach::Organization))]);
    assert_eq!(second.next, None);

    let count = async |pod_id: Option<PodId>, inbox_id| {
        let query = ApiKeyQuery { pod_id, inbox_id, ..all.clone() };
        world.store.list_api_keys(&query).await.unwrap().items.len()
    };
    assert_eq!(count(Some(pod_id), None).await, 2);
    assert_eq!(count(None, Some(world.inbox_id().clone())).await, 1);
    assert_eq!(count(Some(Uuid::from_u128(77).into()), None).await, 0);

    let other = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &other).await;
    let of_other = key(&world, 4, Reach::Inbox { pod_id, inbox_id: other.inbox_id.clone() });
    add(&world, &of_other, [4; 32]).await;
    for (among, expected) in
        [(vec![&other.inbox_id], vec![4]), (vec![&other.inbox_id, world.inbox_id()], vec![4, 3]), (vec![], vec![])]
    {
        let query = ApiKeyQuery { among: Some(among.into_iter().cloned().collect()), ..all.clone() };
        let found = world.store.list_api_keys(&query).await.unwrap().items;
        let found: Vec<u128> = found.iter().map(|key| key.api_key_id.0.as_u128()).collect();
        assert_eq!(found, expected, "keys of the pod and of the organization are omitted");
    }
}

#[tokio::test]
async fn locked_key_is_revoked_and_changed_afterwards() {
    let world = world().await;
    let api_key = key(&world, 1, Reach::Organization);
    add(&world, &api_key, [1; 32]).await;
    let (organization_id, api_key_id) = (world.organization_id(), api_key.api_key_id);
    for is_revoked in [false, true] {
        let mut holding = world.begin().await;
        assert_eq!(holding.api_keys().hold(organization_id, api_key_id).await.unwrap(), Some(stored(&api_key)));
        let mut beside = world.begin().await;
        assert!(beside.api_keys().hold(organization_id, api_key_id).await.unwrap().is_some(), "many share the lock");
        beside.commit().await.unwrap();
        let store = world.store.clone();
        let change = tokio::spawn(async move {
            let mut tx = store.begin().await.unwrap();
            if is_revoked {
                assert!(tx.api_keys().revoke(organization_id, api_key_id, at(9)).await.unwrap());
            } else {
                assert!(tx.api_keys().lock(organization_id, api_key_id).await.unwrap().is_some());
            }
            tx.commit().await.unwrap();
        });
        world.until_one_waits().await;
        holding.commit().await.unwrap();
        change.await.unwrap();
    }
    let mut late = world.begin().await;
    assert_eq!(late.api_keys().hold(organization_id, api_key_id).await.unwrap(), None);
    assert_eq!(late.api_keys().lock(organization_id, api_key_id).await.unwrap(), None);
    let foreign = organization(2, "other@example.org").organization_id;
    let other = key(&world, 2, Reach::Organization);
    add(&world, &other, [2; 32]).await;
    assert_eq!(late.api_keys().hold(foreign, other.api_key_id).await.unwrap(), None);
    assert_eq!(late.api_keys().lock(foreign, other.api_key_id).await.unwrap(), None);
}

#[tokio::test]
async fn keys_of_inbox_are_revoked_together() {
    let world = world().await;
    add(&world, &key(&world, 1, inbox_reach(&world)), [1; 32]).await;
    add(&world, &key(&world, 2, inbox_reach(&world)), [2; 32]).await;
    add(&world, &key(&world, 3, Reach::Pod(world.inbox.pod_id)), [3; 32]).await;
    let mut tx = world.begin().await;
    let mut revoked = tx.api_keys().revoke_of_inbox(world.organization_id(), world.inbox_id(), at(9)).await.unwrap();
    revoked.sort();
    assert_eq!(revoked, [1, 2].map(|number| key(&world, number, Reach::Organization).api_key_id));
    assert_eq!(tx.api_keys().revoke_of_inbox(world.organization_id(), world.inbox_id(), at(9)).await.unwrap(), []);
    tx.commit().await.unwrap();
    assert_eq!(world.store.credential(&[1; 32]).await.unwrap(), None);
    assert_eq!(world.store.credential(&[2; 32]).await.unwrap(), None);
    assert!(world.store.credential(&[3; 32]).await.unwrap().is_some());
}

#[tokio::test]
async fn latest_use_of_key_is_stored() {
    let world = world().await;
    let api_key = key(&world, 1, Reach::Organization);
    add(&world, &api_key, [1; 32]).await;
    for used_at in [at(10), at(30), at(20)] {
        world.store.touch_api_key(world.organization_id(), api_key.api_key_id, used_at).await.unwrap();
    }
    let found = world.store.api_key(world.organization_id(), api_key.api_key_id).await.unwrap().unwrap();
    assert_eq!(found.used_at, Some(at(30)));
}
