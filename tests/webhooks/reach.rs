//! Who reaches which webhooks, by which path.

use serde_json::json;

use super::{NOWHERE, made, path};
use crate::people::joined;
use crate::support::{each, server_and_agent, set_plan};

#[tokio::test]
async fn a_webhook_belongs_to_the_pod_or_inbox_that_it_was_made_below() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].clone();
    let other = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].clone();
    let pod = |id: &serde_json::Value, rest: &str| format!("/v0/pods/{}/webhooks{rest}", id.as_str().unwrap());
    let everywhere = made(&agent, "/v0/webhooks", json!({})).await;
    let of_pod = made(&agent, &pod(&default, ""), json!({})).await;
    let of_inbox = made(&agent, &agent.inbox("/webhooks"), json!({})).await;
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
        assert_eq!(each(&listed, "webhooks", "webhook_id"), expected, "{list}");
        // What a list shows can be read, changed and rotated below its path, and nothing else.
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
                    answer.refused(404, "not_found");
                }
            }
        }
    }
    agent.delete(&format!("{}/{all}", pod(&default, ""))).await.refused(404, "not_found");
    agent.delete(&pod(&default, &format!("/{inboxes}"))).await.gone();
    agent.get(&path(&of_inbox, "")).await.refused(404, "not_found");
}

#[tokio::test]
async fn keys_of_a_pod_and_of_an_inbox_reach_theirs_alone() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let foreign = made(&agent, "/v0/webhooks", json!({})).await;
    let pod_key = agent.key_with(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    let inbox_key = agent.key_with(&agent.inbox("/api-keys"), json!({})).await;
    let of_pod = made(&pod_key, "/v0/webhooks", json!({})).await;
    assert_eq!(of_pod["pod_id"], json!(pod));
    let of_inbox = made(&inbox_key, "/v0/webhooks", json!({})).await;
    assert_eq!(of_inbox["inbox_id"], json!(agent.inbox_id));
    for (key, own, other) in [(&pod_key, &of_pod, &of_inbox), (&inbox_key, &of_inbox, &of_pod)] {
        let listed = key.get("/v0/webhooks").await.ok();
        assert_eq!(each(&listed, "webhooks", "webhook_id"), [own["webhook_id"].as_str().unwrap()]);
        key.patch(&path(own, ""), json!({"enabled": false})).await.ok();
        for beyond in [&foreign, other] {
            key.get(&path(beyond, "")).await.refused(404, "not_found");
            key.patch(&path(beyond, ""), json!({"enabled": false})).await.refused(404, "not_found");
            key.post(&path(beyond, "/rotate-secret"), json!({})).await.refused(404, "not_found");
            key.patch(&path(beyond, "/headers"), json!({"headers": {"X-A": "1"}})).await.refused(404, "not_found");
            key.delete(&path(beyond, "")).await.refused(404, "not_found");
        }
    }
    let ask = |body: serde_json::Value| {
        let mut body = body;
        body["url"] = json!(NOWHERE);
        body
    };
    let named = || ask(json!({"inbox_ids": [agent.inbox_id]}));
    pod_key.post("/v0/webhooks", named()).await.refused(403, "pod_out_of_scope");
    pod_key.post("/v0/webhooks", ask(json!({"pod_ids": [default]}))).await.refused(403, "pod_out_of_scope");
    let sibling = ask(json!({"inbox_ids": ["sibling@inboxd.localhost"]}));
    inbox_key.post("/v0/webhooks", sibling).await.refused(403, "inbox_out_of_scope");
    let add = json!({"add_inbox_ids": [agent.inbox_id]});
    pod_key.patch(&path(&of_pod, ""), add).await.refused(403, "pod_out_of_scope");
}

#[tokio::test]
async fn a_member_sees_webhooks_and_changes_none() {
    let (server, agent) = server_and_agent().await;
    let webhook = made(&agent, "/v0/webhooks", json!({})).await;
    let below = made(&agent, &agent.inbox("/webhooks"), json!({})).await;
    let maria = joined(&server, &agent, "maria@example.org", "member", json!([])).await;
    assert_eq!(maria.get("/v0/webhooks").await.ok()["count"], 2);
    maria.get(&path(&webhook, "")).await.ok();
    maria.get(&path(&webhook, "/headers")).await.ok();
    let refusals = [
        maria.post("/v0/webhooks", json!({"url": NOWHERE})).await,
        maria.patch(&path(&webhook, ""), json!({"enabled": false})).await,
        maria.delete(&path(&webhook, "")).await,
        maria.patch(&path(&webhook, "/headers"), json!({"headers": {"X-A": "1"}})).await,
        maria.post(&path(&webhook, "/rotate-secret"), json!({})).await,
    ];
    for answer in refusals {
        answer.refused(403, "role_not_allowed");
    }
    // Limited to one inbox, she sees the webhooks of that inbox.
    let bob = joined(&server, &agent, "bob@example.org", "member", json!([agent.inbox_id])).await;
    let listed = bob.get("/v0/webhooks").await.ok();
    assert_eq!(each(&listed, "webhooks", "webhook_id"), [below["webhook_id"].as_str().unwrap()]);
    bob.get(&path(&webhook, "")).await.refused(404, "not_found");
}
