//! `PATCH` and `DELETE …/drafts/{draft_id}`.

use serde_json::json;

use super::{create_draft, draft_path, in_seconds};
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn omitted_field_stays_and_null_or_empty_list_clears() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "to": ["a@outside.example"], "cc": ["b@outside.example"], "bcc": ["c@outside.example"],
        "reply_to": ["d@outside.example"], "subject": "s", "text": "t", "html": "<p>h</p>", "labels": ["x"],
    });
    let draft = create_draft(&agent, body).await;
    let target = draft_path(&agent, &draft, "");
    let other = agent.create_key("/v0/api-keys", json!({"name": "editor"})).await;
    let kept = other.patch(&target, json!({"text": "new", "unknown": 1})).await.ok();
    assert_eq!((&kept["text"], &kept["preview"], &kept["html"]), (&json!("new"), &json!("new"), &draft["html"]));
    for field in ["to", "cc", "bcc", "reply_to", "subject", "labels", "created_by", "created_at"] {
        assert_eq!(kept[field], draft[field], "{field}");
    }
    assert_eq!(kept["updated_by"]["name"], "editor");
    assert!(kept["updated_at"].as_str() > draft["updated_at"].as_str(), "{kept:#}");
    let cleared =
        json!({"to": [], "cc": null, "bcc": [], "reply_to": null, "subject": null, "text": null, "html": null});
    let cleared = agent.patch(&target, cleared).await.ok();
    for field in ["to", "cc", "bcc", "reply_to", "subject", "text", "html", "preview"] {
        assert!(cleared.get(field).is_none(), "{field}: {cleared:#}");
    }
    assert_eq!(agent.get(&target).await.ok(), cleared);
}

#[tokio::test]
async fn labels_change_except_system_labels() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"labels": ["a", "b"]})).await;
    let target = draft_path(&agent, &draft, "");
    let changed = agent.patch(&target, json!({"add_labels": "C", "remove_labels": ["a"]})).await.ok();
    assert_eq!(changed["labels"], json!(["b", "c", "draft"]));
    for body in [json!({"remove_labels": ["draft"]}), json!({"add_labels": ["scheduled"]})] {
        agent.patch(&target, body).await.require_error(422, "system_label");
    }
}

#[tokio::test]
async fn send_at_schedules_draft_and_null_unschedules() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = draft_path(&agent, &draft, "");
    let at = in_seconds(3600);
    let scheduled = agent.patch(&target, json!({"send_at": at})).await.ok();
    assert_eq!((&scheduled["send_status"], &scheduled["send_at"]), (&json!("scheduled"), &json!(at)));
    assert_eq!(scheduled["labels"], json!(["draft", "scheduled"]));
    assert_eq!(agent.patch(&target, json!({"text": "y"})).await.ok()["send_at"], at, "an omitted field stays");
    assert_eq!(agent.patch(&target, json!({"send_at": in_seconds(-1)})).await.bad_fields(), ["send_at"]);
    let free = agent.patch(&target, json!({"send_at": null})).await.ok();
    assert_eq!((free.get("send_status"), free.get("send_at"), &free["labels"]), (None, None, &json!(["draft"])));
}

#[tokio::test]
async fn draft_kind_is_fixed() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Lunch").id("<lunch@outside.example>")).await;
    let plain = create_draft(&agent, json!({"text": "x"})).await;
    let id = "<lunch@outside.example>";
    let changed = agent.patch(&draft_path(&agent, &plain, ""), json!({"in_reply_to": id, "forward_of": id})).await.ok();
    assert_eq!((changed.get("in_reply_to"), changed.get("forward_of")), (None, None));
    let reply = create_draft(&agent, json!({"in_reply_to": id})).await;
    let changed = agent
        .patch(&draft_path(&agent, &reply, ""), json!({"in_reply_to": null, "to": "bob@outside.example"}))
        .await
        .ok();
    assert_eq!((&changed["in_reply_to"], &changed["to"]), (&json!(id), &json!(["bob@outside.example"])));
}

#[tokio::test]
async fn deleted_draft_is_not_found() {
    let (_server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = draft_path(&agent, &draft, "");
    agent.delete(&target).await.require_no_content();
    agent.delete(&target).await.require_error(404, "not_found");
    agent.get(&target).await.require_error(404, "not_found");
    agent.patch(&target, json!({"text": "y"})).await.require_error(404, "not_found");
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.require_error(404, "not_found");
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 0);
    agent.get(&agent.inbox("/drafts/none")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn claimed_draft_conflicts() {
    let (server, agent) = server_and_agent().await;
    let draft = create_draft(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = draft_path(&agent, &draft, "");
    server.database().execute("UPDATE drafts SET claimed_until = now() + interval '1 minute'").await;
    assert_eq!(agent.get(&target).await.ok()["send_status"], "sending");
    agent.patch(&target, json!({"text": "y"})).await.require_error(409, "draft_sending");
    agent.delete(&target).await.require_error(409, "draft_sending");
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.require_error(409, "draft_sending");
    // The sender died: after the lease expires, the draft can be sent again.
    server.database().execute("UPDATE drafts SET claimed_until = now()").await;
    agent.post(&draft_path(&agent, &draft, "/send"), json!({})).await.ok();
}
