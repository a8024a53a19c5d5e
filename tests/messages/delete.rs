//! `DELETE …/messages/{message_id}`.

use inboxd_testkit::encoded;

use crate::support::{mail_to, receive, server_and_agent, subjects};

#[tokio::test]
async fn deleted_message_disappears_everywhere() {
    let (server, agent) = server_and_agent().await;
    let first = mail_to(&agent, "first").id("<first@outside.example>").attach("a.txt", "text/plain", b"a");
    receive(&server, &agent, &first).await;
    receive(&server, &agent, &mail_to(&agent, "second").header("In-Reply-To", "<first@outside.example>")).await;
    let message = agent.message_about("first").await;
    let (id, thread) = (message["message_id"].clone(), agent.thread(&message["thread_id"], ""));
    let link = agent.get(&agent.message(&id, "/raw")).await.ok()["download_url"].as_str().unwrap().to_owned();

    agent.delete(&agent.message(&id, "")).await.require_no_content();
    agent.get(&agent.message(&id, "")).await.require_error(404, "not_found");
    agent.get(&agent.message(&id, "/raw")).await.require_error(404, "not_found");
    agent.delete(&agent.message(&id, "")).await.require_error(404, "not_found");
    server.http().get(link.strip_prefix(&server.base_url()).unwrap()).await.require_error(404, "not_found");
    assert_eq!(subjects(&agent, "/messages").await, ["second"]);
    assert_eq!(subjects(&agent, &format!("/messages/search?q={}", encoded("About first"))).await.len(), 0);
    let left = agent.get(&thread).await.ok();
    assert_eq!((left["message_count"].as_u64(), left["subject"].as_str()), (Some(1), Some("second")));
    assert!(left.get("attachments").is_none_or(|list| list.as_array().unwrap().is_empty()), "{left:#}");

    // The last message takes its thread along.
    let second = agent.message_about("second").await["message_id"].clone();
    agent.delete(&agent.message(&second, "")).await.require_no_content();
    agent.get(&thread).await.require_error(404, "not_found");
}

#[tokio::test]
async fn event_of_deleted_message_has_no_content() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret plan")).await;
    let id = agent.message_about("secret plan").await["message_id"].clone();
    agent.delete(&agent.message(&id, "")).await.require_no_content();
    let events = agent.get("/v0/events?event_types=message.received").await.ok();
    assert_eq!((events["count"].as_u64(), &events["events"][0]["message_id"]), (Some(1), &id));
    assert!(!events.to_string().contains("secret plan"), "{events:#}");
}
