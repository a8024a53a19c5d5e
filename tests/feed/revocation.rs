//! Subscribers that lose a right receive no later event.

use inboxd_testkit::WebSocketClient;
use serde_json::json;

use super::visibility::ScopedReaders;
use super::{deliver_mail, event_subject, require_no_content, start_feed};
use crate::people::{invite_and_join, member_path};
use crate::support::in_seconds;

/// Requires that a subscriber is closed with a reason and receives nothing before.
async fn require_closed(mut socket: WebSocketClient, why: &str) {
    let (code, said) = socket.read_until_close().await;
    let told: Vec<_> = said.iter().map(|said| (said["type"].as_str(), said["code"].as_str())).collect();
    assert_eq!((code, told.as_slice()), (1008, &[(Some("error"), Some(why))][..]), "{said:#?}");
}

#[tokio::test]
async fn revoked_key_receives_no_event_after_204() {
    let (server, agent, _) = start_feed().await;
    for _ in 0..10 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let key = server.http().with_key(made["api_key"].as_str().unwrap());
        let (mut socket, _) = key.open_subscribed_socket(json!({})).await;
        let (idle, _) = key.open_subscribed_socket(json!({"event_types": ["domain.verified"]})).await;
        let silent = key.open_socket("/v0").await.unwrap();
        deliver_mail(&server, &agent.inbox_id, "before").await;
        assert_eq!(event_subject(&socket.next_event().await), "before");
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
        deliver_mail(&server, &agent.inbox_id, "after").await;
        for socket in [socket, idle, silent] {
            require_closed(socket, "unknown_api_key").await;
        }
    }
}

#[tokio::test]
async fn catching_up_subscriber_receives_no_event_after_204() {
    let (server, agent, first) = start_feed().await;
    let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    for number in 0..100 {
        deliver_mail(&server, &agent.inbox_id, &format!("number {number}")).await;
    }
    let (mut socket, _) = key.open_subscribed_socket(json!({"after_event_id": first})).await;
    socket.next_event().await;
    agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
    deliver_mail(&server, &agent.inbox_id, "after").await;
    let (code, said) = socket.read_until_close().await;
    let (last, before) = said.split_last().unwrap();
    assert_eq!((code, &last["code"]), (1008, &json!("unknown_api_key")));
    assert!(before.iter().all(|event| event_subject(event).starts_with("number ")), "{before:#?}");
}

#[tokio::test]
async fn expired_key_is_closed_without_events() {
    let (server, agent, _) = start_feed().await;
    let key = agent.create_key("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(4)})).await;
    let (mut socket, _) = key.open_subscribed_socket(json!({})).await;
    deliver_mail(&server, &agent.inbox_id, "before").await;
    assert_eq!(event_subject(&socket.next_event().await), "before");
    require_closed(socket, "api_key_expired").await;
}

#[tokio::test]
async fn removed_permission_takes_effect_immediately() {
    let (server, agent, _) = start_feed().await;
    let all = json!({"permissions": {"event_read": true, "message_read": true}});
    let made = agent.post("/v0/api-keys", all.clone()).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    for _ in 0..5 {
        let (mut socket, _) = key.open_subscribed_socket(json!({})).await;
        deliver_mail(&server, &agent.inbox_id, "whole").await;
        assert_eq!(event_subject(&socket.next_event().await), "whole");
        agent.patch(&path, json!({"permissions": {"event_read": true}})).await.ok();
        deliver_mail(&server, &agent.inbox_id, "secret").await;
        require_no_content(&socket.next_event().await);
        agent.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
        deliver_mail(&server, &agent.inbox_id, "after").await;
        require_closed(socket, "missing_permission").await;
        // With the permission restored, the subscriber connects again.
        agent.patch(&path, all.clone()).await.ok();
    }
}

#[tokio::test]
async fn limited_member_receives_own_events_and_removed_one_none() {
    let readers = ScopedReaders::new().await;
    let all = invite_and_join(&readers.server, &readers.agent, "all@example.org", "member", json!([])).await;
    let path = member_path(&readers.agent, "all@example.org").await;
    let (mut socket, _) = all.open_subscribed_socket(json!({})).await;
    for _ in 0..5 {
        readers.agent.patch(&path, json!({"inbox_ids": []})).await.ok();
        readers.mail_everywhere("before").await;
        for name in ["ranger", "far", "scout"] {
            assert_eq!(event_subject(&socket.next_event().await), format!("before to {name}"));
        }
        readers.agent.patch(&path, json!({"inbox_ids": [readers.agent.inbox_id]})).await.ok();
        readers.mail_everywhere("limited").await;
        assert_eq!(event_subject(&socket.next_event().await), "limited to scout");
    }
    readers.agent.delete(&path).await.require_no_content();
    readers.mail_everywhere("after").await;
    require_closed(socket, "unknown_api_key").await;
}

#[tokio::test]
async fn deleted_inbox_closes_its_subscribers() {
    let readers = ScopedReaders::new().await;
    let of_far = readers.agent.create_key(&format!("/v0/inboxes/{}/api-keys", readers.far), json!({})).await;
    let (socket, _) = of_far.open_subscribed_socket(json!({})).await;
    let (mut member, _) = readers.member.open_subscribed_socket(json!({})).await;
    let (mut naming, _) =
        readers.agent.open_subscribed_socket(json!({"inbox_ids": [readers.far, readers.ranger]})).await;
    readers.agent.delete(&format!("/v0/inboxes/{}", readers.far)).await.require_no_content();
    require_closed(socket, "unknown_api_key").await;
    deliver_mail(&readers.server, &readers.ranger, "to ranger").await;
    assert_eq!(event_subject(&member.next_event().await), "to ranger", "the other subscribers continue");
    assert_eq!(event_subject(&naming.next_event().await), "to ranger");
}
