//! Creation, reading, listing and deletion of list entries.

use inboxd_testkit::{HttpRequest, redacted};
use insta::assert_snapshot;
use serde_json::json;

use super::{add_entry, delete_entry, level_paths};
use crate::support::{count, read_pages, run_concurrently, server_and_agent, text_fields};

#[tokio::test]
async fn entry_is_shown_at_its_level() {
    let (_server, agent) = server_and_agent().await;
    let [organization, pod, inbox] = level_paths(&agent).await;
    let made =
        agent.post("/v0/lists/send/allow", json!({"entry": "Anna@Example.org", "reason": "a friend"})).await.ok();
    assert_snapshot!(redacted(&made), @r#"
    {
      "created_at": "[time]",
      "direction": "send",
      "entry": "anna@example.org",
      "entry_type": "email",
      "list_type": "allow",
      "organization_id": "[org_…]",
      "read_only": false,
      "reason": "a friend"
    }
    "#);
    assert_eq!(agent.get("/v0/lists/send/allow/ANNA@example.org").await.ok(), made);
    let of_inbox = add_entry(&agent, &inbox, "receive/block", "Example.org").await;
    assert_snapshot!(redacted(&of_inbox), @r#"
    {
      "created_at": "[time]",
      "direction": "receive",
      "entry": "example.org",
      "entry_type": "domain",
      "inbox_id": "scout@signup.inboxd.localhost",
      "list_type": "block",
      "organization_id": "[org_…]",
      "pod_id": "[pod_…]",
      "read_only": false
    }
    "#);
    let of_pod = add_entry(&agent, &pod, "reply/block", "example.org").await;
    assert_eq!((&of_pod["pod_id"], of_pod.get("inbox_id")), (&of_inbox["pod_id"], None));
    for (whose, list, plural) in [(&organization, "send/allow", 1), (&pod, "send/allow", 0), (&inbox, "send/block", 0)]
    {
        let page = agent.get(&format!("/v0{whose}/lists/{list}")).await.ok();
        assert_eq!((&page["count"], &page["limit"]), (&json!(plural), &json!(50)), "{page:#}");
        assert_eq!(page["entries"].as_array().unwrap().len(), plural);
    }
}

#[tokio::test]
async fn list_is_ordered_by_entry_in_pages() {
    let (_server, agent) = server_and_agent().await;
    for entry in ["d.example", "b@x.example", "a@x.example", "c.example", "e.example"] {
        add_entry(&agent, "", "receive/allow", entry).await;
    }
    for limit in [1, 2, 5] {
        let found = read_pages(&agent, &format!("/v0/lists/receive/allow?limit={limit}"), "entries", "entry").await;
        assert_eq!(found, ["a@x.example", "b@x.example", "c.example", "d.example", "e.example"]);
    }
    let first = agent.get("/v0/lists/receive/allow?limit=2").await.ok();
    let token = first["next_page_token"].as_str().unwrap();
    add_entry(&agent, "", "receive/allow", "a.example").await;
    delete_entry(&agent, "", "receive/allow", "b@x.example").await;
    let rest = agent.get(&format!("/v0/lists/receive/allow?page_token={token}")).await.ok();
    assert_eq!(
        text_fields(&rest, "entries", "entry"),
        ["c.example", "d.example", "e.example"],
        "no entry repeated or missed"
    );
    agent.get(&format!("/v0/lists/receive/block?page_token={token}")).await.require_error(422, "validation_error");
    agent.get("/v0/lists/receive/allow?limit=201").await.require_error(422, "validation_error");
}

#[tokio::test]
async fn existing_entry_is_refused_in_any_letter_case() {
    let (_server, agent) = server_and_agent().await;
    add_entry(&agent, "", "send/block", "anna@example.org").await;
    let again = agent.post("/v0/lists/send/block", json!({"entry": "ANNA@Example.ORG"})).await;
    again.require_error(409, "already_exists");
    // Another list may have the same entry.
    add_entry(&agent, "", "receive/block", "anna@example.org").await;
    let answers = run_concurrently((0..10).map(|_| {
        let agent = agent.clone();
        async move { agent.post("/v0/lists/send/block", json!({"entry": "example.net"})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 409)), (1, 9));
}

#[tokio::test]
async fn entry_in_path_may_contain_at_plus_percent_and_slash() {
    let (_server, agent) = server_and_agent().await;
    for (entry, raw, coded) in [
        ("a+b@example.org", "a+b@example.org", "a%2Bb%40example.org"),
        ("a%b@example.org", "a%25b@example.org", "a%25b%40example.org"),
        ("a/b@example.org", "a/b@example.org", "a%2Fb%40example.org"),
        ("a%41@example.org", "a%2541@example.org", "a%2541@example.org"),
    ] {
        add_entry(&agent, "", "send/allow", entry).await;
        for written in [raw, coded] {
            assert_eq!(agent.get(&format!("/v0/lists/send/allow/{written}")).await.ok()["entry"], entry);
        }
        agent.delete(&format!("/v0/lists/send/allow/{raw}")).await.require_no_content();
        agent.get(&format!("/v0/lists/send/allow/{coded}")).await.require_error(404, "not_found");
    }
}

#[tokio::test]
async fn invalid_entry_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for entry in ["", "no one", "@example.org", "*.example.org", "Anna <anna@example.org>", "a@b@c", "example..org"] {
        let answer = agent.post("/v0/lists/send/block", json!({"entry": entry, "reason": "x".repeat(1001)})).await;
        assert_eq!(answer.bad_fields(), ["entry", "reason"], "{entry:?}");
    }
    assert_eq!(agent.post("/v0/lists/send/block", json!({"reason": 7})).await.bad_fields(), ["entry", "reason"]);
    agent.get("/v0/lists/send/block/nonsense%20here").await.require_error(404, "not_found");
    agent.delete("/v0/lists/send/block/nobody@example.org").await.require_error(404, "not_found");
}

#[tokio::test]
async fn unknown_direction_or_type_is_no_route() {
    let (_server, agent) = server_and_agent().await;
    for path in ["/v0/lists/sideways/allow", "/v0/lists/send/maybe", "/v0/lists/SEND/allow/x.example"] {
        agent.get(path).await.require_error(404, "route_not_found");
        agent.call(HttpRequest::new("DELETE", &format!("{path}/a"))).await.require_error(404, "route_not_found");
    }
    agent.post("/v0/lists/send/maybe", json!({"entry": "x.example"})).await.require_error(404, "route_not_found");
    agent
        .post(&agent.inbox("/lists/x/allow"), json!({"entry": "x.example"}))
        .await
        .require_error(404, "route_not_found");
}

#[tokio::test]
async fn pod_and_inbox_lists_have_pages_like_organization_list() {
    let (_server, agent) = server_and_agent().await;
    let names = ["a@x.example", "b@x.example", "c.example", "d.example", "e.example"];
    for (number, whose) in level_paths(&agent).await.iter().enumerate() {
        // Each level has a distinct entry.
        let own = format!("z{number}.example");
        for entry in names.iter().rev().copied().chain([own.as_str()]) {
            add_entry(&agent, whose, "receive/allow", entry).await;
        }
        let target = format!("/v0{whose}/lists/receive/allow");
        for limit in [1, 2, 6, 200] {
            let found = read_pages(&agent, &format!("{target}?limit={limit}"), "entries", "entry").await;
            assert_eq!(found, names.into_iter().chain([own.as_str()]).collect::<Vec<_>>(), "{target} by {limit}");
        }
        let first = agent.get(&format!("{target}?limit=2")).await.ok();
        assert_eq!((&first["count"], &first["limit"]), (&json!(2), &json!(2)));
        let token = first["next_page_token"].as_str().unwrap();
        add_entry(&agent, whose, "receive/allow", "a.example").await;
        delete_entry(&agent, whose, "receive/allow", "b@x.example").await;
        let rest = agent.get(&format!("{target}?page_token={token}")).await.ok();
        assert_eq!(text_fields(&rest, "entries", "entry"), ["c.example", "d.example", "e.example", &own], "{target}");
        agent
            .get(&format!("/v0{whose}/lists/receive/block?page_token={token}"))
            .await
            .require_error(422, "validation_error");
        agent.get(&format!("{target}?limit=201")).await.require_error(422, "validation_error");
    }
}
