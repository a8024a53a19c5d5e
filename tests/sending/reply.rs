//! `POST …/reply` and `…/reply-all`.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use super::server_with_relay;
use crate::support::receive;

#[tokio::test]
async fn conversation_stays_in_one_thread_on_both_sides() {
    let (relay, server, agent) = server_with_relay().await;
    let question = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "Lunch?", "Lunch today?")
        .id("<q1@outside.example>");
    receive(&server, &agent, &question).await;
    let received = agent.message_about("Lunch?").await;
    let reply = agent.message(&received["message_id"], "/reply");
    let sent = agent.post(&reply, json!({"text": "Gladly."})).await.ok();
    assert_eq!(sent["thread_id"], received["thread_id"]);

    let mail = relay.mail_about("Re: Lunch?").await;
    assert_eq!(mail.to, ["alice@outside.example"]);
    assert!(mail.header("From").contains(&agent.inbox_id), "{}", mail.text());
    assert!(mail.header("To").contains("<alice@outside.example>"), "{}", mail.text());
    assert_eq!(mail.header("In-Reply-To"), "<q1@outside.example>");
    assert_eq!(mail.header("References"), "<q1@outside.example>");
    assert_eq!(mail.header("Message-ID"), sent["message_id"].as_str().unwrap());

    // The external reply joins it too, by In-Reply-To or References alone.
    let by_reply = MailBuilder::new("alice@outside.example", &agent.inbox_id, "Re: Lunch?", "At noon?")
        .id("<q2@outside.example>")
        .header("In-Reply-To", &mail.header("Message-ID"));
    receive(&server, &agent, &by_reply).await;
    let by_references = MailBuilder::new("alice@outside.example", &agent.inbox_id, "Changed subject", "Or at one?")
        .id("<q3@outside.example>")
        .header("References", &format!("<unknown@x.example> {}\r\n <q2@outside.example>", mail.header("Message-ID")));
    receive(&server, &agent, &by_references).await;
    let thread = agent.get(&agent.thread(&received["thread_id"], "")).await.ok();
    assert_eq!(thread["message_count"], 4);
    let subjects = crate::support::text_fields(&thread, "messages", "subject");
    assert_eq!(subjects, ["Lunch?", "Re: Lunch?", "Re: Lunch?", "Changed subject"], "oldest first");

    // A reply to the reply refers to the whole chain, and its subject has one Re:.
    let last = agent.message_about("Changed subject").await;
    agent.post(&agent.message(&last["message_id"], "/reply"), json!({"text": "One."})).await.ok();
    let mail = relay.mail_about("Re: Changed subject").await;
    assert!(mail.header("References").ends_with("<q2@outside.example> <q3@outside.example>"), "{}", mail.text());
}

#[tokio::test]
async fn reply_to_overrides_from() {
    let (relay, server, agent) = server_with_relay().await;
    let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, "ticket", "x")
        .header("Reply-To", "desk@outside.example");
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("ticket").await["message_id"].clone();
    agent.post(&agent.message(&id, "/reply"), json!({"text": "y", "html": "<p>y</p>"})).await.ok();
    assert_eq!(relay.mail_about("Re: ticket").await.to, ["desk@outside.example"]);
}

#[tokio::test]
async fn reply_all_includes_everyone_except_own_inbox() {
    let (relay, server, agent) = server_with_relay().await;
    let to = format!("Scout <{}>, bob@outside.example, {}", agent.inbox_id.to_uppercase(), "carol@outside.example");
    let mail = MailBuilder::new("alice@outside.example", &to, "all of you", "x")
        .header("Cc", "dave@outside.example, ALICE@outside.example");
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("all of you").await["message_id"].clone();
    let sent = agent.post(&agent.message(&id, "/reply-all"), json!({"text": "hello everyone"})).await.ok();
    let mail = relay.mail_about("Re: all of you").await;
    let mut to = mail.to.clone();
    to.sort();
    assert_eq!(to, ["alice@outside.example", "bob@outside.example", "carol@outside.example", "dave@outside.example"]);
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert_eq!(stored["cc"], json!(["dave@outside.example"]));
    assert!(!stored["to"].to_string().contains("scout"), "{stored:#}");
}

#[tokio::test]
async fn reply_all_refuses_other_recipients() {
    let (relay, server, agent) = server_with_relay().await;
    let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, "all of you", "x");
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("all of you").await["message_id"].clone();
    for (act, everyone) in [("/reply-all", json!({})), ("/reply", json!({"reply_all": true}))] {
        let with = |fields: &[&str], given: serde_json::Value| {
            let mut body = everyone.clone();
            for field in fields {
                body[*field] = given.clone();
            }
            body["text"] = json!(act);
            body
        };
        let every = ["bcc", "cc", "to"];
        for field in every {
            let answer = agent.post(&agent.message(&id, act), with(&[field], json!("eve@outside.example"))).await;
            assert_eq!(answer.bad_fields(), [field], "{act}");
        }
        let answer = agent.post(&agent.message(&id, act), with(&every, json!(["eve@outside.example"]))).await;
        assert_eq!(answer.bad_fields(), every, "{act}");
        for nobody in [json!([]), json!(null)] {
            agent.post(&agent.message(&id, act), with(&every, nobody)).await.ok();
        }
        assert_eq!(relay.mail_about("Re: all of you").await.to, ["alice@outside.example"]);
    }
    assert_eq!(
        agent.get(&agent.inbox("/messages?subject=all")).await.ok()["count"],
        5,
        "the first message and four replies"
    );
}

#[tokio::test]
async fn reply_to_own_message_goes_to_same_recipients() {
    let (relay, _server, agent) = server_with_relay().await;
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "offer", "text": "An offer."})).await;
    agent.post(&agent.message(&sent["message_id"], "/reply"), json!({"text": "Did you see it?"})).await.ok();
    let mail = relay.mail_about("Re: offer").await;
    assert_eq!(mail.to, ["bob@outside.example"]);
    assert_eq!(mail.header("In-Reply-To"), sent["message_id"].as_str().unwrap());
}

#[tokio::test]
async fn unverified_agent_replies_to_owner_only() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for (from, subject) in [("alice@outside.example", "stranger"), ("owner@example.org", "owner")] {
        receive(&server, &agent, &MailBuilder::new(from, &agent.inbox_id, subject, "x")).await;
    }
    let stranger = agent.message_about("stranger").await["message_id"].clone();
    let answer = agent.post(&agent.message(&stranger, "/reply"), json!({"text": "y"})).await;
    answer.require_error(403, "organization_unverified");
    let owner = agent.message_about("owner").await["message_id"].clone();
    agent.post(&agent.message(&owner, "/reply"), json!({"text": "y"})).await.ok();
}

#[tokio::test]
async fn reply_to_unknown_message_is_not_found() {
    let (_relay, _server, agent) = server_with_relay().await;
    let (named, everyone) = (json!({"to": "bob@outside.example", "text": "y"}), json!({"text": "y"}));
    for (kind, body) in [("reply", named.clone()), ("reply-all", everyone), ("forward", named)] {
        let path = agent.inbox(&format!("/messages/nobody@nowhere.example/{kind}"));
        agent.post(&path, body).await.require_error(404, "not_found");
    }
}
