use std::time::Duration;

use inboxd_core::model::page::{Cursor, Direction, PageRequest};
use inboxd_core::model::{Inbox, InboxId, MetadataValue, QuarantineMode};
use inboxd_core::ports::{Constraint, InboxQuery, InboxReads, InboxSearch, Store, StoreError};
use inboxd_core::rules::inbox_search::InboxTerms;
use tokio::time::timeout;
use uuid::Uuid;

use crate::support::*;

/// Long enough for any operation without a lock wait.
const SHORT: Duration = Duration::from_millis(400);

#[tokio::test]
async fn inbox_survives_round_trip() {
    let world = world().await;
    let mut stored = inbox(&world.organization, "full@agents.example");
    stored.display_name = Some("Scout, the \"first\"".to_owned());
    stored.client_id = Some("once".to_owned());
    stored.quarantine = Some(QuarantineMode::Hold);
    stored.metadata = [
        ("yes".to_owned(), MetadataValue::Bool(true)),
        ("number".to_owned(), MetadataValue::Number(serde_json::Number::from_f64(1.5).unwrap())),
        ("large".to_owned(), MetadataValue::Number(u64::MAX.into())),
        ("text".to_owned(), MetadataValue::String("Grüße".to_owned())),
    ]
    .into();
    add_inbox(&world.store, &stored).await;
    let read = world.store.inbox(world.organization_id(), &stored.inbox_id).await.unwrap();
    assert_eq!(read, Some(stored.clone()));

    let quarantine = Some(QuarantineMode::Monitor);
    let changed = Inbox { display_name: None, quarantine, updated_at: at(7), ..stored };
    let mut tx = world.begin().await;
    assert!(tx.inboxes().lock(world.organization_id(), &changed.inbox_id).await.unwrap().is_some());
    tx.inboxes().update(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.inbox(world.organization_id(), &changed.inbox_id).await.unwrap(), Some(changed));
}

#[tokio::test]
async fn address_is_reserved_permanently() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let taken = Err(StoreError::Duplicate(Constraint::Address));
    assert_eq!(world.begin().await.inboxes().insert(&inbox(&other, world.inbox_id().as_str())).await, taken);
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(world.begin().await.inboxes().insert(&inbox(&other, world.inbox_id().as_str())).await, taken);
    assert_eq!(world.begin().await.inboxes().insert(&world.inbox).await, taken);
}

#[tokio::test]
async fn client_id_creates_one_inbox_within_organization() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let made = Inbox { client_id: Some("c".to_owned()), ..inbox(&world.organization, "a@agents.example") };
    add_inbox(&world.store, &made).await;
    add_inbox(&world.store, &Inbox { client_id: Some("c".to_owned()), ..inbox(&other, "b@agents.example") }).await;

    let again = Inbox { client_id: Some("c".to_owned()), ..inbox(&world.organization, "c@agents.example") };
    let refused = world.begin().await.inboxes().insert(&again).await;
    assert_eq!(refused, Err(StoreError::Duplicate(Constraint::InboxClientId)));

    let mut tx = world.begin().await;
    let found = tx.inboxes().find_by_client_id(world.organization_id(), "c").await.unwrap();
    assert_eq!(found, Some((made.clone(), true)));
    drop(tx);
    delete_inbox(&world.store, &made).await;
    let mut tx = world.begin().await;
    let (_, is_live) = tx.inboxes().find_by_client_id(world.organization_id(), "c").await.unwrap().unwrap();
    assert!(!is_live);
    assert_eq!(tx.inboxes().find_by_client_id(world.organization_id(), "d").await.unwrap(), None);
}

#[tokio::test]
async fn deleted_inbox_is_not_found() {
    let world = world().await;
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(world.store.inbox(world.organization_id(), world.inbox_id()).await.unwrap(), None);
    assert_eq!(world.store.destinations(&[address("scout@agents.example")]).await.unwrap(), [None]);
    let query = InboxQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        among: None,
        page: PageRequest::default(),
    };
    assert_eq!(world.store.list_inboxes(&query).await.unwrap().items, []);
    let mut tx = world.begin().await;
    assert_eq!(tx.inboxes().count(world.organization_id()).await.unwrap(), 0);
    assert_eq!(tx.inboxes().lock(world.organization_id(), world.inbox_id()).await.unwrap(), None);
    assert_eq!(tx.inboxes().hold(&[destination(&world.inbox)]).await.unwrap(), []);
    let again = tx.inboxes().delete(world.organization_id(), world.inbox_id(), at(1)).await;
    assert_eq!(again, Err(StoreError::Contention));
}

#[tokio::test]
async fn foreign_organization_has_no_access_to_inbox() {
    let world = world().await;
    let other = organization(2, "other@example.org").organization_id;
    assert_eq!(world.store.inbox(other, world.inbox_id()).await.unwrap(), None);
    let mut tx = world.begin().await;
    assert_eq!(tx.inboxes().lock(other, world.inbox_id()).await.unwrap(), None);
    assert_eq!(tx.inboxes().delete(other, world.inbox_id(), at(1)).await, Err(StoreError::Contention));
}

#[tokio::test]
async fn address_resolves_to_inbox_with_and_without_tag() {
    let world = world().await;
    let asked = ["Scout@Agents.example", "scout+news@agents.example", "nobody@agents.example", "scout@agents.example"]
        .map(address);
    let found = world.store.destinations(&asked).await.unwrap();
    let here = Some(destination(&world.inbox).into());
    assert_eq!(found, [here.clone(), here.clone(), None, here]);
    assert_eq!(world.store.destinations(&[]).await.unwrap(), []);
}

