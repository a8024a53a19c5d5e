//! `GET …/threads` and `…/threads/search`.

use inboxd_testkit::{MailBuilder, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{mail_to, read_pages, receive, receive_all, server_and_agent, subjects};

#[tokio::test]
async fn thread_summarizes_its_messages() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "plan").id("<plan@outside.example>").attach("plan.txt", "text/plain", b"a plan");
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("plan").await["message_id"].clone();
    agent.post(&agent.message(&id, "/reply"), json!({"text": "A good plan."})).await.ok();
    inboxd_testkit::eventually("the reply is delivered", async || {
        let threads = agent.get(&agent.inbox("/threads?labels=delivered")).await.ok();
        (threads["count"] == 1).then_some(())
    })
    .await;
    let mut list = agent.get(&agent.inbox("/threads")).await.ok();
    list["threads"][0]["size"] = json!("[size]");
    assert_snapshot!(redacted(&list), @r#"
    {
      "count": 1,
      "limit": 50,
      "threads": [
        {
          "assignee": null,
          "attachments": [
            {
              "attachment_id": "[att_…]",
              "content_disposition": "attachment",
              "content_type": "text/plain",
              "filename": "plan.txt",
              "size": 6
            }
          ],
          "created_at": "[time]",
          "inbox_id": "scout@signup.inboxd.localhost",
          "labels": [
            "delivered",
            "received",
            "sent",
            "unread"
          ],
          "last_message_id": "[<…@signup.inboxd.localhost>]",
          "message_count": 2,
          "preview": "A good plan.",
          "received_timestamp": "[time]",
          "recipients": [
            "scout@signup.inboxd.localhost",
            "Alice <alice@outside.example>"
          ],
          "senders": [
            "Alice <alice@outside.example>",
            "scout@signup.inboxd.localhost"
          ],
          "sent_timestamp": "[time]",
          "size": "[size]",
          "subject": "plan",
          "thread_id": "[thr_…]",
          "timestamp": "[time]",
          "trust": {
            "checks": {
              "dkim": "none",
              "dmarc": "none",
              "spf": "none"
            },
            "reasons": [],
            "verdict": "first_contact"
          },
          "updated_at": "[time]"
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn filters_narrow_thread_list() {
    let (server, agent) = server_and_agent().await;
    receive(
        &server,
        &agent,
        &MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "Invoice, March", "1"),
    )
    .await;
    let to = format!("{}, carol@third.example", agent.inbox_id);
    receive(&server, &agent, &MailBuilder::new("bob@elsewhere.example", &to, "Invoice April", "2")).await;
    let at = agent.get(&agent.inbox("/threads")).await.ok()["threads"][0]["timestamp"].as_str().unwrap().to_owned();
    let table: [(&str, &[&str]); 14] = [
        ("", &["Invoice April", "Invoice, March"]),
        ("ascending=true", &["Invoice, March", "Invoice April"]),
        ("senders=ALICE", &["Invoice, March"]),
        ("senders=%5B%22bob%22%2C%22elsewhere%22%5D", &["Invoice April"]),
        ("senders=alice&senders=bob", &[]),
        ("recipients=carol", &["Invoice April"]),
        ("recipients=scout&recipients=carol", &["Invoice April"]),
        ("subject=APRIL", &["Invoice April"]),
        ("subject=invoice,%20march", &["Invoice, March"]),
        ("labels=unread,received", &["Invoice April", "Invoice, March"]),
        ("labels=todo", &[]),
        (&format!("before={at}"), &["Invoice, March"]),
        (&format!("after={at}"), &[]),
        ("assignee=none", &["Invoice April", "Invoice, March"]),
    ];
    for (query, expected) in table {
        assert_eq!(subjects(&agent, &format!("/threads?{query}")).await, expected, "{query}");
    }
    for (q, expected) in
        [("third.example", &["Invoice April"][..]), ("INVOICE", &["Invoice April", "Invoice, March"]), ("zzz", &[])]
    {
        assert_eq!(subjects(&agent, &format!("/threads/search?q={q}")).await, expected, "{q}");
    }
    assert_eq!(agent.get(&agent.inbox("/threads/search")).await.bad_fields(), ["q"]);
}

#[tokio::test]
async fn pages_contain_every_thread_once_at_equal_times() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1", "2", "3", "4", "5"]).await;
    assert_eq!(
        read_pages(&agent, &agent.inbox("/threads?limit=2"), "threads", "subject").await,
        ["5", "4", "3", "2", "1"]
    );
    let same = "timestamp = '2026-11-20T10:00:00Z'";
    server.database().execute(&format!("UPDATE threads SET {same}; UPDATE thread_labels SET {same}")).await;
    for target in ["/threads?limit=2", "/threads?limit=2&ascending=true", "/threads?limit=1&labels=unread"] {
        let mut found = read_pages(&agent, &agent.inbox(target), "threads", "subject").await;
        found.sort();
        assert_eq!(found, ["1", "2", "3", "4", "5"], "{target}");
    }
}

#[tokio::test]
async fn new_message_moves_thread_to_start() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "old").id("<old@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "new")).await;
    assert_eq!(subjects(&agent, "/threads").await, ["new", "old"]);
    receive(&server, &agent, &mail_to(&agent, "Re: old").header("In-Reply-To", "<old@outside.example>")).await;
    assert_eq!(subjects(&agent, "/threads").await, ["old", "new"]);
}
