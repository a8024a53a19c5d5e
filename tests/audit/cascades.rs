//! What a deletion takes along, and what changes without a caller.

use serde_json::json;

use super::{entries, fields};
use crate::people::invite_and_join;
use crate::support::server_and_agent;
use crate::webhooks::create_webhook;

#[tokio::test]
async fn deletion_names_what_went_with_it() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({"name": "sales"})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = format!("/v0/pods/{pod}");
    let inbox = agent.post(&format!("{path}/inboxes"), json!({})).await.ok()["inbox_id"].as_str().unwrap().to_owned();
    for (scope, action, id) in
        [(format!("/v0/inboxes/{inbox}"), "inbox.deleted", inbox.as_str()), (path.clone(), "pod.deleted", pod.as_str())]
    {
        let key = agent.post(&format!("{scope}/api-keys"), json!({"name": "reader"})).await.ok()["api_key_id"].clone();
        let webhook = create_webhook(&agent, &format!("{scope}/webhooks"), json!({})).await["webhook_id"].clone();
        for entry in ["a.example", "b.example"] {
            agent.post(&format!("{scope}/lists/send/block"), json!({"entry": entry})).await.ok();
        }
        agent.delete(&scope).await.require_no_content();
        let found = entries(&agent, &format!("action={action}")).await;
        assert_eq!((found.len(), found[0]["resource_id"].as_str()), (1, Some(id)));
        let before = &found[0]["before"];
        assert_eq!((&before["api_key_ids"], &before["webhook_ids"]), (&json!([key]), &json!([webhook])), "{before:#}");
        assert_eq!((&before["api_keys"], &before["webhooks"]), (&json!(1), &json!(1)));
        assert_eq!(before["list_entries"], 2);
    }
}

#[tokio::test]
async fn member_that_joins_is_recorded_once() {
    let (server, agent) = server_and_agent().await;
    invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    crate::people::sign_in_client(&server, "maria@example.org").await;
    let joined = entries(&agent, "action=member.joined").await;
    assert_eq!(joined.len(), 1, "{joined:#?}");
    assert_eq!(
        (&joined[0]["actor"]["email"], &joined[0]["after"]["role"]),
        (&json!("maria@example.org"), &json!("member"))
    );
    assert_eq!(fields(&joined, "client_address"), ["127.0.0.1"]);
}
