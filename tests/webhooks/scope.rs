//! Access to webhooks by scope and path.

use serde_json::json;

use super::{NOWHERE, create_webhook, webhook_path};
use crate::people::invite_and_join;
use crate::support::{server_and_agent, set_plan, text_fields};

#[tokio::test]
async fn webhook_belongs_to_pod_or_inbox_of_its_path() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let other = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].clone();
    let pod = |id: &serde_json::Value, rest: &str| format!("/v0/pods/{}/webhooks{rest}", id.as_str().unwrap());
    let everywhere = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let of_pod = create_webhook(&agent, &pod(&default, ""), json!({})).await;
    let of_inbox = create_webhook(&agent, &agent.inbox("/webhooks"), json!({})).await;
    assert_eq!((&of_pod["pod_id"], of_pod.get("inbox_id")), (&default, None));
    assert_eq!((&of_inbox["pod_id"], &of_inbox["inbox_id"]), (&default, &json!(agent.inbox_id)));
    let id = |webhook: &serde_json::Value| webhook["webhook_id"].as_str().unwrap().to_owned();
    let (all, pods, inboxes) = (id(&everywhere), id(&of_pod), id(&of_inbox));
    for (list, expected) in [
        ("/v0/webhooks".to_owned(), vec![&inboxes, &pods, &all]),
        (pod(&default, ""), vec![&inboxes, &pods]),
        (pod(&other, ""), vec![]),
        (agent.inbox("/webhooks"), vec![&inboxes]),
    ] {
        let listed = agent.get(&list).await.ok();
        assert_eq!(text_fields(&listed, "webhooks", "webhook_id"), expected, "{list}");
        // The listed webhooks, and no others, can be read, changed and rotated below that path.
        for webhook_id in [&all, &pods, &inboxes] {
            let one = format!("{list}/{webhook_id}");
            let answers = [
                agent.get(&one).await,
                agent.patch(&one, json!({"enabled": true})).await,
                agent.get(&format!("{one}/headers")).await,
                agent.post(&format!("{one}/rotate-secret"), json!({})).await,
            ];
            for answer in answers {
                if expected.contains(&webhook_id) {
                    answer.ok();
                } else {
                    answer.require_error(404, "not_found");
                }
            }
        }
    }
    agent.delete(&format!("{}/{all}", pod(&default, ""))).await.require_error(404, "not_found");
    agent.delete(&pod(&default, &format!("/{inboxes}"))).await.require_no_content();
    agent.get(&webhook_path(&of_inbox, "")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn pod_and_inbox_keys_have_access_to_own_webhooks_only() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let foreign = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let pod_key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    let inbox_key = agent.create_key(&agent.inbox("/api-keys"), json!({})).await;
    let of_pod = create_webhook(&pod_key, "/v0/webhooks", json!({})).await;
    assert_eq!(of_pod["pod_id"], json!(pod));
    let of_inbox = create_webhook(&inbox_key, "/v0/webhooks", json!({})).await;
    assert_eq!(of_inbox["inbox_id"], json!(agent.inbox_id));
    for (key, own, other) in [(&pod_key, &of_pod, &of_inbox), (&inbox_key, &of_inbox, &of_pod)] {
        let listed = key.get("/v0/webhooks").await.ok();
        assert_eq!(text_fields(&listed, "webhooks", "webhook_id"), [own["webhook_id"].as_str().unwrap()]);
        key.patch(&webhook_path(own, ""), json!({"enabled": false})).await.ok();
        for beyond in [&foreign, other] {
            key.get(&webhook_path(beyond, "")).await.require_error(404, "not_found");
            key.patch(&webhook_path(beyond, ""), json!({"enabled": false})).await.require_error(404, "not_found");
            key.post(&webhook_path(beyond, "/rotate-secret"), json!({})).await.require_error(404, "not_found");
            key.patch(&webhook_path(beyond, "/headers"), json!({"headers": {"X-A": "1"}}))
                .await
                .require_error(404, "not_found");
            key.delete(&webhook_path(beyond, "")).await.require_error(404, "not_found");
        }
    }
    let ask = |body: serde_json::Value| {
        let mut body = body;
        body["url"] = json!(NOWHERE);
        body
    };
    let named = || ask(json!({"inbox_ids": [agent.inbox_id]}));
    pod_key.post("/v0/webhooks", named()).await.require_error(403, "pod_out_of_scope");
    pod_key.post("/v0/webhooks", ask(json!({"pod_ids": [default]}))).await.require_error(403, "pod_out_of_scope");
    let sibling = ask(json!({"inbox_ids": ["sibling@inboxd.localhost"]}));
    inbox_key.post("/v0/webhooks", sibling).await.require_error(403, "inbox_out_of_scope");
    let add = json!({"add_inbox_ids": [agent.inbox_id]});
    pod_key.patch(&webhook_path(&of_pod, ""), add).await.require_error(403, "pod_out_of_scope");
}

#[tokio::test]
async fn member_reads_webhooks_but_changes_none() {
    let (server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let below = create_webhook(&agent, &agent.inbox("/webhooks"), json!({})).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    assert_eq!(maria.get("/v0/webhooks").await.ok()["count"], 2);
    maria.get(&webhook_path(&webhook, "")).await.ok();
    maria.get(&webhook_path(&webhook, "/headers")).await.ok();
    let refusals = [
        maria.post("/v0/webhooks", json!({"url": NOWHERE})).await,
        maria.patch(&webhook_path(&webhook, ""), json!({"enabled": false})).await,
        maria.delete(&webhook_path(&webhook, "")).await,
        maria.patch(&webhook_path(&webhook, "/headers"), json!({"headers": {"X-A": "1"}})).await,
        maria.post(&webhook_path(&webhook, "/rotate-secret"), json!({})).await,
    ];
    for answer in refusals {
        answer.require_error(403, "role_not_allowed");
    }
    // Limited to one inbox, she sees the webhooks of that inbox.
    let bob = invite_and_join(&server, &agent, "bob@example.org", "member", json!([agent.inbox_id])).await;
    let listed = bob.get("/v0/webhooks").await.ok();
    assert_eq!(text_fields(&listed, "webhooks", "webhook_id"), [below["webhook_id"].as_str().unwrap()]);
    bob.get(&webhook_path(&webhook, "")).await.require_error(404, "not_found");
}
