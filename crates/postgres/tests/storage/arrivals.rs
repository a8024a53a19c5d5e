//! Lookups and writes of inbound mail.

use inboxd_core::model::page::PageRequest;
use inboxd_core::model::{
    ContactChange, ContactChanges, ContactKey, Event, EventBody, EventType, HidingLabels, Inbox, InboxId,
    ListDirection, ListLevel, NewMail, Organization, Pod, QuarantineMode, QuarantineScopes, Thread, UsageChange,
};
use inboxd_core::ports::{
    AccountReads, ArrivalQuery, Constraint, Destination, EventQuery, EventReads, ExcerptQuery, KnownMessage,
    MessageKey, MessageReads, OnArrival, SenderHistory, StoreError, ThreadKey, ThreadReads,
};
use inboxd_core::rules::trust::History;
use uuid::Uuid;

use crate::support::*;

fn destination(world: &World) -> Destination {
    let pod_id = world.inbox.pod_id;
    Destination { organization_id: world.organization_id(), pod_id, inbox_id: world.inbox_id().clone() }
}

/// Returns the lookup results for mail to an inbox that refers to these messages.
async fn look_up(world: &World, inbox: Destination, names: &[&str]) -> OnArrival {
    let key = |name: &&str| MessageKey {
        organization_id: inbox.organization_id,
        inbox_id: inbox.inbox_id.clone(),
        message_id: message_id(name),
    };
    let lists = ExcerptQuery {
        levels: vec![(inbox.organization_id, ListLevel::Organization)],
        directions: vec![ListDirection::Receive],
        names: strings(&["example.org"]),
    };
    let messages = names.iter().map(key).collect();
    let query = ArrivalQuery { inboxes: vec![inbox], messages, lists, contacts: vec![], acquainted: vec![] };
    world.begin().await.inbound().look_up(&query).await.unwrap()
}

/// Returns the ids of the known messages and of the threads.
fn ids(known: &[KnownMessage]) -> Vec<(String, Option<[u8; 32]>, bool)> {
    let mut ids: Vec<_> =
        known.iter().map(|known| (known.message_id.to_string(), known.digest, known.was_sent)).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn message_is_found_by_id_and_newest_by_original_id() {
    let world = world().await;
    let mut sent = world.labelled(4, &["sent", "delivered"]);
    sent.digest = None;
    world.deliver(&world.mail(1)).await;
    for (number, digest) in [(2, [8; 32]), (3, [9; 32])] {
        let mut minted = world.mail(number);
        (minted.header_message_id, minted.digest) = (Some(message_id("1")), Some(digest));
        world.deliver(&minted).await;
    }
    world.deliver(&sent).await;
    let known = look_up(&world, destination(&world), &["1"]).await.known;
    let text = |number: &str| message_id(number).to_string();
    assert_eq!(ids(&known), [(text("1"), Some([7; 32]), false), (text("3"), Some([9; 32]), false)]);
    let newest = known.iter().find(|known| known.message_id == message_id("3")).unwrap();
    assert_eq!((&newest.header_message_id, newest.thread_id), (&Some(message_id("1")), thread_id(3)));
    let known = look_up(&world, destination(&world), &["2", "4", "unknown"]).await.known;
    assert_eq!(ids(&known), [(text("2"), Some([8; 32]), false), (text("4"), None, true)]);
    assert_eq!(look_up(&world, destination(&world), &[]).await.known, []);
}

#[tokio::test]
async fn mail_of_other_organization_or_inbox_is_not_found() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    world.deliver(&world.mail(1)).await;
    let foreign = Destination { organization_id: other.organization_id, ..destination(&world) };
    let found = look_up(&world, foreign, &["1"]).await;
    assert_eq!((found.held, found.known), (vec![], vec![]));
    let elsewhere = InboxId::stored("other@agents.example".to_owned());
    let found = look_up(&world, Destination { inbox_id: elsewhere, ..destination(&world) }, &["1"]).await;
    assert_eq!((found.held, found.known), (vec![], vec![]));
}

