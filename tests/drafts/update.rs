//! `PATCH` and `DELETE …/drafts/{draft_id}`.

use serde_json::json;

use super::{in_seconds, path, write};
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn omitted_keeps_and_null_or_an_empty_list_clears() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "to": ["a@outside.example"], "cc": ["b@outside.example"], "bcc": ["c@outside.example"],
        "reply_to": ["d@outside.example"], "subject": "s", "text": "t", "html": "<p>h</p>", "labels": ["x"],
    });
    let draft = write(&agent, body).await;
    let target = path(&agent, &draft, "");
    let other = agent.key_with("/v0/api-keys", json!({"name": "editor"})).await;
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
async fn labels_change_but_for_those_of_the_service() {
    let (_server, agent) = server_and_agent().await;
    let draft = write(&agent, json!({"labels": ["a", "b"]})).await;
    let target = path(&agent, &draft, "");
    let changed = agent.patch(&target, json!({"add_labels": "C", "remove_labels": ["a"]})).await.ok();
    assert_eq!(changed["labels"], json!(["b", "c", "draft"]));
    for body in [json!({"remove_labels": ["draft"]}), json!({"add_labels": ["scheduled"]})] {
        agent.patch(&target, body).await.refused(422, "system_label");
    }
}

#[tokio::test]
async fn send_at_schedules_and_null_unschedules() {
    let (_server, agent) = server_and_agent().await;
    let draft = write(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = path(&agent, &draft, "");
    let at = in_seconds(3600);
    let scheduled = agent.patch(&target, json!({"send_at": at})).await.ok();
    assert_eq!((&scheduled["send_status"], &scheduled["send_at"]), (&json!("scheduled"), &json!(at)));
    assert_eq!(scheduled["labels"], json!(["draft", "scheduled"]));
    assert_eq!(agent.patch(&target, json!({"text": "y"})).await.ok()["send_at"], at, "omitted keeps it");
    assert_eq!(agent.patch(&target, json!({"send_at": in_seconds(-1)})).await.bad_fields(), ["send_at"]);
    let free = agent.patch(&target, json!({"send_at": null})).await.ok();
    assert_eq!((free.get("send_status"), free.get("send_at"), &free["labels"]), (None, None, &json!(["draft"])));
}

#[tokio::test]
async fn the_kind_is_fixed() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Lunch").id("<lunch@outside.example>")).await;
    let plain = write(&agent, json!({"text": "x"})).await;
    let id = "<lunch@outside.example>";
    let changed = agent.patch(&path(&agent, &plain, ""), json!({"in_reply_to": id, "forward_of": id})).await.ok();
    assert_eq!((changed.get("in_reply_to"), changed.get("forward_of")), (None, None));
    let reply = write(&agent, json!({"in_reply_to": id})).await;
    let changed =
        agent.patch(&path(&agent, &reply, ""), json!({"in_reply_to": null, "to": "bob@outside.example"})).await.ok();
    assert_eq!((&changed["in_reply_to"], &changed["to"]), (&json!(id), &json!(["bob@outside.example"])));
}

#[tokio::test]
async fn a_deleted_draft_is_gone() {
    let (_server, agent) = server_and_agent().await;
    let draft = write(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = path(&agent, &draft, "");
    agent.delete(&target).await.gone();
    agent.delete(&target).await.refused(404, "not_found");
    agent.get(&target).await.refused(404, "not_found");
    agent.patch(&target, json!({"text": "y"})).await.refused(404, "not_found");
    agent.post(&path(&agent, &draft, "/send"), json!({})).await.refused(404, "not_found");
    assert_eq!(agent.get("/v0/drafts").await.ok()["count"], 0);
    agent.get(&agent.inbox("/drafts/none")).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_draft_being_sent_is_a_conflict() {
    let (server, agent) = server_and_agent().await;
    let draft = write(&agent, json!({"to": "bob@outside.example", "text": "x"})).await;
    let target = path(&agent, &draft, "");
    server.database().execute("UPDATE drafts SET claimed_until = now() + interval '1 minute'").await;
    assert_eq!(agent.get(&target).await.ok()["send_status"], "sending");
    agent.patch(&target, json!({"text": "y"})).await.refused(409, "draft_sending");
    agent.delete(&target).await.refused(409, "draft_sending");
    agent.post(&path(&agent, &draft, "/send"), json!({})).await.refused(409, "draft_sending");
    // Whoever was sending it died: when the lease has run out it can be sent again.
    server.database().execute("UPDATE drafts SET claimed_until = now()").await;
    agent.post(&path(&agent, &draft, "/send"), json!({})).await.ok();
}
