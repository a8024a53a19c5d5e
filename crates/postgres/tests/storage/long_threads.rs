//! Long threads, which anyone can create; operations on them stay fast.

use std::time::{Duration, Instant};

use inboxd_core::app::messages::batch_update;
use inboxd_core::app::threads::{ThreadChange, delete, update};
use inboxd_core::app::{App, messages};
use inboxd_core::model::{
    Actor, ApiKeyId, Caller, HidingLabels, InboxId, LabelEventType, MessageItem, NewMail, Organization, PageRequest,
    Permissions, Reach, RequiredPermission, Scope, Thread, ThreadSum,
};
use inboxd_core::ports::{LabelEventQuery, LabelHistoryReads, MessageQuery, MessageReads, ThreadQuery, ThreadReads};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::rules::labels::LabelChange;
use uuid::Uuid;

use crate::support::*;

/// Messages of one thread: every tenth is spam, and the oldest has its own labels and people.
const LOAD: &str = "
    INSERT INTO messages
    SELECT i.organization_id, i.inbox_id, '<' || n || '@x>', '00000000-0000-0000-0000-000000000001', l.labels,
        (n % 10 = 0)::int, '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms', 'Anna <a' || n % 7 || '@example.org>',
        ARRAY[i.inbox_id], '{}', '{}', '{}', 'subject ' || n, 'preview ' || n, '[]', NULL, '{}', 100, NULL, NULL, NULL,
        '2026-11-18 11:06:40Z', '2026-11-18 11:06:40Z'
    FROM inboxes i, generate_series(1, :count) n, LATERAL (
        SELECT ARRAY['received'] || CASE WHEN n % 10 = 0 THEN ARRAY['spam'] ELSE '{}' END || ARRAY['unread']) l(labels);
    INSERT INTO message_labels
    SELECT organization_id, inbox_id, label, hidden, timestamp, message_id FROM messages, unnest(labels) label;
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, search_text, folded_from, folded_to, folded_subject,
        body, body_bytes)
    SELECT organization_id, inbox_id, message_id, 'some text', 'anna <a@example.org>', to_, 'subject', plain_body('text'), 6
    FROM messages;
    INSERT INTO inbox_usage SELECT organization_id, inbox_id, :count * 100, :count, 1 FROM inboxes;
";

struct Long {
    world: World,
    app: App,
    caller: Caller,
}

/// A database with one thread of that many messages.
async fn long(count: u32) -> Long {
    let world = world().await;
    world.database.execute(&format!("{PLAIN_BODY}; {}", LOAD.replace(":count", &count.to_string()))).await;
    let mut tx = world.begin().await;
    let items = everything(&world, tx.as_mut()).await;
    let thread = items.iter().fold(ThreadSum::default(), ThreadSum::with);
    let thread = thread.of(Thread::started_by(&items[0]), at(0)).unwrap();
    tx.commit_with(&NewMail { begun: vec![thread], ..NewMail::default() }).await.unwrap();
    let app = world.app(at(90_000_000));
    let caller = caller(&world.organization);
    Long { world, app, caller }
}

fn caller(organization: &Organization) -> Caller {
    let api_key_id: ApiKeyId = Uuid::from_u128(5).into();
    Caller {
        organization: organization.clone(),
        api_key_id: Some(api_key_id),
        reach: Reach::Organization,
        member: None,
        connection: None,
        client_address: None,
        traceparent: None,
        permissions: None,
        expires_at: None,
        actor: Actor::ApiKey { api_key_id, name: "Key".to_owned() },
    }
}

async fn everything(world: &World, tx: &mut dyn inboxd_core::ports::Tx) -> Vec<MessageItem> {
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id());
    tx.messages().of_thread(organization_id, inbox_id, thread_id(1), 100_000, None).await.unwrap()
}

impl Long {
    async fn thread(&self) -> Option<Thread> {
        let (organization_id, inbox_id) = (self.world.organization_id(), self.world.inbox_id());
        self.world.store.thread(organization_id, inbox_id, thread_id(1), HidingLabels::ALL).await.unwrap()
    }

    /// Requires that the stored thread equals the summary of its stored messages, including label lists.
    async fn check(&self) -> Thread {
        let thread = self.thread().await.unwrap();
        let mut tx = self.world.begin().await;
        let items = everything(&self.world, tx.as_mut()).await;
        assert_eq!(thread.clone().summed_up(&items, thread.updated_at).unwrap(), thread);
        for label in ["received", "unread", "done", "trash"] {
            let labels = strings(&[label]);
            let query = MessageQuery { labels: labels.clone(), included: HidingLabels::ALL, ..self.world.messages() };
            let found = !self.world.store.list_messages(&query).await.unwrap().items.is_empty();
            assert_eq!(found, thread.labels.contains(label), "{label}");
            let query = ThreadQuery { labels, included: HidingLabels::ALL, ..self.world.threads() };
            let found = !self.world.store.list_threads(&query).await.unwrap().items.is_empty();
            assert_eq!(found, thread.labels.contains(label), "{label}");
        }
        thread
    }

    async fn relabel(&self, caller: &Caller, add: &[&str], remove: &[&str]) {
        let change = ThreadChange { labels: change(add, remove), assignee: None };
        update(&self.app, &in_inbox(caller, self.world.inbox_id()), thread_id(1), change).await.unwrap();
    }
}

fn change(add: &[&str], remove: &[&str]) -> LabelChange {
    LabelChange::checked(&strings(add), &strings(remove)).unwrap()
}

