//! `GET …/messages` with every filter.

use inboxd_testkit::{MailBuilder, encoded};
use serde_json::json;

use crate::support::{receive, receive_all, server_and_agent, subjects};

#[tokio::test]
async fn empty_inbox_is_empty_list() {
    let (_server, agent) = server_and_agent().await;
    let list = agent.get(&agent.inbox("/messages")).await.ok();
    assert_eq!(list, json!({"count": 0, "limit": 50, "messages": []}));
}

#[tokio::test]
async fn text_filters_match_substrings_without_case() {
    let (server, agent) = server_and_agent().await;
    let mails = [
        MailBuilder::new("Alice Wönder <alice@outside.example>", &agent.inbox_id, "Invoice, March", "1"),
        MailBuilder::new(
            "Bob <bob@elsewhere.example>",
            &format!("{}, carol@third.example", agent.inbox_id),
            "Invoice April",
            "2",
        ),
    ];
    for mail in &mails {
        receive(&server, &agent, mail).await;
    }
    let table: [(&str, &[&str]); 14] = [
        ("from=ALICE", &["Invoice, March"]),
        (&format!("from={}", encoded("WÖNDER")), &["Invoice, March"]),
        ("from=.example", &["Invoice April", "Invoice, March"]),
        ("from=nobody", &[]),
        ("from=bob&from=elsewhere", &["Invoice April"]),
        ("from=bob&from=alice", &[]),
        ("from=%5B%22bob%22,%22elsewhere%22%5D", &["Invoice April"]),
        ("to=carol", &["Invoice April"]),
        ("to=scout", &["Invoice April", "Invoice, March"]),
        ("subject=invoice", &["Invoice April", "Invoice, March"]),
        // A text is never split at its commas.
        ("subject=march,invoice", &[]),
        ("subject=invoice,%20march", &["Invoice, March"]),
        ("subject=%25", &[]),
        ("subject=april&from=bob&to=carol", &["Invoice April"]),
    ];
    for (query, expected) in table {
        assert_eq!(subjects(&agent, &format!("/messages?{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn label_filter_needs_all_labels_in_any_query_form() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    for (subject, labels) in [("one", json!(["a"])), ("two", json!(["a", "B"]))] {
        let id = agent.message_about(subject).await["message_id"].clone();
        agent.patch(&agent.message(&id, ""), json!({"add_labels": labels})).await.ok();
    }
    let table: [(&str, &[&str]); 9] = [
        ("labels=a", &["two", "one"]),
        ("labels=A", &["two", "one"]),
        ("labels=a&labels=b", &["two"]),
        ("labels=a,b", &["two"]),
        ("labels=%5B%22a%22%2C%22b%22%5D", &["two"]),
        ("labels=[%22a%22]", &["two", "one"]),
        ("labels=unread&labels=received", &["three", "two", "one"]),
        ("labels=nothing", &[]),
        ("labels=a&from=alice&ascending=true", &["one", "two"]),
    ];
    for (query, expected) in table {
        assert_eq!(subjects(&agent, &format!("/messages?{query}")).await, expected, "{query}");
    }
}

#[tokio::test]
async fn before_and_after_are_exclusive() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let at = agent.message_about("two").await["timestamp"].as_str().unwrap().to_owned();
    assert_eq!(subjects(&agent, &format!("/messages?before={at}")).await, ["one"]);
    assert_eq!(subjects(&agent, &format!("/messages?after={at}")).await, ["three"]);
    assert_eq!(subjects(&agent, "/messages?after=2020-01-01T00:00:00%2B02:00").await.len(), 3);
    assert_eq!(subjects(&agent, "/messages?before=2020-01-01T00:00:00Z").await.len(), 0);
}

#[tokio::test]
async fn trash_is_omitted_unless_included() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["kept", "thrown away"]).await;
    let id = agent.message_about("thrown away").await["message_id"].clone();
    agent.patch(&agent.message(&id, ""), json!({"add_labels": ["trash"]})).await.ok();
    let table: [(&str, &[&str]); 6] = [
        ("", &["kept"]),
        ("?include_trash=true", &["thrown away", "kept"]),
        ("?include_trash=false", &["kept"]),
        ("?include_spam=true&include_blocked=true&include_unauthenticated=true", &["kept"]),
        ("?labels=trash", &[]),
        ("?labels=trash&include_trash=true", &["thrown away"]),
    ];
    for (query, expected) in table {
        assert_eq!(subjects(&agent, &format!("/messages{query}")).await, expected, "{query}");
    }
    assert_eq!(subjects(&agent, "/messages/search?q=thrown").await.len(), 0);
    assert_eq!(subjects(&agent, "/threads").await, ["kept"]);
    agent.patch(&agent.message(&id, ""), json!({"remove_labels": ["trash"]})).await.ok();
    assert_eq!(subjects(&agent, "/messages").await, ["thrown away", "kept"]);
}

#[tokio::test]
async fn invalid_parameters_are_named_and_unknown_ones_ignored() {
    let (_server, agent) = server_and_agent().await;
    let bad = agent.inbox("/messages?limit=many&before=yesterday&after=0&ascending=2&include_spam=x&page_token=%00");
    let fields = agent.get(&bad).await.bad_fields();
    for field in ["after", "ascending", "before", "include_spam", "limit"] {
        assert!(fields.iter().any(|other| other == field), "{field} is not in {fields:?}");
    }
    agent.get(&agent.inbox("/messages?unknown=1&limit=&labels=")).await;
    agent.get(&agent.inbox("/messages?unknown=1")).await.ok();
}
