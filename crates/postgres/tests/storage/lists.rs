use std::collections::BTreeSet;

use inboxd_core::model::page::{Cursor, Direction, PageRequest};
use inboxd_core::model::{
    EntryName, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, ListType, OrganizationId, Suppression,
    SuppressionReason,
};
use inboxd_core::ports::{
    Constraint, ExcerptQuery, ListReads, RecipientPolicyQuery, StoreError, SuppressionQuery, SuppressionReads,
};
use uuid::Uuid;

use crate::support::*;

fn key(world: &World, level: ListLevel) -> ListKey {
    let organization_id = world.organization_id();
    ListKey { organization_id, level, direction: ListDirection::Send, list_type: ListType::Block }
}

fn levels(world: &World) -> [ListLevel; 3] {
    ListLevel::reaching(world.inbox.pod_id, world.inbox_id())
}

fn name(text: &str) -> EntryName {
    EntryName::stored(text.to_owned())
}

fn entry(list: &ListKey, text: &str) -> ListEntry {
    ListEntry {
        list: list.clone(),
        entry: name(text),
        reason: None,
        require_authentication: false,
        read_only: false,
        created_at: at(1),
    }
}

async fn add(world: &World, entry: &ListEntry) -> Result<(), StoreError> {
    let mut tx = world.begin().await;
    tx.lists().insert(entry).await?;
    tx.commit().await
}

fn page(limit: u32) -> PageRequest {
    PageRequest { limit, after: None, direction: Direction::Ascending }
}

#[tokio::test]
async fn entry_belongs_to_one_list() {
    let world = world().await;
    let mut all = Vec::new();
    for level in levels(&world) {
        for &direction in ListDirection::ALL {
            for &list_type in ListType::ALL {
                all.push(ListKey { direction, list_type, ..key(&world, level.clone()) });
            }
        }
    }
    for (number, list) in all.iter().enumerate() {
        let made = ListEntry { reason: Some(format!("{number}\0")), ..entry(list, "x.example") };
        add(&world, &made).await.unwrap();
        assert_eq!(add(&world, &made).await, Err(StoreError::Duplicate(Constraint::ListEntry)));
    }
    for (number, list) in all.iter().enumerate() {
        let wanted = ListEntry { reason: Some(format!("{number}\u{fffd}")), ..entry(list, "x.example") };
        assert_eq!(world.store.list_entry(list, &name("x.example")).await.unwrap(), Some(wanted.clone()));
        assert_eq!(world.store.list_entries(list, &page(10)).await.unwrap().items, [wanted]);
        let foreign = ListKey { organization_id: Uuid::from_u128(99).into(), ..list.clone() };
        assert_eq!(world.store.list_entry(&foreign, &name("x.example")).await.unwrap(), None);
    }
    let mut tx = world.begin().await;
    assert!(tx.lists().delete(&all[0], &name("x.example")).await.unwrap());
    assert!(!tx.lists().delete(&all[0], &name("x.example")).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(world.store.list_entry(&all[0], &name("x.example")).await.unwrap(), None);
    assert!(world.store.list_entry(&all[1], &name("x.example")).await.unwrap().is_some());
}

#[tokio::test]
async fn list_pages_are_ordered_by_entry_despite_changes() {
    let world = world().await;
    let list = key(&world, ListLevel::Organization);
    for text in ["b.example", "d.example", "a@x.example", "Z", "e.example"] {
        add(&world, &entry(&list, text)).await.unwrap();
    }
    let first = world.store.list_entries(&list, &page(3)).await.unwrap();
    let names = |entries: &[ListEntry]| entries.iter().map(|entry| entry.entry.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&first.items), ["Z", "a@x.example", "b.example"]);
    add(&world, &entry(&list, "a")).await.unwrap();
    add(&world, &entry(&list, "c.example")).await.unwrap();
    let mut tx = world.begin().await;
    tx.lists().delete(&list, &name("b.example")).await.unwrap();
    tx.commit().await.unwrap();
    let second = world.store.list_entries(&list, &PageRequest { after: first.next, ..page(3) }).await.unwrap();
    assert_eq!((names(&second.items), second.next), (strings(&["c.example", "d.example", "e.example"]), None));
}

