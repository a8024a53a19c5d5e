use inboxd_core::app::threads::notes::NewNote;
use inboxd_core::app::threads::{inbox_of, notes};
use inboxd_core::model::permissions::{MessageRead, MessageUpdate};
use inboxd_core::model::{Actor, Caller, Note, NoteId, Permission, Reach, Scope};
use inboxd_core::ports::ClientIdKind;
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::{Error, LimitedRows, Resource};

use super::{in_inbox, permissions, thread_of, within, world};

fn note() -> Note {
    Note {
        organization_id: id(1),
        inbox_id: fixtures::inbox().inbox_id,
        thread_id: id(10),
        note_id: id(50),
        text: "call back".to_owned(),
        created_by: Actor::ApiKey { api_key_id: id(60), name: "author".to_owned() },
        created_at: NOW,
    }
}

/// An environment with the fixture thread and a note on it.
fn world_with_note() -> World {
    let mut world = world();
    world.store.expect_thread().returning(|_, _, _, _| Ok(Some(thread_of(&[fixtures::message_item()]))));
    world.store.expect_notes_of_thread().returning(|_, _, _| Ok(vec![note()]));
    world
}

#[tokio::test]
async fn note_is_deleted_by_author_or_unrestricted_organization_key() {
    let author = Actor::ApiKey { api_key_id: id(60), name: "renamed since".to_owned() };
    let restricted = permissions(&["message_read", "message_update"]);
    let table = [
        (fixtures::caller(), true),
        (Caller { permissions: restricted.clone(), ..fixtures::caller() }, false),
        (Caller { permissions: restricted, actor: author.clone(), ..fixtures::caller() }, true),
        (fixtures::inbox_caller(), false),
        (Caller { actor: author, ..fixtures::inbox_caller() }, true),
        (Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() }, false),
    ];
    for (caller, allowed) in table {
        let mut world = world_with_note();
        if allowed {
            let tx = world.unit_of_work();
            super::holds_inbox(tx);
            tx.notes.expect_delete().once().returning(|_| Ok(true));
        }
        let journal = world.journal.clone();
        let answer = notes::delete(&world.app(), &in_inbox(&caller), id(10), id(50)).await;
        assert_eq!((answer.is_ok(), journal.commits()), (allowed, usize::from(allowed)), "{caller:?}");
        assert!(allowed || matches!(answer, Err(Error::NotTheAuthor { author }) if author == "author"));
    }
}

fn new(text: &str) -> NewNote {
    NewNote { text: text.to_owned(), client_id: None }
}

#[tokio::test]
async fn thread_has_bounded_number_of_notes() {
    let mut world = world_with_note();
    let tx = world.unit_of_work();
    tx.threads.expect_lock().returning(|_, _, _| Ok(vec![thread_of(&[fixtures::message_item()])]));
    tx.notes.expect_count().returning(|_, _, _| Ok(200));
    let refused = notes::add(&world.app(), &in_inbox(&fixtures::caller()), id(10), new("one more")).await;
    assert!(matches!(refused, Err(Error::RowLimitReached { rows: LimitedRows::Notes, limit: 200 })));
}

#[tokio::test]
async fn thread_outside_caller_scope_is_not_found() {
    let other_pod = Caller { reach: Reach::Pod(id(9)), ..fixtures::caller() };
    let sibling = Reach::Inbox { pod_id: id(2), inbox_id: inbox_id("other@inboxd.example") };
    let other_inbox = Caller { reach: sibling, ..fixtures::caller() };
    for (caller, found) in
        [(fixtures::caller(), true), (fixtures::inbox_caller(), true), (other_pod, false), (other_inbox, false)]
    {
        let mut world = world();
        world.store.expect_inbox_of_thread().returning(|_, _| Ok(Some(fixtures::inbox().inbox_id)));
        let answer = inbox_of(&world.app(), &within::<MessageRead>(&caller, Scope::Organization), id(10)).await;
        assert_eq!(answer.is_ok(), found, "{:?}", caller.reach);
        assert!(found || matches!(answer, Err(Error::NotFound { resource: Resource::Thread, .. })));
    }
}

#[test]
fn note_creation_needs_its_permission() {
    let reader = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = AuthorizedCaller::<MessageUpdate>::new(reader, Scope::Inbox(fixtures::inbox().inbox_id));
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageUpdate))));
}

#[tokio::test]
async fn repeated_client_id_returns_original_note() {
    for (is_there, made) in [(true, id::<NoteId>(50)), (false, id(51))] {
        let mut world = world_with_note();
        let tx = world.unit_of_work();
        tx.threads.expect_lock().returning(|_, _, _| Ok(vec![thread_of(&[fixtures::message_item()])]));
        tx.client_ids
            .expect_spend()
            .withf(|_, kind, client_id, _| *kind == ClientIdKind::Note && client_id == "one")
            .once()
            .returning(move |_, _, _, _| Ok(Some(made.to_string())));
        let journal = world.journal.clone();
        let asked = NewNote { client_id: Some("one".to_owned()), ..new("again") };
        let answer = notes::add(&world.app(), &in_inbox(&fixtures::caller()), id(10), asked).await;
        match answer {
            Ok(original) => assert!(is_there && original == note()),
            Err(refused) => assert!(!is_there && matches!(refused, Error::ClientIdSpent(_)), "{refused:?}"),
        }
        assert_eq!(journal.commits(), 0, "nothing is written");
    }
}
