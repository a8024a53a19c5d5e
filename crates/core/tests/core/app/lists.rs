//! Lists and suppressions.

use inboxd_core::app::lists::{self, ListName, NewEntry};
use inboxd_core::model::permissions::{ListEntryDelete, ListEntryRead};
use inboxd_core::model::{
    Caller, Cursor, Direction, EntryName, ListDirection, ListEntry, ListKey, ListLevel, ListType, Page, PageRequest,
    Pod, Reach, Scope, Suppression, SuppressionReason,
};
use inboxd_core::ports::{Constraint, StoreError};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, address, id, inbox_id};
use inboxd_core::{Error, Resource};

use super::{holds_inbox, paths, permissions, within, world};

const NAME: ListName = ListName { direction: ListDirection::Send, list_type: ListType::Block };

fn key(level: ListLevel) -> ListKey {
    ListKey { organization_id: id(1), level, direction: ListDirection::Send, list_type: ListType::Block }
}

fn on_list(text: &str) -> ListEntry {
    let entry = EntryName::stored(text.to_owned());
    ListEntry {
        list: key(ListLevel::Organization),
        entry,
        reason: None,
        require_authentication: false,
        read_only: false,
        created_at: NOW,
    }
}

fn suppression(text: &str) -> Suppression {
    Suppression { organization_id: id(1), address: address(text), reason: SuppressionReason::Bounce, created_at: NOW }
}

fn new(entry: &str) -> NewEntry {
    NewEntry { entry: entry.to_owned(), ..NewEntry::default() }
}

#[test]
fn list_scope_precedes_permission_and_matches_key() {
    let (pod, other_pod) = (Scope::Pod(id(2)), Scope::Pod(id(5)));
    let (inbox, other) = (Scope::Inbox(fixtures::inbox().inbox_id), Scope::Inbox(inbox_id("other@inboxd.example")));
    let of_pod = Reach::Pod(id(2));
    let of_inbox = fixtures::inbox_caller().reach;
    for (reach, place, expected) in [
        (Reach::Organization, Scope::Organization, "ok"),
        (Reach::Organization, other_pod.clone(), "ok"),
        (Reach::Organization, inbox.clone(), "ok"),
        (of_pod.clone(), pod.clone(), "ok"),
        (of_pod.clone(), inbox.clone(), "ok"),
        (of_pod.clone(), other_pod, "pod"),
        (of_pod, Scope::Organization, "pod"),
        (of_inbox.clone(), inbox, "ok"),
        (of_inbox.clone(), other, "inbox"),
        (of_inbox.clone(), pod, "inbox"),
        (of_inbox, Scope::Organization, "inbox"),
    ] {
        let caller = Caller { reach, permissions: permissions(&["list_entry_read"]), ..fixtures::caller() };
        let read = AuthorizedCaller::<ListEntryRead>::new(caller.clone(), place.clone()).map(drop);
        let delete = AuthorizedCaller::<ListEntryDelete>::new(caller.clone(), place.clone()).map(drop);
        for (checked, allowed) in [(read, true), (delete, false)] {
            let found = match checked {
                Ok(()) => "ok",
                Err(Error::PodOutOfScope) => "pod",
                Err(Error::InboxOutOfScope { .. }) => "inbox",
                Err(Error::MissingPermission(_)) => "permission",
                Err(other) => panic!("{other:?}"),
            };
            let expected = if expected == "ok" && !allowed { "permission" } else { expected };
            assert_eq!(found, expected, "{:?} at {place:?}", caller.reach);
        }
    }
}

