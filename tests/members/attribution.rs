//! Attribution of actions to members.

use serde_json::json;

use crate::people::invite_and_join;
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn actions_of_member_name_the_member() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let (id, thread_id) = (&message["message_id"], &message["thread_id"]);
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let member_id = maria.get("/v0/auth/me").await.ok()["member_id"].clone();
    let her = json!({"type": "member", "member_id": member_id, "name": "maria", "email": "maria@example.org"});

    let note = maria.post(&agent.thread(thread_id, "/notes"), json!({"text": "call back"})).await.ok();
    assert_eq!(note["created_by"], her);
    let draft = maria.post(&agent.inbox("/drafts"), json!({"in_reply_to": id, "text": "yes"})).await.ok();
    assert_eq!((&draft["created_by"], &draft["updated_by"]), (&her, &her));
    let thread = agent.get(&agent.thread(thread_id, "")).await.ok();
    assert_eq!((&thread["notes"], &thread["drafts"]), (&json!([note]), &json!([draft])));

    // The last editor and the creator are shown separately.
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let changed = agent.patch(&path, json!({"text": "no"})).await.ok();
    assert_eq!((&changed["created_by"], &changed["updated_by"]["type"]), (&her, &json!("api_key")));
    let changed = maria.patch(&path, json!({"text": "perhaps"})).await.ok();
    assert_eq!(changed["updated_by"], her);
    let sent = maria.post(&format!("{path}/send"), json!({"add_labels": ["answered"]})).await.ok();
    assert_eq!(agent.get(&agent.message(&sent["message_id"], "")).await.ok()["sent_by"], her);

    maria.patch(&agent.message(id, ""), json!({"add_labels": ["done"], "remove_labels": ["unread"]})).await.ok();
    let history = agent.get(&agent.inbox("/events?ascending=true")).await.ok();
    let acts: Vec<String> = history["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            assert_eq!(event["actor"], her, "{event:#}");
            format!("{} {}", event["event_type"].as_str().unwrap(), event["label"].as_str().unwrap())
        })
        .collect();
    assert_eq!(acts, ["label.added answered", "label.removed unread", "label.added done"]);
}
