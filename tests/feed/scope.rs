//! Scope of a subscription.

use inboxd_testkit::{HttpClient, Persona};
use serde_json::{Value, json};

use super::visibility::ScopedReaders;

#[tokio::test]
async fn subscription_keeps_to_scope_of_key() {
    let readers = ScopedReaders::new().await;
    let stranger = readers.server.verified("other@example.org", "stranger").await;
    require_refusal_outside_scope(&readers, &stranger).await;
    require_narrowed_scope(&readers).await;
    require_cursor_of_organization(&readers, &stranger).await;
}

/// Requires that a subscription outside the scope is refused on an open connection.
async fn require_refusal_outside_scope(readers: &ScopedReaders, stranger: &Persona) {
    let their_pod = stranger.get(&stranger.inbox("")).await.ok()["pod_id"].clone();
    let inbox = |inbox: &str| json!({"inbox_ids": [inbox]});
    let pod = |pod: &str| json!({"pod_ids": [pod]});
    let cases: [(&HttpClient, Value, &str); 13] = [
        (&readers.of_inbox, inbox(&readers.ranger), "inbox_out_of_scope"),
        (&readers.of_inbox, inbox("nobody@inboxd.localhost"), "inbox_out_of_scope"),
        (&readers.of_inbox, json!({"inbox_ids": [readers.agent.inbox_id, readers.far]}), "inbox_out_of_scope"),
        (&readers.of_inbox, pod(&readers.far_pod), "inbox_out_of_scope"),
        (&readers.of_inbox, pod(&readers.default_pod), "inbox_out_of_scope"),
        (&readers.of_pod, inbox(&readers.ranger), "pod_out_of_scope"),
        (&readers.of_pod, pod(&readers.default_pod), "pod_out_of_scope"),
        (&readers.of_pod, pod("pod_00000000000000000000000000000000"), "pod_out_of_scope"),
        (&readers.member, inbox(&readers.agent.inbox_id), "inbox_out_of_scope"),
        (&readers.member, pod(&readers.far_pod), "inbox_out_of_scope"),
        (&readers.agent, inbox(&stranger.inbox_id), "not_found"),
        (&readers.agent, pod(their_pod.as_str().unwrap()), "not_found"),
        (stranger, inbox(&readers.ranger), "not_found"),
    ];
    for (reader, fields, code) in cases {
        let mut socket = reader.open_socket("/v0").await.unwrap();
        let told = socket.subscribe(fields.clone()).await;
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!(code)), "{fields}: {told:#}");
        assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed", "{fields}");
    }
}

/// Requires that a subscription narrows the scope of its key.
async fn require_narrowed_scope(readers: &ScopedReaders) {
    let (mut member, _) = readers.member.open_subscribed_socket(json!({"inbox_ids": [readers.far]})).await;
    let (mut of_pod, _) =
        readers.of_pod.open_subscribed_socket(json!({"pod_ids": [readers.far_pod], "inbox_ids": [readers.far]})).await;
    let (mut of_inbox, _) =
        readers.of_inbox.open_subscribed_socket(json!({"inbox_ids": [readers.agent.inbox_id]})).await;
    for about in ["first", "second"] {
        readers.mail_everywhere(about).await;
        assert_eq!(super::event_subject(&member.next_event().await), format!("{about} to far"));
        assert_eq!(super::event_subject(&of_pod.next_event().await), format!("{about} to far"));
        assert_eq!(super::event_subject(&of_inbox.next_event().await), format!("{about} to scout"));
    }
}

/// Requires that any event of the organization is a valid cursor, and no event of another one.
async fn require_cursor_of_organization(readers: &ScopedReaders, stranger: &Persona) {
    readers.mail_everywhere("third").await;
    // An event of the first inbox, which is outside the scope of the others.
    let cursor = super::newest_event_id(&readers.agent).await;
    readers.mail_everywhere("fourth").await;
    let (mut of_pod, _) = readers.of_pod.open_subscribed_socket(json!({"after_event_id": cursor})).await;
    assert_eq!(super::event_subject(&of_pod.next_event().await), "fourth to far");
    let told = stranger.open_socket("/v0").await.unwrap().subscribe(json!({"after_event_id": cursor})).await;
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("not_found")));
}
