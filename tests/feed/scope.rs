//! What a subscription may name: what the reader reaches.

use inboxd_testkit::Http;
use serde_json::{Value, json};

use super::reach::Land;

#[tokio::test]
async fn naming_what_one_does_not_reach_is_out_of_scope_and_the_connection_stays() {
    let land = Land::new().await;
    let stranger = land.server.verified("other@example.org", "stranger").await;
    let their_pod = stranger.get(&stranger.inbox("")).await.ok()["pod_id"].clone();
    let inbox = |inbox: &str| json!({"inbox_ids": [inbox]});
    let pod = |pod: &str| json!({"pod_ids": [pod]});
    let cases: [(&Http, Value, &str); 13] = [
        (&land.of_inbox, inbox(&land.ranger), "inbox_out_of_scope"),
        (&land.of_inbox, inbox("nobody@inboxd.localhost"), "inbox_out_of_scope"),
        (&land.of_inbox, json!({"inbox_ids": [land.agent.inbox_id, land.far]}), "inbox_out_of_scope"),
        (&land.of_inbox, pod(&land.far_pod), "inbox_out_of_scope"),
        (&land.of_inbox, pod(&land.default_pod), "inbox_out_of_scope"),
        (&land.of_pod, inbox(&land.ranger), "pod_out_of_scope"),
        (&land.of_pod, pod(&land.default_pod), "pod_out_of_scope"),
        (&land.of_pod, pod("pod_00000000000000000000000000000000"), "pod_out_of_scope"),
        (&land.member, inbox(&land.agent.inbox_id), "inbox_out_of_scope"),
        (&land.member, pod(&land.far_pod), "inbox_out_of_scope"),
        (&land.agent, inbox(&stranger.inbox_id), "not_found"),
        (&land.agent, pod(their_pod.as_str().unwrap()), "not_found"),
        (&stranger, inbox(&land.ranger), "not_found"),
    ];
    for (reader, fields, code) in cases {
        let mut socket = reader.socket("/v0").await.unwrap();
        let told = socket.subscribe(fields.clone()).await;
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!(code)), "{fields}: {told:#}");
        assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed", "{fields}");
    }
}

#[tokio::test]
async fn a_subscription_narrows_what_one_reaches_and_never_widens_it() {
    let land = Land::new().await;
    let (mut member, _) = land.member.subscribed(json!({"inbox_ids": [land.far]})).await;
    let (mut of_pod, _) = land.of_pod.subscribed(json!({"pod_ids": [land.far_pod], "inbox_ids": [land.far]})).await;
    let (mut of_inbox, _) = land.of_inbox.subscribed(json!({"inbox_ids": [land.agent.inbox_id]})).await;
    for about in ["first", "second"] {
        land.mail_everywhere(about).await;
        assert_eq!(super::subject(&member.event().await), format!("{about} to far"));
        assert_eq!(super::subject(&of_pod.event().await), format!("{about} to far"));
        assert_eq!(super::subject(&of_inbox.event().await), format!("{about} to scout"));
    }
}

#[tokio::test]
async fn an_event_of_the_organization_is_a_place_for_every_reader_in_it() {
    let land = Land::new().await;
    land.mail_everywhere("first").await;
    // That of the first inbox, which the others do not reach.
    let cursor = super::newest(&land.agent).await;
    land.mail_everywhere("second").await;
    let (mut of_pod, _) = land.of_pod.subscribed(json!({"after_event_id": cursor})).await;
    assert_eq!(super::subject(&of_pod.event().await), "second to far");
    let stranger = land.server.verified("other@example.org", "stranger").await;
    let told = stranger.socket("/v0").await.unwrap().subscribe(json!({"after_event_id": cursor})).await;
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("not_found")));
}