#[tokio::test]
async fn quarantine_is_looked_up_in_each_scope_of_inbox() {
    let world = world().await;
    let found = async || look_up(&world, destination(&world), &[]).await.quarantines;
    let none = QuarantineScopes { organization: QuarantineMode::Off, pod: None, inbox: None };
    assert_eq!(found().await, [(world.inbox_id().clone(), none)]);
    let scopes = QuarantineScopes {
        organization: QuarantineMode::Monitor,
        pod: Some(QuarantineMode::Hold),
        inbox: Some(QuarantineMode::Off),
    };
    let mut tx = world.begin().await;
    let organization = Organization { quarantine: scopes.organization, ..world.organization.clone() };
    tx.accounts().update(&organization).await.unwrap();
    let pod = tx.pods().lock(world.organization_id(), world.inbox.pod_id).await.unwrap().unwrap();
    tx.pods().update(&Pod { quarantine: scopes.pod, ..pod }).await.unwrap();
    tx.inboxes().update(&Inbox { quarantine: scopes.inbox, ..world.inbox.clone() }).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(found().await, [(world.inbox_id().clone(), scopes)]);
}

#[tokio::test]
async fn history_of_sender_has_own_contact_and_sum_of_other_inboxes() {
    let world = world().await;
    let stranger = organization(2, "other@example.org");
    add_organization(&world.store, &stranger).await;
    let key = |organization_id, inbox_id: &str, address: &str| ContactKey {
        organization_id,
        inbox_id: InboxId::stored(inbox_id.to_owned()),
        address: address.to_owned(),
    };
    let (own, foreign) = (world.organization_id(), stranger.organization_id);
    let changes = [
        ContactChange::received(key(own, world.inbox_id().as_str(), "anna@x.example"), None, false, at(5)),
        ContactChange::received(key(own, "second@agents.example", "anna@x.example"), None, true, at(2)),
        ContactChange::received(key(own, "third@agents.example", "anna@x.example"), None, false, at(3)),
        ContactChange::sent(key(own, "third@agents.example", "anna@x.example"), at(4)),
        ContactChange::sent(key(own, "third@agents.example", "bob@x.example"), at(6)),
        ContactChange::sent(key(foreign, "far@agents.example", "anna@x.example"), at(1)),
    ];
    let mut contacts = ContactChanges::default();
    for change in changes {
        contacts.add(change);
    }
    let new = NewMail { contacts: contacts.into_vec(), ..NewMail::default() };
    world.begin().await.commit_with(&new).await.unwrap();

    let asked = ["anna@x.example", "bob@x.example", "cleo@x.example"];
    let lists = ExcerptQuery { levels: vec![], directions: vec![], names: vec![] };
    let query = ArrivalQuery {
        inboxes: vec![destination(&world)],
        messages: vec![],
        lists,
        contacts: asked.iter().map(|address| key(own, world.inbox_id().as_str(), address)).collect(),
        acquainted: vec![],
    };
    let mut senders = world.begin().await.inbound().look_up(&query).await.unwrap().senders;
    senders.sort_by(|one, other| one.key.cmp(&other.key));
    let own_counts = |sender: &SenderHistory| sender.contact.as_ref().map(|contact| contact.received_count);
    let found: Vec<_> = senders.iter().map(|sender| (own_counts(sender), sender.elsewhere)).collect();
    let of_anna = History { received: 2, sent: 1, since: Some(at(2)), was_authenticated: true };
    let of_bob = History { received: 0, sent: 1, since: Some(at(6)), was_authenticated: false };
    assert_eq!(found, [(Some(1), of_anna), (None, of_bob), (None, History::default())]);
    assert_eq!(senders.iter().map(|sender| sender.key.address.as_str()).collect::<Vec<_>>(), asked);
}

