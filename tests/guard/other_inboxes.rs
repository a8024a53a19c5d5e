//! Members limited to other inboxes.
//!
//! Operations on an inbox or a whole pod are out of scope, and no list across the organization shows its content.

use inboxd_testkit::{HttpClient, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use super::document::operations;
use crate::people::invite_and_join;
use crate::support::server_and_agent;

/// An agent with an inbox in a separate pod, and a member limited to the first inbox. Everything in that other inbox
/// and pod has a recognizable name.
pub(crate) async fn agent_with_secrets() -> (TestServer, Persona, HttpClient, Vec<(&'static str, String)>) {
    let (server, agent) = server_and_agent().await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pod = text(&agent.post("/v0/pods", json!({"name": "SECRET"})).await.ok()["pod_id"]);
    let body = json!({"username": "secret", "display_name": "SECRET"});
    let inbox = text(&agent.post(&format!("/v0/pods/{pod}/inboxes"), body).await.ok()["inbox_id"]);
    let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox, "SECRET", "SECRET").attach(
        "SECRET.txt",
        "text/plain",
        b"SECRET",
    );
    let reply = server.deliver("alice@outside.example", &[&inbox], mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    let path = |rest: &str| format!("/v0/inboxes/{inbox}{rest}");
    let message = agent.get(&path("/messages")).await.ok()["messages"][0].clone();
    let draft = agent.post(&path("/drafts"), json!({"subject": "SECRET", "text": "SECRET"})).await.ok();
    let key = agent.post(&path("/api-keys"), json!({"name": "SECRET"})).await.ok();
    agent.post(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "SECRET"})).await.ok();
    let hook = json!({"url": "https://hooks.example.invalid/SECRET"});
    let webhook = agent.post(&path("/webhooks"), hook).await.ok();
    let domain = agent.post(&format!("/v0/pods/{pod}/domains"), json!({"domain": "secret.example"})).await.ok();
    for level in [path(""), format!("/v0/pods/{pod}")] {
        agent.post(&format!("{level}/lists/send/block"), json!({"entry": "secret.example"})).await.ok();
    }
    let ids = vec![
        ("inbox_id", inbox.clone()),
        ("pod_id", pod),
        ("thread_id", text(&message["thread_id"])),
        ("attachment_id", text(&message["attachments"][0]["attachment_id"])),
        ("draft_id", text(&draft["draft_id"])),
        ("api_key_id", text(&key["api_key_id"])),
        ("domain_id", text(&domain["domain_id"])),
        ("webhook_id", text(&webhook["webhook_id"])),
    ];
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    (server, agent, maria, ids)
}

fn contains_secret(text: &str) -> bool {
    // A rule of a policy has this name.
    text.to_lowercase().replace("\"secrets\":", "").contains("secret")
}

#[tokio::test]
async fn operations_of_other_inboxes_and_pods_are_out_of_scope_for_member() {
    let (server, agent, maria, ids) = agent_with_secrets().await;
    let own_pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let of_others: Vec<_> = ids.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let mut tried = 0;
    for operation in operations(&server).await {
        if !operation.names("inbox_id") && !operation.names("pod_id") {
            continue;
        }
        let answer = maria.call(operation.request(&of_others)).await;
        assert_eq!(answer.status, 403, "{} {}: {}", operation.method, operation.path, answer.text());
        answer.require_error(403, "inbox_out_of_scope");
        tried += 1;
        // She may read the pod of her inbox, but not its other content.
        let in_own_pod: Vec<_> = [("pod_id", own_pod.as_str())].into_iter().chain(of_others.clone()).collect();
        let answer = maria.call(operation.request(&in_own_pod)).await;
        if (operation.method.as_str(), operation.path.as_str()) == ("GET", "/v0/pods/{pod_id}") {
            answer.ok();
        } else {
            answer.require_error(403, "inbox_out_of_scope");
        }
    }
    assert!(tried > 50, "only {tried} operations were tried");
}

#[tokio::test]
async fn organization_operations_show_member_no_other_inboxes() {
    let (server, agent, maria, ids) = agent_with_secrets().await;
    let before = agent.get("/v0/threads").await.ok();
    let of_others: Vec<_> = ids.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let (mut lists, mut single) = (Vec::new(), 0);
    for operation in operations(&server).await {
        let is_across = !operation.names("inbox_id") && !operation.names("pod_id");
        if operation.is_open() || !is_across {
            continue;
        }
        let what = format!("{} {}", operation.method, operation.path);
        let things = operation.things();
        let is_of_others = |thing: &&str| of_others.iter().any(|(name, _)| name == thing);
        if things.is_empty() && operation.method == "GET" {
            let answer = maria.call(operation.request(&[])).await;
            assert!(!contains_secret(&answer.text()), "{what}: {}", answer.text());
            lists.push(operation.path.clone());
        } else if !things.is_empty() && things.iter().all(is_of_others) {
            let answer = maria.call(operation.request(&of_others)).await;
            assert!([403, 404].contains(&answer.status), "{what}: {}", answer.text());
            assert!(!contains_secret(&answer.text()), "{what}: {}", answer.text());
            single += 1;
        }
    }
    for list in [
        "/v0/inboxes",
        "/v0/pods",
        "/v0/domains",
        "/v0/api-keys",
        "/v0/threads",
        "/v0/threads/search",
        "/v0/drafts",
        "/v0/events",
        "/v0/webhooks",
    ] {
        assert!(lists.iter().any(|path| path == list), "{list} was not tried: {lists:?}");
        // The key of the organization sees the hidden resources.
        let target = if list.ends_with("/search") { format!("{list}?q=a") } else { list.to_owned() };
        let (hers, all) = (maria.get(&target).await.ok(), agent.get(&target).await.ok());
        assert!(contains_secret(&all.to_string()), "{list} is empty for the organization key too: {all:#}");
        assert!(hers["count"].as_u64() < all["count"].as_u64(), "{list}: {hers:#}");
    }
    assert!(single > 10, "only {single} operations were tried");
    assert_eq!(agent.get("/v0/threads").await.ok(), before, "a resource was changed");
}
