//! `GET …/messages/search`.

use inboxd_testkit::{MailBuilder, encoded, eventually};

use super::{HIDING, hide};
use crate::support::{read_pages, receive, receive_all, server_and_agent, subjects, text_fields};

#[tokio::test]
async fn search_finds_literal_substring_without_case() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new(
        "Ålice <alice@outside.example>",
        &agent.inbox_id,
        "Order 100%_done",
        "The ÜBER-parcel\nis \\ on its way.",
    )
    .header("Cc", "dispatch@outside.example");
    receive(&server, &agent, &mail).await;
    receive(&server, &agent, &MailBuilder::new("bob@outside.example", &agent.inbox_id, "Other", "nothing of note"))
        .await;
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
async fn search_results_are_newest_first_in_pages_and_windows() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["a1", "b", "a2", "a3"]).await;
    let found = read_pages(&agent, &agent.inbox("/messages/search?q=about%20a&limit=2"), "messages", "subject").await;
    assert_eq!(found, ["a3", "a2", "a1"]);
    let at = agent.message_about("a2").await["timestamp"].as_str().unwrap().to_owned();
    assert_eq!(subjects(&agent, &format!("/messages/search?q=about%20a&before={at}")).await, ["a1"]);
    assert_eq!(subjects(&agent, &format!("/messages/search?q=about%20a&after={at}")).await, ["a3"]);
}

#[tokio::test]
async fn search_without_query_is_refused() {
    let (_server, agent) = server_and_agent().await;
    assert_eq!(agent.get(&agent.inbox("/messages/search")).await.bad_fields(), ["q"]);
}

#[tokio::test]
async fn search_returns_list_shape() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "one", "About one.")
        .header("Cc", "bob@outside.example")
        .html("<p>About <b>one</b>.</p>")
        .attach("plan.txt", "text/plain", b"a plan");
    receive(&server, &agent, &mail).await;
    receive_all(&server, &agent, &["two"]).await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let threads = [agent.inbox("/threads"), "/v0/threads".to_owned(), format!("/v0/pods/{pod}/threads")];
    for listed in threads.into_iter().chain([agent.inbox("/messages")]) {
        for limit in [1, 50] {
            let mut list = agent.get(&format!("{listed}?limit={limit}")).await.ok();
            let mut found = agent.get(&format!("{listed}/search?q=about&limit={limit}")).await.ok();
            // A token is bound to its query.
            let tokens = [&mut list, &mut found].map(|page| page.as_object_mut().unwrap().remove("next_page_token"));
            assert_eq!(tokens.map(|token| token.is_some_and(|token| token.is_string())), [limit == 1; 2], "{listed}");
            assert_eq!(found, list, "{listed}");
            for body in ["text", "html", "extracted_text", "extracted_html"] {
                assert!(!found.to_string().contains(&format!("\"{body}\":")), "{listed} has {body}");
            }
        }
    }
}

#[tokio::test]
async fn search_finds_hidden_mail_when_included() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["clean", "spam", "blocked", "unauthenticated", "trash"]).await;
    for label in HIDING {
        hide(&server, &agent, &agent.message_about(label).await["message_id"], label).await;
    }
    let searches = [agent.inbox("/messages"), agent.inbox("/threads"), "/v0/threads".to_owned()];
    for search in searches.map(|listed| format!("{listed}/search?q=about")) {
        let plural = if search.contains("/messages/") { "messages" } else { "threads" };
        let found = async |query: &str| {
            let page = agent.get(&format!("{search}{query}")).await.ok();
            text_fields(&page, plural, "subject").into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found("").await, ["clean"], "{search}");
        for label in HIDING {
            assert_eq!(found(&format!("&include_{label}=true")).await, [label, "clean"], "{search}");
        }
        let all = "&include_spam=true&include_blocked=true&include_unauthenticated=true&include_trash=true";
        assert_eq!(found(all).await, ["trash", "unauthenticated", "blocked", "spam", "clean"], "{search}");
    }
}

#[tokio::test]
async fn search_of_indexed_message_returns_current_state() {
    let (server, agent) = server_and_agent().await;
    let subjects_of_all: Vec<String> = (0..70).map(|number| format!("mail{number:02}")).collect();
    receive_all(&server, &agent, &subjects_of_all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // The query divides by zero until the index has a full batch of messages.
    let indexed = "SELECT 1 / (sum(documents) / 64)::integer FROM search_segments";
    eventually("mail is indexed", async || server.database().try_execute(indexed).await.ok()).await;

    hide(&server, &agent, &agent.message_about("mail17").await["message_id"], "trash").await;
    let gone = agent.message_about("mail27").await["message_id"].clone();
    agent.delete(&agent.message(&gone, "")).await.require_no_content();
    receive(&server, &agent, &MailBuilder::new("bob@outside.example", &agent.inbox_id, "mail97", "The newest.")).await;
    let found = |q: &str| format!("/messages/search?q={q}&limit=200");
    assert_eq!(subjects(&agent, &found("mail07")).await, ["mail07"]);
    assert_eq!(subjects(&agent, &found("7")).await, ["mail97", "mail67", "mail57", "mail47", "mail37", "mail07"]);
    assert_eq!(subjects(&agent, &found("L1")).await.len(), 9);
    assert_eq!(subjects(&agent, &found("mail17&include_trash=true")).await, ["mail17"]);
    assert_eq!(subjects(&agent, &found("mail&labels=trash&include_trash=true")).await, ["mail17"]);
    assert_eq!(subjects(&agent, &found("mail")).await.len(), 69);
    let walked = read_pages(&agent, &agent.inbox("/messages/search?q=mail&limit=7"), "messages", "subject").await;
    assert_eq!(walked, subjects(&agent, "/messages?limit=200").await);
}
