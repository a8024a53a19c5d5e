//! Scope of metrics: members limited to inboxes, and other organizations.

use inboxd_testkit::ApiResponse;
use serde_json::{Value, json};

use crate::people::invite_and_join;
use crate::support::{receive_all, server_and_agent};

/// Returns the number of messages stored or received.
fn count(answer: &ApiResponse) -> u64 {
    let answer = answer.ok();
    match answer.get("message_count") {
        Some(points) => points.as_array().unwrap().last().unwrap()["value"].as_u64().unwrap(),
        None => answer["message.received"]
            .as_array()
            .map_or(0, |buckets| buckets.iter().map(|bucket: &Value| bucket["count"].as_u64().unwrap()).sum()),
    }
}

#[tokio::test]
async fn metrics_of_member_cover_own_inboxes_only() {
    let (server, agent) = server_and_agent().await;
    for username in ["desk", "third"] {
        agent.post("/v0/inboxes", json!({"username": username})).await.ok();
    }
    receive_all(&server, &agent, &["1", "2"]).await;
    let desk = "desk@inboxd.localhost";
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let other = agent.post("/v0/pods", json!({"name": "Other"})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let whole = invite_and_join(&server, &agent, "whole@example.org", "member", json!([])).await;
    let one = invite_and_join(&server, &agent, "one@example.org", "member", json!([agent.inbox_id])).await;
    let two = invite_and_join(&server, &agent, "two@example.org", "member", json!([agent.inbox_id, desk])).await;
    for kind in ["events", "usage"] {
        let everywhere = format!("/v0/metrics/{kind}");
        let in_desk = format!("{everywhere}?inbox_id={desk}");
        let in_scout = format!("{everywhere}?inbox_id={}", agent.inbox_id);
        let in_pod = format!("/v0/pods/{pod}/metrics/{kind}");
        for (member, target, expected) in [
            (&whole, &everywhere, 2),
            (&whole, &in_pod, 2),
            (&whole, &in_desk, 0),
            (&one, &everywhere, 2),
            (&one, &in_scout, 2),
            (&two, &in_scout, 2),
            (&two, &in_desk, 0),
            (&two, &agent.inbox(&format!("/metrics/{kind}")), 2),
            (&two, &format!("{in_scout}&pod_id={pod}"), 2),
            (&whole, &format!("{in_scout}&pod_id={pod}"), 2),
        ] {
            assert_eq!(count(&member.get(target).await), expected, "{target}");
        }
        let envelope = two.get(&everywhere).await.require_error(422, "inbox_id_required");
        assert!(envelope["fix"].as_str().unwrap().contains(desk), "{envelope:#}");
        for (member, target) in [
            (&one, in_desk.clone()),
            (&one, in_pod.clone()),
            (&two, in_pod),
            (&two, format!("{everywhere}?pod_id={pod}")),
            (&two, format!("{everywhere}?pod_id={pod}&inbox_id=third@inboxd.localhost")),
            (&two, format!("{everywhere}?inbox_id=third@inboxd.localhost")),
            (&two, format!("/v0/inboxes/third@inboxd.localhost/metrics/{kind}")),
            (&two, format!("{everywhere}?inbox_id=nobody@inboxd.localhost")),
        ] {
            member.get(&target).await.require_error(403, "inbox_out_of_scope");
        }
        // An inbox of the member outside that pod.
        two.get(&format!("{in_scout}&pod_id={other}")).await.require_error(404, "not_found");
    }
}

#[tokio::test]
async fn metrics_exclude_other_organizations() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1", "2"]).await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let foreign = server.verified("foreign@example.org", "foreign").await;
    for kind in ["events", "usage"] {
        assert_eq!(count(&agent.get(&format!("/v0/metrics/{kind}")).await), 2);
        assert_eq!(count(&foreign.get(&format!("/v0/metrics/{kind}")).await), 0);
        for target in [
            agent.inbox(&format!("/metrics/{kind}")),
            format!("/v0/metrics/{kind}?inbox_id={}", agent.inbox_id),
            format!("/v0/metrics/{kind}?inbox_id={}&pod_id={pod}", foreign.inbox_id),
            format!("/v0/metrics/{kind}?pod_id={pod}"),
            format!("/v0/pods/{pod}/metrics/{kind}"),
        ] {
            foreign.get(&target).await.require_error(404, "not_found");
        }
    }
}
