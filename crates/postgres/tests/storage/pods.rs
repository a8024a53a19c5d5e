use std::collections::BTreeSet;

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{ApiKey, Inbox, Pod, QuarantineMode, Reach};
use inboxd_core::ports::{AccountReads, ApiKeyReads, Constraint, PodQuery, PodReads, StoreError};
use uuid::Uuid;

use crate::support::*;

fn pod(world: &World, number: u128, millis: i64) -> Pod {
    Pod {
        organization_id: world.organization_id(),
        pod_id: Uuid::from_u128(number).into(),
        name: format!("pod {number}"),
        client_id: Some(format!("client-{number}")),
        quarantine: None,
        created_at: at(millis),
        updated_at: at(millis),
    }
}

async fn add(world: &World, pod: &Pod) -> Result<(), StoreError> {
    let mut tx = world.begin().await;
    tx.accounts().insert_pod(pod).await?;
    tx.commit().await
}

#[tokio::test]
async fn pods_are_listed_by_time_and_id_in_both_directions() {
    let world = world().await;
    for (number, millis) in [(7, 5), (6, 5), (8, 3)] {
        add(&world, &pod(&world, number, millis)).await.unwrap();
    }
    for (direction, expected) in
        [(Direction::Descending, vec![7, 6, 8, 1001]), (Direction::Ascending, vec![1001, 8, 6, 7])]
    {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let page = PageRequest { limit: 1, after, direction };
            let query = PodQuery { organization_id: world.organization_id(), pod_id: None, of_inboxes: None, page };
            let page = world.store.list_pods(&query).await.unwrap();
            found.extend(page.items.iter().map(|pod| pod.pod_id.0.as_u128()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, expected);
    }
    let one = PodQuery {
        organization_id: world.organization_id(),
        pod_id: Some(Uuid::from_u128(8).into()),
        of_inboxes: None,
        page: PageRequest::default(),
    };
    assert_eq!(world.store.list_pods(&one).await.unwrap().items, [pod(&world, 8, 3)]);
    let foreign = PodQuery { organization_id: Uuid::from_u128(2).into(), pod_id: None, ..one };
    assert_eq!(world.store.list_pods(&foreign).await.unwrap().items, []);
}

#[tokio::test]
async fn pods_of_inboxes_are_those_of_existing_ones() {
    let world = world().await;
    let mut inboxes = vec![world.inbox.clone()];
    for (number, address) in [(7, "first@agents.example"), (8, "second@agents.example")] {
        let pod = pod(&world, number, i64::try_from(number).unwrap());
        add(&world, &pod).await.unwrap();
        let of_pod = Inbox { pod_id: pod.pod_id, ..inbox(&world.organization, address) };
        add_inbox(&world.store, &of_pod).await;
        inboxes.push(of_pod);
    }
    let pods = async |organization_id, places: &[usize]| {
        let of_inboxes: BTreeSet<_> = places.iter().map(|place| inboxes[*place].inbox_id.clone()).collect();
        let page = PageRequest::default();
        let query = PodQuery { organization_id, pod_id: None, of_inboxes: Some(of_inboxes.clone()), page };
        let found = world.store.list_pods(&query).await.unwrap().items;
        for number in [7, 8, 1001] {
            let has_any =
                world.store.pod_has_any(organization_id, Uuid::from_u128(number).into(), &of_inboxes).await.unwrap();
            assert_eq!(has_any, found.iter().any(|pod| pod.pod_id.0.as_u128() == number), "{number}");
        }
        found.iter().map(|pod| pod.pod_id.0.as_u128()).collect::<Vec<_>>()
    };
    let own = world.organization_id();
    assert_eq!(pods(own, &[1]).await, [7]);
    assert_eq!(pods(own, &[0, 2]).await, [8, 1001]);
    assert_eq!(pods(own, &[]).await, [0_u128; 0]);
    assert_eq!(pods(Uuid::from_u128(2).into(), &[0, 1, 2]).await, [0_u128; 0]);
    delete_inbox(&world.store, &inboxes[1]).await;
    assert_eq!(pods(own, &[0, 1]).await, [1001]);
}

#[tokio::test]
async fn client_id_finds_its_pod_even_when_deleted() {
    let world = world().await;
    let first = pod(&world, 7, 5);
    add(&world, &first).await.unwrap();
    let second = Pod { pod_id: Uuid::from_u128(8).into(), ..first.clone() };
    assert_eq!(add(&world, &second).await, Err(StoreError::Duplicate(Constraint::PodClientId)));
    let mut tx = world.begin().await;
    let found = tx.pods().find_by_client_id(world.organization_id(), "client-7").await.unwrap();
    assert_eq!(found, Some((first.clone(), true)));
    assert_eq!(tx.pods().count(world.organization_id()).await.unwrap(), 2);
    tx.pods().delete(world.organization_id(), first.pod_id, at(9)).await.unwrap();
    let found = tx.pods().find_by_client_id(world.organization_id(), "client-7").await.unwrap();
    assert!(matches!(found, Some((_, false))));
    assert_eq!(tx.pods().count(world.organization_id()).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(world.store.pod(world.organization_id(), first.pod_id).await.unwrap(), None);
    assert_eq!(world.store.overview(world.organization_id()).await.unwrap().unwrap().pod_count, 1);
    let mut tx = world.begin().await;
    assert!(!tx.pods().hold(world.organization_id(), first.pod_id).await.unwrap());
    assert_eq!(tx.pods().lock(world.organization_id(), first.pod_id).await.unwrap(), None);
}

#[tokio::test]
async fn pod_is_changed_and_counts_existing_inboxes() {
    let world = world().await;
    let first = pod(&world, 7, 5);
    add(&world, &first).await.unwrap();
    let inbox = Inbox { pod_id: first.pod_id, ..inbox(&world.organization, "desk@agents.example") };
    add_inbox(&world.store, &inbox).await;
    let mut tx = world.begin().await;
    assert!(tx.pods().hold(world.organization_id(), first.pod_id).await.unwrap());
    assert_eq!(tx.pods().count_inboxes(world.organization_id(), first.pod_id).await.unwrap(), 1);
    let quarantine = Some(QuarantineMode::Hold);
    let renamed = Pod { name: "new".to_owned(), quarantine, updated_at: at(8), ..first };
    tx.pods().update(&renamed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.pod(world.organization_id(), renamed.pod_id).await.unwrap(), Some(renamed.clone()));
    delete_inbox(&world.store, &inbox).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.pods().count_inboxes(world.organization_id(), renamed.pod_id).await.unwrap(), 0);
}

#[tokio::test]
async fn keys_of_pod_are_revoked_and_keys_of_its_inboxes_are_not() {
    let world = world().await;
    let (pod_id, other_pod) = (Uuid::from_u128(7).into(), Uuid::from_u128(8).into());
    add_pod(&world, pod_id).await;
    add_pod(&world, other_pod).await;
    let key = |number: u8, reach: Reach| ApiKey {
        organization_id: world.organization_id(),
        api_key_id: Uuid::from_u128(number.into()).into(),
        prefix: "am_123456789".to_owned(),
        name: "key".to_owned(),
        reach,
        member_id: None,
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: at(1),
        updated_at: at(1),
    };
    let reaches = [
        Reach::Pod(pod_id),
        Reach::Pod(other_pod),
        Reach::Inbox { pod_id, inbox_id: world.inbox_id().clone() },
        Reach::Organization,
    ];
    let mut tx = world.begin().await;
    for (number, reach) in (1..).zip(reaches) {
        tx.api_keys().insert(&key(number, reach), &[number; 32]).await.unwrap();
    }
    tx.api_keys().revoke_of_pod(world.organization_id(), pod_id, at(9)).await.unwrap();
    let renamed = ApiKey {
        name: "new".to_owned(),
        permissions: Some(inboxd_core::model::Permissions([("message_read".to_owned(), true)].into())),
        updated_at: at(9),
        ..key(4, Reach::Organization)
    };
    assert!(tx.api_keys().update(&renamed).await.unwrap());
    assert!(!tx.api_keys().update(&key(1, Reach::Pod(pod_id))).await.unwrap(), "a revoked key is not found");
    tx.commit().await.unwrap();
    let mut live = Vec::new();
    for number in 1..=4_u8 {
        live.extend(world.store.credential(&[number; 32]).await.unwrap().map(|_| number));
    }
    assert_eq!(live, [2, 3, 4]);
    let found = world.store.api_key(world.organization_id(), renamed.api_key_id).await.unwrap();
    assert_eq!(found, Some(renamed));
}