#[tokio::test]
async fn excerpts_contain_requested_entries_of_nonempty_lists() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let [organization_level, pod_level, inbox_level] = levels(&world);
    let of = |level: &ListLevel, direction, list_type| ListKey { direction, list_type, ..key(&world, level.clone()) };
    let blocked = of(&organization_level, ListDirection::Send, ListType::Block);
    let allowed = of(&inbox_level, ListDirection::Send, ListType::Allow);
    let received = of(&pod_level, ListDirection::Receive, ListType::Block);
    let foreign = ListKey { organization_id: other.organization_id, ..blocked.clone() };
    for (list, texts) in [
        (&blocked, &["a@x.example", "x.example", "y.example"][..]),
        (&allowed, &["z.example"]),
        (&received, &["x.example"]),
        (&foreign, &["x.example"]),
    ] {
        for text in texts {
            add(&world, &entry(list, text)).await.unwrap();
        }
    }
    let excerpts = async |levels: Vec<(OrganizationId, ListLevel)>| {
        let names = strings(&["a@x.example", "x.example", "example"]);
        let lists = ExcerptQuery { levels, directions: vec![ListDirection::Send], names };
        let organization_id = world.organization_id();
        let query = RecipientPolicyQuery { organization_id, recipients: Vec::new(), outside: Vec::new(), lists };
        world.store.recipient_policy(&query).await.unwrap().excerpts
    };
    let excerpt = |list: &ListKey, texts: &[&str]| ListExcerpt {
        list: list.clone(),
        entries: texts.iter().map(|&text| text.to_owned()).collect(),
        authenticated: BTreeSet::new(),
    };
    let strict = ListEntry { require_authentication: true, ..entry(&allowed, "example") };
    add(&world, &strict).await.unwrap();
    assert_eq!(world.store.list_entry(&allowed, &name("example")).await.unwrap(), Some(strict));
    let strict = BTreeSet::from(["example".to_owned()]);
    let strict = ListExcerpt { authenticated: strict, ..excerpt(&allowed, &["example"]) };
    let own = levels(&world).into_iter().map(|level| (world.organization_id(), level)).collect();
    let found = excerpts(own).await;
    assert_eq!(found, [excerpt(&blocked, &["a@x.example", "x.example"]), strict]);
    let both =
        vec![(world.organization_id(), ListLevel::Organization), (other.organization_id, ListLevel::Organization)];
    let found = excerpts(both).await;
    assert_eq!(found, [excerpt(&blocked, &["a@x.example", "x.example"]), excerpt(&foreign, &["x.example"])]);
    assert_eq!(excerpts(Vec::new()).await, []);
}

#[tokio::test]
async fn lists_of_deleted_inbox_are_purged() {
    let world = world().await;
    for level in levels(&world) {
        add(&world, &entry(&key(&world, level), "x.example")).await.unwrap();
    }
    delete_inbox(&world.store, &world.inbox).await;
    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(10).await.unwrap();
    tx.commit().await.unwrap();
    let mut left = Vec::new();
    for level in levels(&world) {
        left.push(world.store.list_entry(&key(&world, level), &name("x.example")).await.unwrap().is_some());
    }
    assert_eq!(left, [true, true, false]);
}

#[tokio::test]
async fn suppressions_are_listed_by_time_and_by_address() {
    let world = world().await;
    let organization_id = world.organization_id();
    let suppression = |text: &str, millis: i64| Suppression {
        organization_id,
        address: address(text),
        reason: if millis % 2 == 0 { SuppressionReason::Bounce } else { SuppressionReason::Complaint },
        created_at: at(millis),
    };
    let all = [suppression("c@x.example", 1), suppression("a@x.example", 2), suppression("b@x.example", 2)];
    let mut tx = world.begin().await;
    for suppression in &all {
        tx.suppressions().add(suppression).await.unwrap();
    }
    tx.commit().await.unwrap();
    let walk = async |direction, by_address: bool| {
        let (mut found, mut after): (Vec<Suppression>, Option<Cursor>) = (Vec::new(), None);
        loop {
            let page = PageRequest { limit: 1, after, direction };
            let rows = if by_address {
                world.store.suppressions_by_address(organization_id, &page).await.unwrap()
            } else {
                world.store.list_suppressions(&SuppressionQuery { organization_id, page }).await.unwrap()
            };
            found.extend(rows.items);
            after = rows.next;
            if after.is_none() {
                return found;
            }
        }
    };
    let [c, a, b] = all.clone();
    assert_eq!(walk(Direction::Descending, false).await, [b.clone(), a.clone(), c.clone()]);
    assert_eq!(walk(Direction::Ascending, false).await, [c.clone(), a.clone(), b.clone()]);
    assert_eq!(walk(Direction::Ascending, true).await, [a, b, c]);
}
