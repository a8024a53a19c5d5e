use std::collections::BTreeSet;

use inboxd_core::app::threads::{
    AssigneeChoice, Assignment, ThreadChange, ThreadFilter, attachment, delete, find_attachment, get, list, update,
};
use inboxd_core::model::{
    Actor, ApiKey, Attachment, Caller, Cursor, HidingLabels, InboxId, Member, MessageItem, Page, PageRequest, Reach,
    Role, Thread, UsageChange,
};
use inboxd_core::ports::{AssigneeFilter, RawSource};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::{expect_history, holds_inbox, in_inbox, paths, permissions, thread_of, world};

fn inbox_id() -> InboxId {
    fixtures::inbox().inbox_id
}

fn message(number: i64, labels: &[&str]) -> MessageItem {
    MessageItem {
        message_id: message_id(&format!("<{number}@example.org>")),
        labels: labels.iter().copied().collect(),
        timestamp: NOW + Duration::seconds(number),
        size: 100 + number.unsigned_abs(),
        ..fixtures::message_item()
    }
}

fn blind(act: &str) -> Caller {
    Caller { permissions: permissions(&[act, "message_read"]), ..fixtures::caller() }
}

/// An environment that shows a thread with these messages, as far as visible, and changes it in a unit of work.
fn world_with(messages: &[MessageItem]) -> World {
    let mut world = showing(messages);
    let (all, thread) = (messages.to_vec(), thread_of(messages));
    let tx = world.unit_of_work();
    tx.threads.expect_lock().once().returning(move |_, _, _| Ok(vec![thread.clone()]));
    tx.messages.expect_of_thread().once().returning(move |_, _, _, _, _| Ok(all.clone()));
    world
}

fn showing(messages: &[MessageItem]) -> World {
    let mut world = world();
    let thread = thread_of(messages);
    world.store.expect_thread().returning(move |_, _, _, readable| {
        Ok(Some(thread.clone()).filter(|thread| thread.hidden_sets & readable.shown_set() != 0))
    });
    world
}

fn expect_update(world: &mut World) -> Captured<Thread> {
    let updated = Captured::default();
    let seen = updated.clone();
    world.last_unit_of_work().threads.expect_update().once().returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    updated
}

fn expect_delete(world: &mut World, ids: &'static [&'static str], change: UsageChange) {
    let tx = world.last_unit_of_work();
    holds_inbox(tx);
    tx.messages.expect_delete().once().returning(move |_, _, gone| {
        assert_eq!(gone.iter().map(ToString::to_string).collect::<Vec<_>>(), ids);
        Ok(())
    });
    tx.usage.expect_change().once().returning(move |changes| {
        assert_eq!(changes, [(id(1), inbox_id(), change)]);
        Ok(())
    });
}