#[tokio::test]
async fn looked_up_inbox_is_locked_until_end_of_unit_of_work() {
    let world = world().await;
    let lists = ExcerptQuery { levels: vec![], directions: vec![], names: vec![] };
    let query = ArrivalQuery {
        inboxes: vec![destination(&world)],
        messages: vec![],
        lists,
        contacts: vec![],
        acquainted: vec![],
    };
    let mut tx = world.begin().await;
    assert_eq!(tx.inbound().look_up(&query).await.unwrap().held, [destination(&world)]);
    let (store, inbox) = (world.store.clone(), world.inbox.clone());
    let deletion = tokio::spawn(async move { delete_inbox(&store, &inbox).await });
    world.until_one_waits().await;
    tx.commit().await.unwrap();
    deletion.await.unwrap();
    assert_eq!(look_up(&world, destination(&world), &[]).await.held, []);
}

#[tokio::test]
async fn batch_of_mail_is_stored_with_threads_events_and_usage() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    let mut answer = world.mail(2);
    answer.message.item.thread_id = thread_id(1);
    answer.message.item.to = strings(&["a \"quoted\\\" name <a@example.org>", "{b,c}", "", "NULL"]);
    let others = [mail(&second, 3), world.labelled(4, &["received", "spam"])];
    let messages = vec![answer.clone(), others[0].clone(), others[1].clone()];
    let mut tx = world.begin().await;
    let key = |thread| ThreadKey {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        thread_id: thread_id(thread),
    };
    let locked = tx.threads().lock_across(&[key(9), key(1)]).await.unwrap();
    let joined: Vec<Thread> = locked.into_iter().map(|thread| thread.joined_by(&answer.message.item)).collect();
    assert_eq!(joined.len(), 1);
    let begun: Vec<Thread> = others.iter().map(|new| Thread::started_by(&new.message.item)).collect();
    let change = UsageChange { storage_bytes: 100, messages: 1, threads: 0 };
    let usage = messages.iter().map(|new| (world.organization_id(), new.message.item.inbox_id.clone(), change));
    let usage = usage.collect();
    let events: Vec<Event> = (1_u128..)
        .zip(&messages)
        .map(|(number, new)| Event {
            event_id: Uuid::from_u128(number).into(),
            event_type: EventType::MessageReceived,
            organization_id: world.organization_id(),
            pod_id: Some(world.inbox.pod_id),
            inbox_id: Some(new.message.item.inbox_id.clone()),
            thread_id: Some(new.message.item.thread_id),
            message_id: Some(new.message.item.message_id.clone()),
            body: EventBody::Received { verdict: None },
            created_at: at(60),
            traceparent: None,
        })
        .collect();
    let new = NewMail { messages, begun: begun.clone(), joined: joined.clone(), events, usage, ..NewMail::default() };
    tx.commit_with(&new).await.unwrap();

    for new in [&answer, &others[0], &others[1]] {
        let item = &new.message.item;
        let ids = std::slice::from_ref(&item.message_id);
        let read = world.store.messages(world.organization_id(), &item.inbox_id, ids, HidingLabels::ALL).await.unwrap();
        assert_eq!(read, std::slice::from_ref(&new.message));
    }
    for thread in begun.iter().chain(&joined) {
        let read = world
            .store
            .thread(world.organization_id(), &thread.inbox_id, thread.thread_id, HidingLabels::ALL)
            .await
            .unwrap();
        assert_eq!(read.as_ref(), Some(thread));
    }
    let overview = world.store.overview(world.organization_id()).await.unwrap().unwrap();
    assert_eq!(overview.storage_bytes, 300);
    let events = EventQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        event_types: vec![],
        trust: Vec::new(),
        start: at(0),
        end: at(1000),
        readable: HidingLabels::ALL,
        with_mail: true,
        largest_body: 1000,
        page: PageRequest::default(),
    };
    assert_eq!(world.store.list_events(&events).await.unwrap().items.len(), 3);
}

#[tokio::test]
async fn one_duplicate_id_refuses_whole_batch() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let mail = NewMail { messages: vec![world.mail(2), world.mail(1)], ..NewMail::default() };
    let taken = world.begin().await.commit_with(&mail).await;
    assert_eq!(taken, Err(StoreError::Duplicate(Constraint::MessageId)));
    assert_eq!(world.store.list_messages(&world.messages()).await.unwrap().items.len(), 1);
}
