//! Scope of an inbox key.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent, text_fields};

#[tokio::test]
async fn sibling_inbox_is_out_of_scope_even_if_missing() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for sibling in ["sibling@inboxd.localhost", "nobody@inboxd.localhost"] {
        let path = |rest: &str| format!("/v0/inboxes/{sibling}{rest}");
        let answers = [
            key.get(&path("")).await,
            key.patch(&path(""), json!({"display_name": "Mine"})).await,
            key.delete(&path("")).await,
            key.get(&path("/messages")).await,
            key.get(&path("/messages/search?q=a")).await,
            key.post(&path("/messages/send"), json!({"to": "bob@outside.example", "text": "hello"})).await,
            key.get(&path("/threads")).await,
            key.get(&path("/api-keys")).await,
            key.get(&format!("/v0/events?inbox_id={sibling}")).await,
        ];
        for answer in answers {
            let envelope = answer.require_error(403, "inbox_out_of_scope");
            assert!(envelope["fix"].as_str().unwrap().contains(&agent.inbox_id), "{envelope:#}");
        }
    }
}

#[tokio::test]
async fn inbox_key_may_do_everything_within_inbox() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    // Inbox ids are compared without case.
    key.get(&agent.inbox("").to_uppercase().replace("/V0/INBOXES", "/v0/inboxes")).await.ok();
    assert_eq!(key.get(&agent.inbox("/messages")).await.ok()["count"], 1);
    key.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "hello"})).await.ok();
    let events = key.get("/v0/events").await.ok();
    assert!(
        text_fields(&events, "events", "inbox_id").iter().all(|inbox_id| *inbox_id == agent.inbox_id),
        "{events:#}"
    );
}

#[tokio::test]
async fn organization_lists_show_only_the_inbox() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    server.deliver("alice@outside.example", &["sibling@inboxd.localhost"], mail_to(&agent, "to sibling").raw()).await;
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    assert_eq!(text_fields(&key.get("/v0/inboxes").await.ok(), "inboxes", "inbox_id"), [agent.inbox_id.as_str()]);
    assert_eq!(key.get("/v0/events").await.ok()["count"], 0, "the mail of the sibling is not visible");
}

#[tokio::test]
async fn child_of_inbox_key_has_no_larger_scope() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let child = key.post("/v0/api-keys", json!({"name": "child"})).await.ok();
    assert_eq!(child["inbox_id"], agent.inbox_id);
    let child = agent.with_key(child["api_key"].as_str().unwrap());
    child.get("/v0/inboxes/sibling@inboxd.localhost").await.require_error(403, "inbox_out_of_scope");
}

#[tokio::test]
async fn invalid_keys_are_refused() {
    let (server, agent) = server_and_agent().await;
    let without_key = server.http();
    without_key.get("/v0/inboxes").await.require_error(401, "missing_authorization");
    for key in ["am_nonsense", "", "another-service-1", &format!("{}x", agent.key), &agent.key[..20]] {
        let answer = without_key.with_key(key).get("/v0/inboxes").await;
        assert_eq!(answer.status, 401, "{key:?}: {}", answer.text());
        let code = answer.envelope()["code"].clone();
        assert!(code == "unknown_api_key" || code == "missing_authorization", "{key:?}: {code}");
    }
    let basic = inboxd_testkit::HttpRequest::new("GET", "/v0/inboxes").header("Authorization", "Basic YTpi");
    assert_eq!(without_key.call(basic).await.status, 401);
}

#[tokio::test]
async fn scope_is_taken_from_url_not_from_body() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "sibling"})).await.ok();
    let home = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let table = [
        ("/v0/api-keys".to_owned(), "organization", None, None),
        (format!("/v0/pods/{pod}/api-keys"), "pod", Some(json!(pod)), None),
        (agent.inbox("/api-keys"), "inbox", Some(home.clone()), Some(json!(agent.inbox_id))),
    ];
    for (path, scope, pod_id, inbox_id) in table {
        for elsewhere in [
            json!({"inbox_id": "sibling@inboxd.localhost", "pod_id": pod, "scope": "inbox", "scope_type": "inbox"}),
            json!({"inbox_id": null, "pod_id": home, "scope": "organization", "scope_type": "organization"}),
            json!({"inbox_id": agent.inbox_id, "pod_id": null, "scope_id": agent.organization_id}),
        ] {
            let made = agent.post(&path, elsewhere.clone()).await.ok();
            let key = agent.with_key(made["api_key"].as_str().unwrap());
            let me = key.get("/v0/auth/me").await.ok();
            let api_key_id = made["api_key_id"].as_str().unwrap();
            let changed = agent.patch(&format!("/v0/api-keys/{api_key_id}"), elsewhere.clone()).await.ok();
            for shown in [&made, &changed, &me] {
                let reach = (shown.get("pod_id"), shown.get("inbox_id"));
                assert_eq!(reach, (pod_id.as_ref(), inbox_id.as_ref()), "{path} with {elsewhere}: {shown:#}");
            }
            assert_eq!((&me["scope_type"], &me["organization_id"]), (&json!(scope), &json!(agent.organization_id)));
            assert_eq!(key.get("/v0/auth/me").await.ok(), me, "{path} with {elsewhere}, after the update");
        }
    }
}