#[tokio::test]
async fn deleted_thread_takes_messages_along_and_frees_storage() {
    let mut world = world_with(&[message(0, &["received"]), message(1, &["sent"])]);
    let change = UsageChange { storage_bytes: -201, messages: -2, threads: -1 };
    expect_delete(&mut world, &["<0@example.org>", "<1@example.org>"], change);
    world.last_unit_of_work().threads.expect_delete().once().returning(|_, _, _| Ok(()));
    let journal = world.journal.clone();
    delete(&world.app(), &in_inbox(&fixtures::caller()), id(10)).await.unwrap();
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn hidden_messages_survive_thread_deletion_without_permission() {
    let mut world = world_with(&[message(0, &["received"]), message(1, &["received", "spam"])]);
    let change = UsageChange { storage_bytes: -100, messages: -1, threads: 0 };
    expect_delete(&mut world, &["<0@example.org>"], change);
    let updated = expect_update(&mut world);
    delete(&world.app(), &in_inbox(&blind("message_delete")), id(10)).await.unwrap();
    assert_eq!((updated.only().message_count, updated.only().hidden_sets), (1, HidingLabels::NONE.with(0).as_set()));
}

#[tokio::test]
async fn thread_of_hidden_messages_is_not_found() {
    let all_spam = [message(0, &["received", "spam"])];
    let app = showing(&all_spam).app();
    let not_there = |error: Error| matches!(error, Error::NotFound { resource: Resource::Thread, .. });
    let deleted = delete(&app, &in_inbox(&blind("message_delete")), id(10)).await;
    assert!(not_there(deleted.unwrap_err()));
    let read = get(&app, &in_inbox(&blind("message_read")), id(10), 50, None).await;
    assert!(not_there(read.unwrap_err()));
    let changed = update(&app, &in_inbox(&blind("message_update")), id(10), ThreadChange::default()).await;
    assert!(not_there(changed.unwrap_err()));
}

#[tokio::test]
async fn thread_shows_newest_page_oldest_first() {
    let messages = [message(0, &["received"]), message(1, &["sent"])];
    let mut world = showing(&messages);
    let next = Some(Cursor { time: NOW, id: "0".to_owned() });
    let page_end = next.clone();
    world.store.expect_notes_of_thread().once().returning(|_, _, _| Ok(Vec::new()));
    world.store.expect_messages_of_thread().once().returning(move |_, _, _, readable, limit, after| {
        assert_eq!((readable, limit, after.is_none()), (fixtures::readable(), 2, true));
        let newest_first = [1, 0].map(|number| fixtures::message(message(number, &["received"])));
        Ok(Page { items: newest_first.to_vec(), next: page_end.clone() })
    });
    let draft = fixtures::draft();
    let found = draft.clone();
    world.store.expect_drafts_of_thread().once().returning(move |_, _, _, _, _| Ok(vec![found.clone()]));
    let page = get(&world.app(), &in_inbox(&fixtures::caller()), id(10), 2, None).await.unwrap();
    let ids: Vec<String> = page.messages.items.iter().map(|message| message.item.message_id.to_string()).collect();
    assert_eq!(ids, ["<0@example.org>", "<1@example.org>"]);
    assert_eq!((page.messages.next, page.thread, page.drafts), (next, thread_of(&messages), vec![draft]));
}

#[tokio::test]
async fn thread_drafts_need_draft_permission() {
    let messages = [message(0, &["received"])];
    let mut world = showing(&messages);
    world.store.expect_messages_of_thread().returning(|_, _, _, _, _, _| Ok(Page { items: Vec::new(), next: None }));
    world.store.expect_notes_of_thread().returning(|_, _, _| Ok(Vec::new()));
    let page = get(&world.app(), &in_inbox(&blind("message_read")), id(10), 50, None).await.unwrap();
    assert_eq!(page.drafts, []);
}

#[tokio::test]
async fn thread_labels_apply_to_all_visible_messages() {
    let messages = [message(0, &["received", "unread"]), message(1, &["received", "unread", "spam"])];
    let mut world = world_with(&messages);
    expect_history(world.last_unit_of_work());
    let relabelled = Captured::<MessageItem>::default();
    let seen = relabelled.clone();
    world.last_unit_of_work().messages.expect_update_labels().returning(move |messages| {
        for message in messages {
            seen.push(message.clone());
        }
        Ok(())
    });
    let updated = expect_update(&mut world);
    let labels = LabelChange::checked(&["done".to_owned()], &["unread".to_owned()]).unwrap();
    let change = ThreadChange { labels, assignee: None };
    let thread = update(&world.app(), &in_inbox(&blind("message_update")), id(10), change).await.unwrap();
    // The response omits mail that the key may not see.
    assert_eq!(updated.only(), Thread { hidden_sets: 3, ..thread.clone() });
    assert_eq!(relabelled.only().labels.to_vec(), ["done", "received"]);
    assert_eq!(thread.labels.to_vec(), ["done", "received", "spam", "unread"]);
}

async fn assigned(world: World, caller: &Caller, assignment: Assignment) -> Result<Thread, Error> {
    let change = ThreadChange { assignee: Some(assignment), ..ThreadChange::default() };
    update(&world.app(), &in_inbox(caller), id(10), change).await
}

#[tokio::test]
async fn thread_is_assigned_to_caller_or_key_or_unassigned() {
    let worker = Actor::ApiKey { api_key_id: id(30), name: "Sign-up".to_owned() };
    let table = [
        (Assignment::Me, Some(fixtures::caller().actor)),
        (Assignment::Nobody, None),
        (Assignment::Id(worker.id()), Some(worker)),
    ];
    for (assignment, expected) in table {
        let mut world = world_with(&[message(0, &["received"])]);
        let key = |_, api_key_id| Ok(Some(ApiKey { api_key_id, ..fixtures::api_key() }));
        world.store.expect_api_key().returning(key);
        let held = usize::from(expected.is_some());
        world.last_unit_of_work().api_keys.expect_hold().times(held).returning(key);
        let updated = expect_update(&mut world);
        assigned(world, &fixtures::caller(), assignment).await.unwrap();
        assert_eq!(updated.only().assignee, expected);
    }
}

#[tokio::test]
async fn thread_is_not_assigned_to_key_without_access() {
    let elsewhere = InboxId::stored("other@inboxd.example".to_owned());
    let keys = [
        None,
        Some(ApiKey { expires_at: Some(NOW), ..fixtures::api_key() }),
        Some(ApiKey { reach: Reach::Pod(id(99)), ..fixtures::api_key() }),
        Some(ApiKey { reach: Reach::Inbox { pod_id: id(2), inbox_id: elsewhere }, ..fixtures::api_key() }),
        Some(ApiKey { permissions: permissions(&["message_send"]), ..fixtures::api_key() }),
    ];
    for key in keys {
        // The key was revoked or narrowed between the read and the change; the key of the caller is checked too.
        let there = ApiKey { api_key_id: id(30), ..fixtures::api_key() };
        for whom in [Assignment::Id(there.api_key_id.to_string()), Assignment::Me] {
            let (there, since) = (there.clone(), key.clone());
            let mut world = showing(&[message(0, &["received"])]);
            world.store.expect_api_key().returning(move |_, _| Ok(Some(there.clone())));
            world.unit_of_work().api_keys.expect_hold().once().return_once(move |_, _| Ok(since));
            assert_eq!(paths(assigned(world, &fixtures::caller(), whom).await.unwrap_err()), ["assignee_id"]);
        }
        let mut world = showing(&[message(0, &["received"])]);
        world.store.expect_api_key().once().return_once(move |_, _| Ok(key));
        let named = Assignment::Id("key_0000000000000000000000000000001e".to_owned());
        let refused = assigned(world, &fixtures::caller(), named).await;
        assert_eq!(paths(refused.unwrap_err()), ["assignee_id"]);
    }
    let world = showing(&[message(0, &["received"])]);
    let refused = assigned(world, &fixtures::caller(), Assignment::Id("mem_1".to_owned())).await;
    assert_eq!(paths(refused.unwrap_err()), ["assignee_id"]);
    let unseeing = Caller { permissions: permissions(&["message_update"]), ..fixtures::caller() };
    let refused = assigned(showing(&[message(0, &["received"])]), &unseeing, Assignment::Me).await;
    assert_eq!(paths(refused.unwrap_err()), ["assignee_id"]);
}

#[tokio::test]
async fn thread_is_assigned_to_member_with_access_only() {
    let elsewhere = BTreeSet::from([InboxId::stored("other@inboxd.example".to_owned())]);
    let admin = Member { role: Role::Admin, inbox_ids: elsewhere.clone(), ..fixtures::member() };
    let here = Member { inbox_ids: BTreeSet::from([inbox_id()]), ..fixtures::member() };
    let named = || Assignment::Id(fixtures::member().member_id.to_string());
    for member in [fixtures::member(), admin, here] {
        let mut world = world_with(&[message(0, &["received"])]);
        let expected = Some(member.actor());
        let held = member.clone();
        world.last_unit_of_work().members.expect_hold().once().return_once(move |_, _| Ok(Some(held)));
        world.store.expect_member().return_once(move |_, _| Ok(Some(member)));
        let updated = expect_update(&mut world);
        assigned(world, &fixtures::caller(), named()).await.unwrap();
        assert_eq!(updated.only().assignee, expected);
    }
    let invited = Member { joined_at: None, ..fixtures::member() };
    let limited = Member { inbox_ids: elsewhere, ..fixtures::member() };
    for member in [None, Some(invited), Some(limited)] {
        let mut world = showing(&[message(0, &["received"])]);
        let found = member.clone();
        world.store.expect_member().return_once(move |_, _| Ok(found));
        let refused = assigned(world, &fixtures::caller(), named()).await;
        assert_eq!(paths(refused.unwrap_err()), ["assignee_id"]);
        // The member was removed or limited between the read and the change; the own key of a person is checked too.
        let maria = fixtures::member();
        for (caller, whom) in [(fixtures::caller(), named()), (fixtures::calling(&maria), Assignment::Me)] {
            let (there, since) = (maria.clone(), member.clone());
            let mut world = showing(&[message(0, &["received"])]);
            world.store.expect_member().returning(move |_, _| Ok(Some(there.clone())));
            world.unit_of_work().members.expect_hold().once().return_once(move |_, _| Ok(since));
            assert_eq!(paths(assigned(world, &caller, whom).await.unwrap_err()), ["assignee_id"]);
        }
    }
}

#[tokio::test]
async fn assigned_filter_lists_threads_of_caller() {
    let table = [
        (AssigneeChoice::Me, AssigneeFilter::Id(fixtures::caller().actor.id())),
        (AssigneeChoice::Nobody, AssigneeFilter::Nobody),
        (AssigneeChoice::Id("mem_1".to_owned()), AssigneeFilter::Id("mem_1".to_owned())),
    ];
    for (choice, expected) in table {
        let mut world = world();
        world.store.expect_list_threads().once().returning(move |query| {
            assert_eq!(query.assignee, Some(expected.clone()));
            assert_eq!((query.senders.as_slice(), query.included), (&["anna".to_owned()][..], fixtures::readable()));
            Ok(Page { items: Vec::new(), next: None })
        });
        let filter = ThreadFilter {
            assignee: Some(choice),
            senders: vec!["ANNA".to_owned()],
            include: HidingLabels::ALL,
            page: PageRequest::default(),
            ..ThreadFilter::default()
        };
        list(&world.app(), &in_inbox(&fixtures::caller()), filter).await.unwrap();
    }
}

#[tokio::test]
async fn attachment_of_thread_message_is_read_byte_for_byte() {
    const RAW: &[u8] = b"Content-Disposition: attachment; filename=a.txt\r\n\r\nhello";
    let mut world = world();
    let item = || {
        let part = inboxd_mail::parse(RAW).attachments[0].part;
        let attachments = vec![Attachment { part, ..fixtures::attachment(20) }];
        MessageItem { attachments, ..message(0, &[]) }
    };
    world.store.expect_item_with_attachment().returning(move |_, _, thread_id, attachment_id, readable| {
        assert_eq!((thread_id, readable), (id(10), HidingLabels::NONE));
        Ok(Some(item()).filter(|_| attachment_id == id(20)))
    });
    // A link needs the metadata only.
    world.store.expect_raw_message().once().returning(move |_, _, message_id, readable| {
        assert_eq!((message_id, readable), (&item().message_id, HidingLabels::NONE));
        Ok(Some(RawSource { item: item(), raw: RAW.to_vec() }))
    });
    let (app, reader) = (world.app(), blind("message_read"));
    let (_, found) = find_attachment(&app, &in_inbox(&reader), id(10), id(20)).await.unwrap();
    assert_eq!(found.attachment.attachment_id, id(20));
    let file = attachment(&app, &in_inbox(&reader), id(10), id(20)).await.unwrap();
    assert_eq!((file.content.as_slice(), file.message_id.as_str()), (&b"hello"[..], "<0@example.org>"));
    let missing = attachment(&app, &in_inbox(&reader), id(10), id(21)).await;
    assert!(matches!(missing, Err(Error::NotFound { resource: Resource::Attachment, .. })));
}
