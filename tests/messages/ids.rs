//! Message ids from outside with any characters, in paths raw or encoded.

use inboxd_testkit::encoded;
use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn message_id_works_in_path_raw_or_encoded() {
    let (server, agent) = server_and_agent().await;
    let ids = [
        "a/b/c@outside.example",
        "a+b@outside.example",
        "50%25@outside.example",
        "x/reply@outside.example",
        "search/raw@outside.example",
        "a=b&c!d$e'f*g~h@outside.example",
        "CamelCase@Outside.Example",
    ];
    for id in ids {
        receive(&server, &agent, &mail_to(&agent, id).id(&format!("<{id}>"))).await;
        let spellings = [
            // Python leaves these four characters unencoded; a single percent sign is always encoded.
            id.replace('%', "%25"),
            format!("%3C{}%3E", id.replace('%', "%25")),
            encoded(id),
            encoded(&format!("<{id}>")),
        ];
        for spelling in spellings {
            let path = agent.inbox(&format!("/messages/{spelling}"));
            assert_eq!(agent.get(&path).await.ok()["subject"], id, "{path}");
            agent.get(&format!("{path}/raw")).await.ok();
            agent.patch(&path, json!({"add_labels": ["seen"]})).await.ok();
            agent.post(&format!("{path}/reply"), json!({"text": format!("reply to {spelling}")})).await.ok();
        }
        agent.delete(&agent.inbox(&format!("/messages/{}", id.replace('%', "%25")))).await.require_no_content();
        agent.get(&agent.inbox(&format!("/messages/{}", encoded(id)))).await.require_error(404, "not_found");
    }
}

#[tokio::test]
async fn message_id_like_longer_path_works_encoded() {
    let (server, agent) = server_and_agent().await;
    for id in ["x/attachments/y@outside.example", "x@outside.example/raw", "x@outside.example/reply"] {
        receive(&server, &agent, &mail_to(&agent, id).id(&format!("<{id}>"))).await;
        let stored = agent.message_about(id).await;
        let path = agent.message(&stored["message_id"], "");
        assert_eq!(agent.get(&path).await.ok()["subject"], id, "{path}");
        agent.post(&format!("{path}/reply"), json!({"text": "reply"})).await.ok();
    }
}

#[tokio::test]
async fn message_ids_are_case_sensitive_and_inbox_ids_are_not() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "one").id("<One@outside.example>")).await;
    agent.get(&agent.inbox("/messages/one@outside.example")).await.require_error(404, "not_found");
    let path = format!("/v0/inboxes/{}/messages/One@outside.example", encoded(&agent.inbox_id.to_uppercase()));
    agent.get(&path).await.ok();
}
