//! `GET …/threads/{thread_id}`.

use inboxd_testkit::encoded;
use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent, text_fields};

#[tokio::test]
async fn thread_returns_newest_page_first_with_messages_oldest_first() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    for number in ["2", "3", "4", "5"] {
        receive(&server, &agent, &mail_to(&agent, number).header("References", "<1@outside.example>")).await;
    }
    let thread_id = agent.message_about("1").await["thread_id"].clone();
    let whole = agent.get(&agent.thread(&thread_id, "")).await.ok();
    assert_eq!(text_fields(&whole, "messages", "subject"), ["1", "2", "3", "4", "5"]);
    assert_eq!((&whole["count"], &whole["message_count"]), (&json!(5), &json!(5)));
    assert_eq!((&whole["drafts"], &whole["notes"]), (&json!([]), &json!([])));
    assert_eq!(whole["messages"][0]["text"].as_str().unwrap().trim(), "About 1.");
    assert!(whole["assignee"].is_null() && whole.get("assignee").is_some(), "{whole:#}");

    let newest = agent.get(&agent.thread(&thread_id, "?limit=2")).await.ok();
    assert_eq!(text_fields(&newest, "messages", "subject"), ["4", "5"]);
    assert_eq!((&newest["count"], &newest["message_count"]), (&json!(2), &json!(5)));
    let token = encoded(newest["next_page_token"].as_str().unwrap());
    let next = agent.get(&agent.thread(&thread_id, &format!("?limit=2&page_token={token}"))).await.ok();
    assert_eq!(text_fields(&next, "messages", "subject"), ["2", "3"]);
    let token = encoded(next["next_page_token"].as_str().unwrap());
    let last = agent.get(&agent.thread(&thread_id, &format!("?limit=2&page_token={token}"))).await.ok();
    assert_eq!(text_fields(&last, "messages", "subject"), ["1"]);
    assert!(last.get("next_page_token").is_none(), "{last:#}");
}

#[tokio::test]
async fn equal_subject_does_not_join_threads() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "same")).await;
    receive(&server, &agent, &mail_to(&agent, "same").header("In-Reply-To", "<unknown@outside.example>")).await;
    assert_eq!(agent.get(&agent.inbox("/threads")).await.ok()["count"], 2);
}

#[tokio::test]
async fn concurrent_replies_join_one_thread() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "root").id("<root@outside.example>")).await;
    let mut deliveries = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (address, inbox) = (server.smtp_address().to_owned(), agent.inbox_id.clone());
        let mail = mail_to(&agent, &format!("a{number}")).header("In-Reply-To", "<root@outside.example>").raw();
        deliveries.spawn(async move {
            let mut client = inboxd_testkit::SmtpClient::connect(&address).await;
            client.ehlo().await;
            client.deliver("alice@outside.example", &[&inbox], &mail).await.code
        });
    }
    assert_eq!(deliveries.join_all().await, [250; 20]);
    let list = agent.get(&agent.inbox("/threads")).await.ok();
    assert_eq!((&list["count"], &list["threads"][0]["message_count"]), (&json!(1), &json!(21)));
}

#[tokio::test]
async fn thread_is_found_only_in_its_inbox() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let thread_id = agent.message_about("hello").await["thread_id"].as_str().unwrap().to_owned();
    agent.get(&format!("/v0/inboxes/desk@inboxd.localhost/threads/{thread_id}")).await.require_error(404, "not_found");
    for id in ["thr_00000000000000000000000000000000", "nonsense"] {
        agent.get(&agent.inbox(&format!("/threads/{id}"))).await.require_error(404, "not_found");
    }
}

#[tokio::test]
async fn thread_includes_drafts_and_notes_on_every_path() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let note = agent.post(&agent.thread(&message["thread_id"], "/notes"), json!({"text": "call back"})).await.ok();
    let reply = json!({"in_reply_to": message["message_id"], "text": "Yes."});
    let draft = agent.post(&agent.inbox("/drafts"), reply).await.ok();
    for field in ["created_by", "updated_by"] {
        assert!(draft[field]["api_key_id"].is_string(), "{field}: {draft:#}");
    }
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let id = message["thread_id"].as_str().unwrap();
    for path in [agent.inbox(""), "/v0".to_owned(), format!("/v0/pods/{pod}")] {
        let thread = agent.get(&format!("{path}/threads/{id}")).await.ok();
        assert_eq!(thread["messages"], json!([message]), "{path}");
        assert_eq!((&thread["drafts"], &thread["notes"]), (&json!([draft]), &json!([note])), "{path}");
    }
}