/// A caller that holds the permission of a use case in an inbox.
fn in_inbox<P: RequiredPermission>(caller: &Caller, inbox_id: &InboxId) -> AuthorizedCaller<P> {
    AuthorizedCaller::new(caller.clone(), Scope::Inbox(inbox_id.clone())).unwrap()
}

/// A caller without the spam permission.
fn blind(caller: &Caller) -> Caller {
    let names = ["message_read", "message_update", "message_delete"];
    let permissions = Permissions(names.iter().map(|name| ((*name).to_owned(), true)).collect());
    Caller { permissions: Some(permissions), ..caller.clone() }
}

#[tokio::test]
async fn long_thread_is_labelled_and_deleted_as_far_as_visible() {
    let long = long(1_203).await;
    let seer = long.caller.clone();
    long.relabel(&blind(&seer), &["done"], &["unread"]).await;
    let thread = long.check().await;
    assert_eq!(thread.labels.to_vec(), ["done", "received", "spam", "unread"]);
    long.relabel(&seer, &["trash"], &["unread", "done"]).await;
    let thread = long.check().await;
    assert_eq!(thread.labels.to_vec(), ["received", "spam", "trash"]);
    assert_eq!(thread.hidden_sets & HidingLabels::NONE.as_set(), 0);
    long.relabel(&seer, &[], &["trash"]).await;
    assert_eq!(long.check().await.message_count, 1_203);

    delete(&long.app, &in_inbox(&blind(&seer), long.world.inbox_id()), thread_id(1)).await.unwrap();
    assert_eq!(long.check().await.message_count, 120);
    delete(&long.app, &in_inbox(&seer, long.world.inbox_id()), thread_id(1)).await.unwrap();
    assert_eq!(long.thread().await, None);
    let left = "DO $$ BEGIN ASSERT 0 = (SELECT count(*) FROM messages) + (SELECT count(*) FROM message_labels)
        + (SELECT count(*) FROM message_bodies) + (SELECT count(*) FROM thread_labels)
        + (SELECT sum(abs(storage_bytes) + abs(messages) + abs(threads)) FROM inbox_usage); END $$";
    long.world.database.execute(left).await;
}

#[tokio::test]
async fn label_history_of_long_thread_has_actual_differences() {
    let long = long(1_203).await;
    let seer = long.caller.clone();
    long.relabel(&blind(&seer), &["done"], &["unread"]).await;
    // Most messages have the label already, and none has the label to remove.
    long.relabel(&seer, &["done"], &["never-there"]).await;
    let query = LabelEventQuery {
        organization_id: long.world.organization_id(),
        inbox_id: long.world.inbox_id().clone(),
        readable: HidingLabels::ALL,
        page: PageRequest { limit: 10_000, ..PageRequest::default() },
    };
    let events = long.world.store.list_label_events(&query).await.unwrap().items;
    let of = |event_type, label: &str| {
        events.iter().filter(|event| event.event_type == event_type && event.label == label).count()
    };
    assert_eq!(of(LabelEventType::Added, "done"), 1_203);
    assert_eq!(of(LabelEventType::Removed, "unread"), 1_203 - 120);
    assert_eq!(events.len(), 2 * 1_203 - 120);
    assert!(events.iter().all(|event| event.actor == seer.actor));
}

#[tokio::test]
async fn message_in_long_thread_is_labelled_hidden_and_deleted() {
    let long = long(1_203).await;
    let (inbox_id, id) = (long.world.inbox_id(), inboxd_core::model::MessageId::stored("<7@x>".to_owned()));
    let ids = std::slice::from_ref(&id);
    for (add, remove) in [(&["done"][..], &[][..]), (&[], &["done"]), (&["trash"], &["unread"]), (&[], &["trash"])] {
        batch_update(&long.app, &long.caller, inbox_id, ids, &change(add, remove)).await.unwrap();
        let thread = long.check().await;
        assert!(add.iter().all(|label| thread.labels.contains(label)));
    }
    messages::delete(&long.app, &long.caller, inbox_id, &id).await.unwrap();
    assert_eq!(long.check().await.message_count, 1_202);
}

#[tokio::test]
async fn thread_of_12_000_messages_delays_no_operation() {
    let long = long(12_001).await;
    let (inbox_id, caller) = (long.world.inbox_id(), &long.caller);
    let started = Instant::now();
    long.relabel(caller, &["done"], &["unread"]).await;
    let labelled = started.elapsed();
    let history = "DO $$ BEGIN ASSERT 24002 = (SELECT count(*) FROM label_history); END $$";
    long.world.database.execute(history).await;
    let id = [inboxd_core::model::MessageId::stored("<7@x>".to_owned())];
    let started = Instant::now();
    batch_update(&long.app, caller, inbox_id, &id, &change(&["one"], &[])).await.unwrap();
    let one_labelled = started.elapsed();
    let started = Instant::now();
    batch_update(&long.app, caller, inbox_id, &id, &change(&["trash"], &[])).await.unwrap();
    let one_hidden = started.elapsed();
    let started = Instant::now();
    delete(&long.app, &in_inbox(caller, inbox_id), thread_id(1)).await.unwrap();
    let deleted = started.elapsed();
    let took = [labelled, one_labelled, one_hidden, deleted];
    // A mail that waits for the thread is deferred after ten seconds.
    assert!(took.iter().all(|took| *took < Duration::from_secs(10)), "{took:?}");
}
