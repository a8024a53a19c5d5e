//! Readers who lose a right are told of nothing that happens after it.

use inboxd_testkit::Socket;
use serde_json::json;

use super::reach::Land;
use super::{is_bare, mail, started, subject};
use crate::people::{joined, path_of};
use crate::support::in_seconds;

/// Checks that a reader is sent away for a reason, and is told of nothing before.
async fn is_sent_away(mut socket: Socket, why: &str) {
    let (code, said) = socket.closed().await;
    let told: Vec<_> = said.iter().map(|said| (said["type"].as_str(), said["code"].as_str())).collect();
    assert_eq!((code, told.as_slice()), (1008, &[(Some("error"), Some(why))][..]), "{said:#?}");
}

#[tokio::test]
async fn a_revoked_key_is_cut_off_at_once_and_told_of_nothing_after_the_204() {
    let (server, agent, _) = started().await;
    for _ in 0..10 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let key = server.http().with_key(made["api_key"].as_str().unwrap());
        let (mut socket, _) = key.subscribed(json!({})).await;
        let (idle, _) = key.subscribed(json!({"event_types": ["domain.verified"]})).await;
        let silent = key.socket("/v0").await.unwrap();
        mail(&server, &agent.inbox_id, "before").await;
        assert_eq!(subject(&socket.event().await), "before");
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
        mail(&server, &agent.inbox_id, "after").await;
        for socket in [socket, idle, silent] {
            is_sent_away(socket, "unknown_api_key").await;
        }
    }
}

#[tokio::test]
async fn whoever_catches_up_is_told_of_nothing_after_the_204_either() {
    let (server, agent, first) = started().await;
    let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    for number in 0..100 {
        mail(&server, &agent.inbox_id, &format!("number {number}")).await;
    }
    let (mut socket, _) = key.subscribed(json!({"after_event_id": first})).await;
    socket.event().await;
    agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
    mail(&server, &agent.inbox_id, "after").await;
    let (code, said) = socket.closed().await;
    let (last, before) = said.split_last().unwrap();
    assert_eq!((code, &last["code"]), (1008, &json!("unknown_api_key")));
    assert!(before.iter().all(|event| subject(event).starts_with("number ")), "{before:#?}");
}

#[tokio::test]
async fn a_key_that_expires_is_cut_off_although_nothing_happens() {
    let (server, agent, _) = started().await;
    let key = agent.key_with("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(4)})).await;
    let (mut socket, _) = key.subscribed(json!({})).await;
    mail(&server, &agent.inbox_id, "before").await;
    assert_eq!(subject(&socket.event().await), "before");
    is_sent_away(socket, "api_key_expired").await;
}

#[tokio::test]
async fn a_permission_that_is_taken_away_counts_at_once() {
    let (server, agent, _) = started().await;
    let all = json!({"permissions": {"event_read": true, "message_read": true}});
    let made = agent.post("/v0/api-keys", all.clone()).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    for _ in 0..5 {
        let (mut socket, _) = key.subscribed(json!({})).await;
        mail(&server, &agent.inbox_id, "whole").await;
        assert_eq!(subject(&socket.event().await), "whole");
        agent.patch(&path, json!({"permissions": {"event_read": true}})).await.ok();
        mail(&server, &agent.inbox_id, "secret").await;
        is_bare(&socket.event().await);
        agent.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
        mail(&server, &agent.inbox_id, "after").await;
        is_sent_away(socket, "missing_permission").await;
        // Whoever may again comes back.
        agent.patch(&path, all.clone()).await.ok();
    }
}

#[tokio::test]
async fn a_member_who_is_limited_or_removed_is_told_of_theirs_or_of_nothing() {
    let land = Land::new().await;
    let all = joined(&land.server, &land.agent, "all@example.org", "member", json!([])).await;
    let path = path_of(&land.agent, "all@example.org").await;
    let (mut socket, _) = all.subscribed(json!({})).await;
    for _ in 0..5 {
        land.agent.patch(&path, json!({"inbox_ids": []})).await.ok();
        land.mail_everywhere("before").await;
        for name in ["ranger", "far", "scout"] {
            assert_eq!(subject(&socket.event().await), format!("before to {name}"));
        }
        land.agent.patch(&path, json!({"inbox_ids": [land.agent.inbox_id]})).await.ok();
        land.mail_everywhere("limited").await;
        assert_eq!(subject(&socket.event().await), "limited to scout");
    }
    land.agent.delete(&path).await.gone();
    land.mail_everywhere("after").await;
    is_sent_away(socket, "unknown_api_key").await;
}

#[tokio::test]
async fn an_inbox_that_is_deleted_takes_its_readers_with_it() {
    let land = Land::new().await;
    let of_far = land.agent.key_with(&format!("/v0/inboxes/{}/api-keys", land.far), json!({})).await;
    let (socket, _) = of_far.subscribed(json!({})).await;
    let (mut member, _) = land.member.subscribed(json!({})).await;
    let (mut naming, _) = land.agent.subscribed(json!({"inbox_ids": [land.far, land.ranger]})).await;
    land.agent.delete(&format!("/v0/inboxes/{}", land.far)).await.gone();
    is_sent_away(socket, "unknown_api_key").await;
    mail(&land.server, &land.ranger, "to ranger").await;
    assert_eq!(subject(&member.event().await), "to ranger", "the others go on");
    assert_eq!(subject(&naming.event().await), "to ranger");
}
