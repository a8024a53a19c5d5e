//! Concurrent inbound mail through the use case.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use inboxd_core::app::{App, Arrived, IncomingMail, NotReceived, receive, recipient};
use inboxd_core::model::{HidingLabels, MessageItem, PageRequest, Scope};
use inboxd_core::ports::{AccountReads, MessageQuery, MessageReads, ThreadQuery, ThreadReads};

use crate::support::*;

/// A mail to these addresses with these fields.
async fn mail(app: &App, to: &[&str], fields: &str) -> IncomingMail {
    let mut recipients = Vec::new();
    for address in to {
        recipients.push(recipient(app, &address.parse().unwrap()).await.unwrap());
    }
    let raw = format!("{fields}From: anna@example.org\r\nSubject: hi\r\n\r\nhi\r\n").into_bytes();
    IncomingMail { envelope_from: Some("anna@example.org".parse().unwrap()), recipients, raw, client: None }
}

/// Receives all mails concurrently.
async fn receive_all(app: &App, mails: Vec<IncomingMail>) -> Vec<Result<Arrived, NotReceived>> {
    join_all(mails.into_iter().map(|mail| receive(app, mail))).await
}

async fn messages(world: &World) -> Vec<MessageItem> {
    let page = PageRequest { limit: 200, ..PageRequest::default() };
    let query = MessageQuery { page, included: HidingLabels::ALL, ..world.messages() };
    world.store.list_messages(&query).await.unwrap().items
}

#[tokio::test]
async fn concurrent_mail_is_stored_once_threaded_and_counted() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let app = world.app(at(100));
    let (first, second) = (world.inbox_id().as_str().to_owned(), second.inbox_id.as_str().to_owned());
    let mut mails = Vec::new();
    for number in 0..20 {
        let question = format!("Message-ID: <question-{number}@x>\r\n");
        let answer = format!("Message-ID: <answer-{number}@x>\r\nIn-Reply-To: <question-{number}@x>\r\n");
        mails.push(mail(&app, &[&first, &second], &question).await);
        mails.push(mail(&app, &[&first], &answer).await);
        // The same mails again, as after lost replies.
        mails.push(mail(&app, &[&first, &second], &question).await);
        mails.push(mail(&app, &[&second], &question.replace("question", "other")).await);
    }
    let answers = receive_all(&app, mails).await;
    let stored: usize = answers.iter().map(|answer| answer.as_ref().unwrap().messages.len()).sum();
    assert_eq!(stored, 20 * 4, "two copies of the first mail, one of each other mail");

    let items = messages(&world).await;
    assert_eq!(items.len(), 40);
    let threads: BTreeSet<_> = items.iter().map(|item| item.thread_id).collect();
    assert_eq!(threads.len(), 20);
    let of_all = ThreadQuery { scope: Scope::Organization, ..world.threads() };
    let of_all = ThreadQuery { page: PageRequest { limit: 200, ..PageRequest::default() }, ..of_all };
    let found = world.store.list_threads(&of_all).await.unwrap().items;
    assert_eq!(found.len(), 60);
    assert_eq!(found.iter().map(|thread| thread.message_count).sum::<u64>(), 80);
    let bytes: u64 = found.iter().map(|thread| thread.size).sum();
    let overview = world.store.overview(world.organization_id()).await.unwrap().unwrap();
    assert_eq!(overview.storage_bytes, bytes);
}

#[tokio::test]
async fn unstorable_mail_does_not_fail_others() {
    let world = world().await;
    let app = world.app(at(100));
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let to = world.inbox_id().as_str().to_owned();
    let mut mails = Vec::new();
    for number in 0..10 {
        mails.push(mail(&app, &[&to], &format!("Message-ID: <{number}@x>\r\n")).await);
    }
    // Its other inbox is deleted before the storage.
    mails.insert(5, mail(&app, &[&to, "second@agents.example"], "Message-ID: <gone@x>\r\n").await);
    delete_inbox(&world.store, &second).await;
    // The database refuses one of the mails.
    let refuse = "ALTER TABLE messages ADD CONSTRAINT test CHECK (message_id <> '<7@x>')";
    world.database.execute(refuse).await;
    let answers = receive_all(&app, mails).await;
    let refused: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.is_err()).map(|(place, _)| place).collect();
    assert_eq!(refused, [5, 8]);
    assert_eq!(messages(&world).await.len(), 9);
}
