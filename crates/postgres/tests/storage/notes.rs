use inboxd_core::model::{Actor, Note};
use inboxd_core::ports::NoteReads;
use uuid::Uuid;

use crate::support::*;

fn note(world: &World, number: u128, thread: i64) -> Note {
    Note {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        thread_id: thread_id(thread),
        note_id: Uuid::from_u128(number).into(),
        text: format!("note {number}"),
        created_by: Actor::ApiKey { api_key_id: Uuid::from_u128(1).into(), name: "key".to_owned() },
        created_at: at(i64::try_from(number).unwrap()),
    }
}

async fn notes(world: &World, thread: i64) -> Vec<Note> {
    world.store.notes_of_thread(world.organization_id(), world.inbox_id(), thread_id(thread)).await.unwrap()
}

#[tokio::test]
async fn notes_are_read_oldest_first_and_deleted_singly_or_with_thread() {
    let world = world().await;
    for number in 1..=2 {
        world.deliver(&world.mail(number)).await;
    }
    let (first, second, third) = (note(&world, 5, 1), note(&world, 6, 1), note(&world, 7, 2));
    let mut tx = world.begin().await;
    for note in [&second, &first, &third] {
        tx.notes().insert(note).await.unwrap();
    }
    assert_eq!(tx.notes().count(world.organization_id(), world.inbox_id(), thread_id(1)).await.unwrap(), 2);
    tx.commit().await.unwrap();
    assert_eq!(notes(&world, 1).await, [first.clone(), second.clone()]);
    let mut tx = world.begin().await;
    assert!(tx.notes().delete(&first).await.unwrap());
    assert!(!tx.notes().delete(&first).await.unwrap());
    tx.threads().delete(world.organization_id(), world.inbox_id(), thread_id(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(notes(&world, 1).await, [second]);
    assert_eq!(notes(&world, 2).await, []);
    delete_inbox(&world.store, &world.inbox).await;
    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(100).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(notes(&world, 1).await, []);
}
