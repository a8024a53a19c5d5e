//! `GET /v0`: connecting, subscribing, and being told.

use inboxd_testkit::{Request, eventually};
use serde_json::json;

use super::{id, mail, newest, started, subject};
use crate::support::in_seconds;

#[tokio::test]
async fn without_a_key_that_works_there_is_no_upgrade() {
    let (server, agent, _) = started().await;
    let expired = agent.post("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(2)})).await.ok();
    let expired = expired["api_key"].as_str().unwrap();
    let short = server.http().with_key(expired);
    eventually("the key expires", async || (short.get("/v0/inboxes").await.status == 401).then_some(())).await;
    for (key, code) in [("am_unknown", "unknown_api_key"), (expired, "api_key_expired")] {
        server.http().with_key(key).socket("/v0").await.unwrap_err().refused(401, code);
        server.http().socket(&format!("/v0?api_key={key}")).await.unwrap_err().refused(401, code);
    }
    server.http().socket("/v0").await.unwrap_err().refused(401, "missing_authorization");
    server.http().socket("/v0?api_key=").await.unwrap_err().refused(401, "unknown_api_key");
    // Whoever cannot connect learns nothing of what else is wrong.
    server.http().get("/v0").await.refused(401, "missing_authorization");
}

#[tokio::test]
async fn the_key_comes_in_the_header_or_in_the_query() {
    let (server, agent, _) = started().await;
    let target = format!("/v0?api_key={}", agent.key);
    let mut by_query = server.http().socket(&target).await.unwrap();
    let mut by_header = agent.socket("/v0").await.unwrap();
    // The header counts where there are both.
    server.http().with_key("am_unknown").socket(&target).await.unwrap_err().refused(401, "unknown_api_key");
    for socket in [&mut by_query, &mut by_header] {
        assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed");
    }
    mail(&server, &agent.inbox_id, "second").await;
    for mut socket in [by_query, by_header] {
        assert_eq!(subject(&socket.event().await), "second");
    }
    // Nothing of a key in a URL is in the log.
    assert!(!server.log().lines().iter().any(|line| line.contains(&agent.key)));
}

#[tokio::test]
async fn a_request_without_an_upgrade_is_told_what_the_path_is() {
    let (_server, agent, _) = started().await;
    let plain = agent.get("/v0").await;
    assert_eq!(plain.header("Upgrade"), Some("websocket"));
    plain.refused(426, "upgrade_required");
    let old = Request::new("GET", "/v0")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Sec-WebSocket-Version", "12");
    let answer = agent.call(old).await;
    assert_eq!(answer.header("Sec-WebSocket-Version"), Some("13"));
    assert!(answer.refused(426, "upgrade_required")["fix"].as_str().unwrap().contains("13"));
}

#[tokio::test]
async fn nothing_is_told_before_somebody_subscribes_and_then_what_the_list_shows() {
    let (server, agent, _) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    mail(&server, &agent.inbox_id, "before").await;
    let told = socket.subscribe(json!({})).await;
    let kinds = [
        "message.received",
        "message.sent",
        "message.delivered",
        "message.bounced",
        "message.complained",
        "message.rejected",
        "domain.verified",
    ];
    assert_eq!(told, json!({"type": "subscribed", "event_types": kinds}), "all but mail that is hidden");
    mail(&server, &agent.inbox_id, "after").await;
    let event = socket.event().await;
    assert_eq!(subject(&event), "after");
    assert_eq!(agent.get("/v0/events?limit=1").await.ok()["events"][0], event);
}

#[tokio::test]
async fn a_subscription_names_kinds_inboxes_and_pods() {
    let land = super::reach::Land::new().await;
    let agent = &land.agent;
    let upper = land.ranger.to_uppercase();
    let (mut sent, told) = agent.subscribed(json!({"event_types": ["message.sent"]})).await;
    assert_eq!(told, json!({"type": "subscribed", "event_types": ["message.sent"]}));
    let (mut ranger, told) = agent.subscribed(json!({"inbox_ids": [upper]})).await;
    assert_eq!(told["inbox_ids"], json!([land.ranger]));
    let (mut pod, told) = agent.subscribed(json!({"pod_ids": land.far_pod, "event_types": null})).await;
    assert_eq!((&told["pod_ids"], told.get("inbox_ids")), (&json!([land.far_pod]), None));
    let both = json!({"inbox_ids": [agent.inbox_id], "pod_ids": [land.far_pod], "event_types": ["message.received"]});
    let (mut both, _) = agent.subscribed(both).await;
    land.mail_everywhere("first").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    land.mail_everywhere("second").await;
    assert_eq!(subject(&sent.event().await), "message.sent");
    for about in ["first", "second"] {
        assert_eq!(subject(&ranger.event().await), format!("{about} to ranger"));
        assert_eq!(subject(&pod.event().await), format!("{about} to far"));
        assert_eq!(subject(&both.event().await), format!("{about} to far"));
        assert_eq!(subject(&both.event().await), format!("{about} to scout"), "of either of what is named");
    }
}

#[tokio::test]
async fn what_cannot_be_had_is_an_error_and_the_connection_stays() {
    let (server, agent, first) = started().await;
    let mut socket = agent.socket("/v0").await.unwrap();
    let many: Vec<String> = (0..101).map(|number| format!("a{number}@b.example")).collect();
    let cases = [
        (json!({"event_types": ["message.flown"]}), "BadRequestError", "unknown_event_type"),
        (json!({"event_types": ["label.added"]}), "BadRequestError", "unknown_event_type"),
        (json!({"event_types": 1}), "ValidationError", "validation_error"),
        (json!({"inbox_ids": many}), "ValidationError", "validation_error"),
        (json!({"inbox_ids": ["nobody@inboxd.localhost"]}), "NotFoundError", "not_found"),
        (json!({"pod_ids": ["pod_00000000000000000000000000000000"]}), "NotFoundError", "not_found"),
        (json!({"pod_ids": ["x"]}), "NotFoundError", "not_found"),
        (json!({"after_event_id": "x"}), "NotFoundError", "not_found"),
    ];
    for (fields, name, code) in cases {
        let told = socket.subscribe(fields.clone()).await;
        assert_eq!(
            (&told["type"], &told["name"], &told["code"]),
            (&json!("error"), &json!(name), &json!(code)),
            "{fields}: {told:#}"
        );
        for field in ["message", "fix", "docs"] {
            assert!(!told[field].as_str().unwrap_or("").is_empty(), "{fields}: {told:#}");
        }
    }
    for nonsense in [json!({"type": "unsubscribe"}), json!([]), json!("subscribe"), json!({})] {
        socket.say(&nonsense).await;
        assert_eq!(socket.json().await["code"], "validation_error", "{nonsense}");
    }
    // What is subscribed already goes on as it is.
    assert_eq!(socket.subscribe(json!({"after_event_id": first})).await["type"], "subscribed");
    assert_eq!(socket.subscribe(json!({"event_types": ["message.flown"]})).await["type"], "error");
    mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(subject(&socket.event().await), "second");
}

#[tokio::test]
async fn subscribing_again_changes_what_is_told_and_goes_on_where_it_was() {
    let (server, agent, first) = started().await;
    mail(&server, &agent.inbox_id, "second").await;
    let (mut socket, _) = agent.subscribed(json!({"event_types": ["message.received"]})).await;
    mail(&server, &agent.inbox_id, "third").await;
    assert_eq!(subject(&socket.event().await), "third");
    let told = socket.subscribe(json!({"event_types": ["message.sent"]})).await;
    assert_eq!(told["event_types"], json!(["message.sent"]));
    mail(&server, &agent.inbox_id, "fourth").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    let sent = socket.event().await;
    assert_eq!(subject(&sent), "message.sent");
    // Whoever names an event goes back to it.
    let again = json!({"event_types": ["message.received"], "after_event_id": first});
    assert_eq!(socket.subscribe(again).await["type"], "subscribed");
    for about in ["second", "third", "fourth"] {
        assert_eq!(subject(&socket.event().await), about);
    }
    assert!(newest(&agent).await >= id(&sent));
}
