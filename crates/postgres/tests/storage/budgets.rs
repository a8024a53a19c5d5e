use inboxd_core::model::{Actor, NewMail, NewMessage, Thread, ThreadId};
use inboxd_core::rules::loops::ExhaustedLoopBudget;
use uuid::Uuid;

use crate::support::*;

fn key() -> Actor {
    Actor::ApiKey { api_key_id: Uuid::from_u128(3).into(), name: "agent".to_owned() }
}

fn person() -> Actor {
    let member_id = Uuid::from_u128(4).into();
    Actor::Member { member_id, name: "Maria".to_owned(), email: "maria@example.org".to_owned(), connection_id: None }
}

/// Inserts mail `number` of the thread, sent to these recipients.
fn sent(world: &World, number: i64, by: Option<Actor>, to: &[&str], cc: &[&str], bcc: &[&str]) -> NewMessage {
    let mut mail = world.labelled(number, &["sent"]);
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let item = &mut mail.message.item;
    (item.thread_id, item.sent_by) = (thread_id(1), by);
    (item.to, item.cc, item.bcc) = (texts(to), texts(cc), texts(bcc));
    mail
}

async fn store(world: &World, mails: &[NewMessage]) {
    let begun = vec![Thread::started_by(&mails[0].message.item)];
    let mail = NewMail { messages: mails.to_vec(), begun, ..NewMail::default() };
    world.begin().await.commit_with(&mail).await.unwrap();
}

/// Returns the exhausted recipients with the start of their windows, for sends after `after`.
async fn spent(world: &World, thread: ThreadId, addresses: &[&str], after: i64, budget: u32) -> Vec<(String, i64)> {
    let addresses: Vec<_> = addresses.iter().map(|text| address(text)).collect();
    let mut tx = world.begin().await;
    let found = tx
        .messages()
        .spent_budgets(world.organization_id(), world.inbox_id(), thread, &addresses, at(after), budget)
        .await
        .unwrap();
    let millis = |spent: &ExhaustedLoopBudget| i64::try_from((spent.oldest - at(0)).whole_milliseconds()).unwrap();
    let mut found: Vec<_> = found.iter().map(|spent| (spent.address.clone(), millis(spent))).collect();
    found.sort();
    found
}

#[tokio::test]
async fn key_sends_in_thread_are_counted_by_recipient() {
    let world = world().await;
    let anna = "Anna Müller <Anna@example.org>";
    let mails = [
        sent(&world, 10, Some(key()), &[anna], &[], &[]),
        sent(&world, 20, Some(key()), &["bob@example.org"], &["anna@EXAMPLE.org"], &[]),
        sent(&world, 30, Some(key()), &[], &[], &["Bob <anna@example.net> <anna@example.org>", anna]),
        sent(&world, 40, Some(person()), &[anna], &[], &[]),
        sent(&world, 50, None, &[anna], &[], &[]),
    ];
    store(&world, &mails).await;
    let wanted = ["anna@example.org", "BOB@example.org", "anna@example.net", "dora@example.org"];
    let all = |since| vec![("anna@example.org".to_owned(), since)];
    assert_eq!(spent(&world, thread_id(1), &wanted, 0, 3).await, all(10));
    assert_eq!(spent(&world, thread_id(1), &wanted, 0, 2).await, all(20), "the older one of the newest two");
    assert_eq!(spent(&world, thread_id(1), &wanted, 0, 4).await, []);
    assert_eq!(spent(&world, thread_id(1), &wanted, 10, 3).await, [], "a send before the window does not count");
    assert_eq!(
        spent(&world, thread_id(1), &wanted, 0, 1).await,
        [("anna@example.org".to_owned(), 30), ("bob@example.org".to_owned(), 20)]
    );
    assert_eq!(spent(&world, thread_id(2), &wanted, 0, 1).await, [], "another thread");
    assert_eq!(spent(&world, thread_id(1), &[], 0, 1).await, []);
}