#[tokio::test]
async fn entry_is_stored_in_canonical_form_at_its_level() {
    let inbox = fixtures::inbox();
    let of_inbox = ListLevel::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id.clone() };
    for (place, level) in [
        (Scope::Organization, ListLevel::Organization),
        (Scope::Pod(id(2)), ListLevel::Pod(id(2))),
        (Scope::Inbox(inbox.inbox_id.clone()), of_inbox),
    ] {
        let mut world = world();
        world.store.expect_pod().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..fixtures::pod() })));
        world.store.expect_suppressed().returning(|_, _| Ok(Vec::new()));
        let tx = world.unit_of_work();
        if matches!(place, Scope::Inbox(_)) {
            holds_inbox(tx);
        }
        tx.pods.expect_hold().returning(|_, _| Ok(true));
        tx.lists.expect_insert().once().returning(|_| Ok(()));
        let journal = world.journal.clone();
        let asked = NewEntry { reason: Some("why".to_owned()), ..new("Anna@Example.org") };
        let made = lists::create(&world.app(), &within(&fixtures::caller(), place), NAME, asked).await.unwrap();
        assert_eq!((made.list, made.entry.as_str()), (key(level), "anna@example.org"));
        assert_eq!((made.reason.as_deref(), made.read_only, made.created_at), (Some("why"), false, NOW));
        assert_eq!(journal.commits(), 1);
    }
}

#[tokio::test]
async fn existing_entry_and_suppressed_address_conflict() {
    for is_suppressed in [false, true] {
        let mut world = world();
        let found = if is_suppressed { vec![suppression("anna@example.org")] } else { Vec::new() };
        world.store.expect_suppressed().returning(move |_, _| Ok(found.clone()));
        if !is_suppressed {
            let tx = world.unit_of_work();
            tx.lists.expect_insert().once().returning(|_| Err(StoreError::Duplicate(Constraint::ListEntry)));
        }
        let caller = within(&fixtures::caller(), Scope::Organization);
        let refused = lists::create(&world.app(), &caller, NAME, new("Anna@example.org")).await;
        assert!(
            matches!(&refused, Err(Error::AlreadyExists { resource: Resource::ListEntry, id, .. }) if id == "anna@example.org"),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn invalid_entry_fields_are_named_before_lookup() {
    let asked = NewEntry { reason: Some("x".repeat(2000)), client_id: Some(" ".to_owned()), ..new("no one") };
    let caller = within(&fixtures::caller(), Scope::Pod(id(9)));
    let refused = lists::create(&World::default().app(), &caller, NAME, asked).await.unwrap_err();
    assert_eq!(paths(refused), ["entry", "reason", "client_id"]);
}

#[test]
fn only_allow_lists_of_received_mail_offer_authentication() {
    for &direction in ListDirection::ALL {
        for &list_type in ListType::ALL {
            let name = ListName { direction, list_type };
            let asked = NewEntry { require_authentication: true, ..new("example.org") };
            let is_offered = list_type == ListType::Allow && direction != ListDirection::Send;
            let problems = lists::problems_of_new(name, &asked);
            let named: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
            let expected: &[&str] = if is_offered { &[] } else { &["require_authentication"] };
            assert_eq!(named, expected, "{name:?}");
            assert_eq!(lists::problems_of_new(name, &new("example.org")), []);
        }
    }
}

#[tokio::test]
async fn lists_of_missing_pods_and_inboxes_are_not_found() {
    for place in [Scope::Pod(id(9)), Scope::Inbox(inbox_id("gone@inboxd.example"))] {
        let mut world = world();
        world.store.expect_pod().returning(|_, _| Ok(None));
        let refused =
            lists::create(&world.app(), &within(&fixtures::caller(), place.clone()), NAME, new("a@b.example")).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })), "{place:?}: {refused:?}");
    }
}

#[tokio::test]
async fn suppressed_address_is_read_but_not_deleted() {
    let mut world = world();
    world.store.expect_suppressed().returning(|_, _| Ok(vec![suppression("Anna@example.org")]));
    let (app, caller) = (world.app(), fixtures::caller());
    let reader = within(&caller, Scope::Organization);
    let found = lists::get(&app, &reader, NAME, "anna@example.org").await.unwrap();
    assert_eq!((found.entry.as_str(), found.read_only), ("anna@example.org", true));
    let refused = lists::delete(&app, &within(&caller, Scope::Organization), NAME, "anna@example.org").await;
    assert!(matches!(refused, Err(Error::ReadOnlyEntry(_))), "{refused:?}");
}

