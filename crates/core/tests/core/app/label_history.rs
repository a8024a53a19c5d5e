use inboxd_core::app::label_history::list;
use inboxd_core::app::messages::{batch_update, update};
use inboxd_core::app::threads::{self, ThreadChange};
use inboxd_core::model::{
    Caller, HidingLabels, LabelEvent, LabelEventType, MessageItem, Page, PageRequest, Permission,
};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id, message_id};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_core::{Error, Resource};

use super::{expect_history, in_inbox, permissions, thread_of, world};

fn item(name: &str, thread: u128, labels: &[&str]) -> MessageItem {
    MessageItem {
        message_id: message_id(&format!("<{name}@b.example>")),
        thread_id: id(thread),
        labels: labels.iter().copied().collect(),
        ..fixtures::message_item()
    }
}

fn change(add: &[&str], remove: &[&str]) -> LabelChange {
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    LabelChange::checked(&owned(add), &owned(remove)).unwrap()
}

/// A unit of work that relabels these messages, each in a separate thread.
fn relabels(tx: &mut MockTx, messages: Vec<MessageItem>) {
    let threads: Vec<_> = messages.iter().map(|message| thread_of(std::slice::from_ref(message))).collect();
    tx.threads.expect_lock().once().return_once(move |_, _, _| Ok(threads));
    let labels = messages.first().map(|message| message.labels.clone()).unwrap_or_default();
    tx.messages.expect_items().times(2).returning(move |_, _, _| Ok(messages.clone()));
    tx.messages.expect_update_labels().returning(|_| Ok(()));
    tx.messages.expect_labels_of_thread().returning(move |_, _, _| Ok(labels.clone()));
    tx.threads.expect_update().returning(|_| Ok(()));
}

/// Returns `+label name` and `-label name` in order of the event ids.
fn lines(events: &[LabelEvent]) -> Vec<String> {
    assert!(events.is_sorted_by(|one, next| one.event_id < next.event_id), "ids are ordered like the events");
    let line = |event: &LabelEvent| {
        let sign = if event.event_type == LabelEventType::Added { '+' } else { '-' };
        format!("{sign}{} {}", event.label, event.message_id.as_str().trim_matches(['<', '>']))
    };
    events.iter().map(line).collect()
}

#[tokio::test]
async fn label_change_appends_one_event_for_each_actual_difference() {
    let table: [(&[&str], &[&str], &[&str]); 5] = [
        (&["done"], &["unread"], &["-unread a@b.example", "+done a@b.example"]),
        (&["done", "todo"], &["unread"], &["-unread a@b.example", "+done a@b.example"]),
        (&["b", "a"], &[], &["+a a@b.example", "+b a@b.example"]),
        (&["todo"], &["never there"], &[]),
        (&[], &[], &[]),
    ];
    for (add, remove, expected) in table {
        let mut world = world();
        let tx = world.unit_of_work();
        relabels(tx, vec![item("a", 10, &["received", "todo", "unread"])]);
        let events = expect_history(tx);
        let ids = [message_id("<a@b.example>")];
        update(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, &ids[0], &change(add, remove))
            .await
            .unwrap();
        assert_eq!(lines(&events.all()), expected);
        for event in events.all() {
            assert_eq!((event.actor, event.event_at), (fixtures::caller().actor, NOW));
            assert_eq!((event.organization_id, event.pod_id), (id(1), id(2)));
            assert_eq!(event.inbox_id, fixtures::inbox().inbox_id);
        }
    }
}

#[tokio::test]
async fn label_batch_is_one_statement_for_many_threads() {
    let mut world = world();
    let tx = world.unit_of_work();
    let messages: Vec<MessageItem> =
        ["a", "b", "c"].iter().zip(10..).map(|(name, thread)| item(name, thread, &["received"])).collect();
    relabels(tx, messages);
    let events = expect_history(tx);
    let ids = ["c", "a", "b"].map(|name| message_id(&format!("<{name}@b.example>")));
    batch_update(&world.app(), &fixtures::caller(), &fixtures::inbox().inbox_id, &ids, &change(&["x"], &[]))
        .await
        .unwrap();
    assert_eq!(lines(&events.all()), ["+x c@b.example", "+x a@b.example", "+x b@b.example"]);
}

#[tokio::test]
async fn thread_labels_are_recorded_for_visible_messages() {
    let messages = [item("a", 10, &["received"]), item("b", 10, &["received", "spam"]), item("c", 10, &["x"])];
    let mut world = world();
    let thread = thread_of(&messages);
    let shown = thread.clone();
    world.store.expect_thread().returning(move |_, _, _, _| Ok(Some(shown.clone())));
    let tx = world.unit_of_work();
    tx.threads.expect_lock().once().returning(move |_, _, _| Ok(vec![thread.clone()]));
    tx.messages.expect_of_thread().once().returning(move |_, _, _, _, _| Ok(messages.to_vec()));
    tx.messages.expect_update_labels().once().returning(|_| Ok(()));
    tx.threads.expect_update().once().returning(|_| Ok(()));
    let events = expect_history(tx);
    let caller = Caller { permissions: permissions(&["message_update", "message_read"]), ..fixtures::caller() };
    let change = ThreadChange { labels: change(&["x"], &[]), assignee: None };
    threads::update(&world.app(), &in_inbox(&caller), id(10), change).await.unwrap();
    assert_eq!(lines(&events.all()), ["+x a@b.example"]);
}

fn listing(world: &mut World) -> Captured<HidingLabels> {
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_list_label_events().times(..=1).returning(move |query| {
        assert_eq!((query.organization_id, &query.inbox_id), (id(1), &fixtures::inbox().inbox_id));
        seen.push(query.readable);
        Ok(Page { items: Vec::new(), next: None })
    });
    asked
}

#[tokio::test]
async fn label_history_needs_event_read_and_omits_hidden_mail() {
    let own = fixtures::inbox().inbox_id;
    for (names, readable) in
        [(&["event_read"][..], HidingLabels::NONE), (&["event_read", "label_spam_read"], HidingLabels::NONE.with(0))]
    {
        let mut world = world();
        let asked = listing(&mut world);
        let caller = Caller { permissions: permissions(names), ..fixtures::inbox_caller() };
        list(&world.app(), &caller, &own, PageRequest::default()).await.unwrap();
        assert_eq!(asked.only(), readable);
    }
    let mute = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = list(&world().app(), &mute, &own, PageRequest::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::EventRead))));
    let other = inbox_id("other@inboxd.example");
    let refused = list(&world().app(), &fixtures::inbox_caller(), &other, PageRequest::default()).await;
    assert!(matches!(refused, Err(Error::InboxOutOfScope { .. })));
    let missing = list(&world().app(), &fixtures::caller(), &other, PageRequest::default()).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Inbox, .. })));
}
