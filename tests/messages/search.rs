//! `GET …/messages/search`.

use inboxd_testkit::{Mail, encoded};

use crate::support::{receive, receive_all, server_and_agent, subjects, walk};

#[tokio::test]
async fn a_literal_substring_is_found_wherever_it_stands_without_case() {
    let (server, agent) = server_and_agent().await;
    let mail = Mail::new(
        "Ålice <alice@outside.example>",
        &agent.inbox_id,
        "Order 100%_done",
        "The ÜBER-parcel\nis \\ on its way.",
    )
    .header("Cc", "dispatch@outside.example");
    receive(&server, &agent, &mail).await;
    receive(&server, &agent, &Mail::new("bob@outside.example", &agent.inbox_id, "Other", "nothing of note")).await;
    let found =
        ["ålice", "ALICE@outside", "dispatch@", "order 100%", "100%_d", "über-PARCEL", "is \\ on", "scout@signup"];
    for q in found {
        let hits = subjects(&agent, &format!("/messages/search?q={}", encoded(q))).await;
        assert!(hits.contains(&"Order 100%_done".to_owned()), "{q}: {hits:?}");
    }
    for q in ["100_", "parcel_", "o%r", "nowhere", "parcel is"] {
        assert_eq!(subjects(&agent, &format!("/messages/search?q={}", encoded(q))).await.len(), 0, "{q}");
    }
}

#[tokio::test]
async fn hits_come_newest_first_in_pages_and_windows() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["a1", "b", "a2", "a3"]).await;
    let found = walk(&agent, &agent.inbox("/messages/search?q=about%20a&limit=2"), "messages", "subject").await;
    assert_eq!(found, ["a3", "a2", "a1"]);
    let at = agent.message_about("a2").await["timestamp"].as_str().unwrap().to_owned();
    assert_eq!(subjects(&agent, &format!("/messages/search?q=about%20a&before={at}")).await, ["a1"]);
    assert_eq!(subjects(&agent, &format!("/messages/search?q=about%20a&after={at}")).await, ["a3"]);
}

#[tokio::test]
async fn what_to_search_for_has_to_be_said() {
    let (_server, agent) = server_and_agent().await;
    assert_eq!(agent.get(&agent.inbox("/messages/search")).await.bad_fields(), ["q"]);
}