#[tokio::test]
async fn suppressed_addresses_are_absent_from_other_lists() {
    for (direction, list_type) in [(ListDirection::Send, ListType::Allow), (ListDirection::Receive, ListType::Block)] {
        let mut world = world();
        world.store.expect_list_entry().returning(|_, _| Ok(None));
        let name = ListName { direction, list_type };
        let caller = within(&fixtures::caller(), Scope::Organization);
        let missing = lists::get(&world.app(), &caller, name, "anna@example.org").await;
        assert!(matches!(missing, Err(Error::NotFound { resource: Resource::ListEntry, .. })), "{missing:?}");
    }
}

/// Reads all pages of the send block list of an organization with these entries and suppressions.
async fn walked(entries: &'static [&'static str], suppressed: &'static [&'static str], limit: u32) -> Vec<String> {
    fn page<T>(rows: impl Iterator<Item = (&'static str, T)>, page: &PageRequest) -> Page<T> {
        assert_eq!(page.direction, Direction::Ascending);
        let after = page.after.as_ref().map_or("", |cursor| cursor.id.as_str());
        let rows: Vec<(&str, T)> = rows.filter(|(text, _)| *text > after).collect();
        let Page { items, next } = Page::of(rows, page.limit, |row| Cursor { time: NOW, id: row.0.to_owned() });
        Page { items: items.into_iter().map(|row| row.1).collect(), next }
    }
    let mut world = world();
    world
        .store
        .expect_list_entries()
        .returning(move |_, request| Ok(page(entries.iter().map(|&text| (text, on_list(text))), request)));
    world
        .store
        .expect_suppressions_by_address()
        .returning(move |_, request| Ok(page(suppressed.iter().map(|&text| (text, suppression(text))), request)));
    let (app, mut found, mut after) = (world.app(), Vec::new(), None);
    loop {
        let request = PageRequest { limit, after, ..PageRequest::default() };
        let page = lists::list(&app, &within(&fixtures::caller(), Scope::Organization), NAME, request).await.unwrap();
        assert!(page.items.len() <= limit as usize);
        found.extend(
            page.items
                .iter()
                .map(|entry| format!("{}{}", entry.entry.as_str(), if entry.read_only { " read-only" } else { "" })),
        );
        after = page.next;
        if after.is_none() {
            return found;
        }
        assert!(!page.items.is_empty() && found.len() < 100);
    }
}

#[tokio::test]
async fn entries_and_suppressions_are_listed_in_one_order_once() {
    let entries = &["a@x.example", "c@x.example", "d@x.example", "x.example"];
    let suppressed = &["b@x.example", "c@x.example", "e@x.example"];
    for limit in 1..=8 {
        assert_eq!(
            walked(entries, suppressed, limit).await,
            [
                "a@x.example",
                "b@x.example read-only",
                "c@x.example read-only",
                "d@x.example",
                "e@x.example read-only",
                "x.example"
            ],
            "{limit}"
        );
    }
    assert_eq!(walked(&[], suppressed, 2).await.len(), 3);
    assert_eq!(walked(entries, &[], 3).await.len(), 4);
    assert!(walked(&[], &[], 3).await.is_empty());
}

#[tokio::test]
async fn repeated_client_id_returns_original_entry_of_list() {
    for (made, found) in [(" send block example.net", true), (" send allow example.net", false)] {
        let mut world = world();
        world.store.expect_suppressed().returning(|_, _| Ok(Vec::new()));
        world.store.expect_list_entry().returning(|list, entry| {
            let (list, entry) = (list.clone(), entry.clone());
            Ok(Some(ListEntry {
                list,
                entry,
                reason: None,
                require_authentication: false,
                read_only: false,
                created_at: NOW,
            }))
        });
        let tx = world.unit_of_work();
        tx.client_ids.expect_spend().once().returning(|_, _, _, _| Ok(Some(made.to_owned())));
        let asked = NewEntry { client_id: Some("one".to_owned()), ..new("example.org") };
        let answer = lists::create(&world.app(), &within(&fixtures::caller(), Scope::Organization), NAME, asked).await;
        match answer {
            Ok(entry) => assert!(found && entry.entry.as_str() == "example.net"),
            Err(refused) => assert!(!found && matches!(refused, Error::ClientIdSpent(_)), "{refused:?}"),
        }
    }
}