#[tokio::test]
async fn inbox_pages_work_in_both_directions() {
    let world = world().await;
    for name in ["b", "a", "c"] {
        add_inbox(&world.store, &inbox(&world.organization, &format!("{name}@agents.example"))).await;
    }
    for (direction, wanted) in [(Direction::Ascending, "a b c scout"), (Direction::Descending, "scout c b a")] {
        let mut names = Vec::new();
        let mut page = PageRequest { limit: 3, after: None, direction };
        loop {
            let query = InboxQuery {
                organization_id: world.organization_id(),
                pod_id: None,
                inbox_id: None,
                among: None,
                page: page.clone(),
            };
            let found = world.store.list_inboxes(&query).await.unwrap();
            names.extend(found.items.iter().map(|inbox| inbox.inbox_id.username().to_owned()));
            let Some(next) = found.next else { break };
            page.after = Some(next);
        }
        assert_eq!(names.join(" "), wanted);
    }
}

#[tokio::test]
async fn inbox_lists_are_limited_to_pod_or_inbox() {
    let world = world().await;
    let other_pod = Uuid::from_u128(5000).into();
    add_pod(&world, other_pod).await;
    let second = Inbox { pod_id: other_pod, ..inbox(&world.organization, "second@agents.example") };
    add_inbox(&world.store, &second).await;
    let query = InboxQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        among: None,
        page: PageRequest::default(),
    };
    let of_pod = InboxQuery { pod_id: Some(other_pod), ..query.clone() };
    assert_eq!(world.store.list_inboxes(&of_pod).await.unwrap().items, [second]);
    let this = InboxQuery { inbox_id: Some(world.inbox_id().clone()), ..query.clone() };
    assert_eq!(world.store.list_inboxes(&this).await.unwrap().items, std::slice::from_ref(&world.inbox));
    let among = Some([world.inbox_id().clone(), InboxId::stored("nobody@agents.example".to_owned())].into());
    let some = InboxQuery { among, ..query.clone() };
    assert_eq!(world.store.list_inboxes(&some).await.unwrap().items, std::slice::from_ref(&world.inbox));
    let none = InboxQuery { among: Some([].into()), ..query };
    assert_eq!(world.store.list_inboxes(&none).await.unwrap().items, []);
}

#[tokio::test]
async fn deliveries_share_inbox_lock_and_deletion_waits() {
    let world = world().await;
    let wanted = [destination(&world.inbox)];
    let mut first = world.begin().await;
    let mut second = world.begin().await;
    assert_eq!(first.inboxes().hold(&wanted).await.unwrap(), wanted);
    assert_eq!(timeout(SHORT, second.inboxes().hold(&wanted)).await.unwrap().unwrap(), wanted);
    second.commit().await.unwrap();

    let store = world.store.clone();
    let inbox = world.inbox.clone();
    let mut deletion = tokio::spawn(async move { delete_inbox(&store, &inbox).await });
    assert!(timeout(SHORT, &mut deletion).await.is_err(), "the deletion did not wait");
    first.commit().await.unwrap();
    deletion.await.unwrap();
    let mut late = world.begin().await;
    assert_eq!(late.inboxes().hold(&wanted).await.unwrap(), []);
}

#[tokio::test]
async fn delivery_after_deletion_has_no_inbox() {
    let world = world().await;
    let mut deletion = world.begin().await;
    deletion.inboxes().delete(world.organization_id(), world.inbox_id(), at(1)).await.unwrap();
    let store = world.store.clone();
    let wanted = [destination(&world.inbox)];
    let delivery = tokio::spawn(async move { store.begin().await.unwrap().inboxes().hold(&wanted).await.unwrap() });
    tokio::time::sleep(SHORT).await;
    deletion.commit().await.unwrap();
    assert_eq!(delivery.await.unwrap(), []);
}

#[tokio::test]
async fn search_ranks_address_first_and_pages_by_address() {
    let world = world().await;
    for (address, name) in [
        ("sup@agents.example", "One"),
        ("support@agents.example", "Two"),
        ("port@agents.example", "Sup"),
        ("vienna@agents.example", "Größe ÖSTERREICH"),
    ] {
        let mut found = inbox(&world.organization, address);
        found.display_name = Some(name.to_owned());
        add_inbox(&world.store, &found).await;
    }
    let search = async |text: &str, after: Option<Cursor>| {
        let page = PageRequest { limit: 1, after, ..PageRequest::default() };
        let within =
            InboxQuery { organization_id: world.organization_id(), pod_id: None, inbox_id: None, among: None, page };
        let terms = InboxTerms::parse(text).unwrap();
        world.store.search_inboxes(&InboxSearch { within, terms }).await.unwrap()
    };
    let (mut addresses, mut after) = (Vec::new(), None);
    loop {
        let page = search("sup", after).await;
        addresses.extend(page.items.iter().map(|inbox| inbox.inbox_id.to_string()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(addresses, ["sup@agents.example", "support@agents.example", "port@agents.example"]);
    assert_eq!(search("support@agents.example", None).await.items[0].inbox_id.as_str(), "support@agents.example");
    assert!(search("supp_rt", None).await.items.is_empty(), "a separator is no wildcard");
    for text in ["österreich", "ÖSTER größe"] {
        let found = search(text, None).await.items;
        assert_eq!(
            found.iter().map(|inbox| inbox.inbox_id.as_str()).collect::<Vec<_>>(),
            ["vienna@agents.example"],
            "{text}"
        );
    }
}
