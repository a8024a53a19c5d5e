//! Contacts.

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{ContactChange, ContactChanges, ContactDecision, ContactKey, NewMail};
use inboxd_core::ports::{ContactQuery, ContactReads};

use crate::support::*;

fn key(world: &World, address: &str) -> ContactKey {
    ContactKey {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        address: address.to_owned(),
    }
}

fn received(world: &World, address: &str, millis: i64) -> ContactChange {
    ContactChange::received(key(world, address), Some(address.to_uppercase()), true, at(millis))
}

async fn count(world: &World, changes: impl IntoIterator<Item = ContactChange>) {
    let mut contacts = ContactChanges::default();
    changes.into_iter().for_each(|change| contacts.add(change));
    let new = NewMail { contacts: contacts.into_vec(), ..NewMail::default() };
    world.begin().await.commit_with(&new).await.unwrap();
}

async fn addresses(world: &World, direction: Direction) -> Vec<String> {
    let page = PageRequest { limit: 2, direction, after: None };
    let mut query = ContactQuery { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone(), page };
    let mut found = Vec::new();
    loop {
        let page = world.store.list_contacts(&query).await.unwrap();
        found.extend(page.items.into_iter().map(|contact| contact.address));
        query.page.after = page.next;
        if query.page.after.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn contact_sums_changes_of_units_of_work() {
    let world = world().await;
    let anna = key(&world, "anna@x.example");
    assert_eq!(world.store.contact(&anna).await.unwrap(), None);
    count(&world, [received(&world, "anna@x.example", 1), received(&world, "anna@x.example", 2)]).await;
    count(&world, [ContactChange::sent(anna.clone(), at(3)), received(&world, "bob@x.example", 3)]).await;
    let unnamed = ContactChange::received(anna.clone(), None, false, at(4));
    count(&world, [unnamed]).await;
    let contact = world.store.contact(&anna).await.unwrap().unwrap();
    assert_eq!((contact.received_count, contact.authenticated_count, contact.sent_count), (3, 2, 1));
    assert_eq!(contact.name.as_deref(), Some("ANNA@X.EXAMPLE"));
    assert_eq!((contact.received_at, contact.sent_at), (Some(at(4)), Some(at(3))));
    assert_eq!((contact.created_at, contact.updated_at, contact.decision), (at(2), at(2), None));
}

#[tokio::test]
async fn contacts_are_listed_by_creation_then_address() {
    let world = world().await;
    for (address, millis) in [("c@x.example", 1), ("a@x.example", 2), ("b@x.example", 2), ("d@x.example", 3)] {
        count(&world, [received(&world, address, millis)]).await;
    }
    // Later mail moves no contact.
    count(&world, [received(&world, "c@x.example", 9)]).await;
    let oldest_first = ["c@x.example", "a@x.example", "b@x.example", "d@x.example"];
    assert_eq!(addresses(&world, Direction::Ascending).await, oldest_first);
    let newest_first: Vec<&str> = oldest_first.into_iter().rev().collect();
    assert_eq!(addresses(&world, Direction::Descending).await, newest_first);
}

#[tokio::test]
async fn decision_survives_mail_until_contact_is_deleted() {
    let world = world().await;
    let anna = key(&world, "anna@x.example");
    let mut tx = world.begin().await;
    assert_eq!(tx.contacts().decide(&anna, Some(ContactDecision::Trusted), at(1)).await.unwrap(), None);
    drop(tx);
    count(&world, [received(&world, "anna@x.example", 1)]).await;
    let mut tx = world.begin().await;
    let decided = tx.contacts().decide(&anna, Some(ContactDecision::Trusted), at(5)).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    assert_eq!((decided.decision, decided.updated_at), (Some(ContactDecision::Trusted), at(5)));
    count(&world, [received(&world, "anna@x.example", 7)]).await;
    let contact = world.store.contact(&anna).await.unwrap().unwrap();
    assert_eq!((contact.decision, contact.updated_at), (Some(ContactDecision::Trusted), at(5)));
    let mut tx = world.begin().await;
    assert!(tx.contacts().delete(&anna).await.unwrap());
    assert!(!tx.contacts().delete(&anna).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(world.store.contact(&anna).await.unwrap(), None);
}

#[tokio::test]
async fn trim_deletes_oldest_strangers_beyond_limit() {
    let world = world().await;
    for number in 0..6 {
        count(&world, [received(&world, &format!("n{number}@x.example"), number)]).await;
    }
    let (decided, written) = (key(&world, "n0@x.example"), key(&world, "n1@x.example"));
    count(&world, [ContactChange::sent(written, at(9))]).await;
    let mut tx = world.begin().await;
    tx.contacts().decide(&decided, Some(ContactDecision::Blocked), at(9)).await.unwrap();
    tx.contacts().trim(world.organization_id(), world.inbox_id(), 2).await.unwrap();
    tx.commit().await.unwrap();
    let left = ["n0@x.example", "n1@x.example", "n4@x.example", "n5@x.example"];
    assert_eq!(addresses(&world, Direction::Ascending).await, left);
}

#[tokio::test]
async fn contacts_go_with_their_inbox() {
    let world = world().await;
    count(&world, [received(&world, "anna@x.example", 1)]).await;
    delete_inbox(&world.store, &world.inbox).await;
    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(10).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.contact(&key(&world, "anna@x.example")).await.unwrap(), None);
}
