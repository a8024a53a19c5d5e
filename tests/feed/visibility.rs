//! Visibility of events for each reader and each read method.

use inboxd_testkit::{HttpClient, HttpRequest, Persona, TestServer};
use serde_json::json;

use super::{deliver_mail, newest_event_id, page_subjects, path_after, require_no_content};
use crate::people::invite_and_join;
use crate::support::server_and_agent;

/// Three inboxes: `ranger` in the pod of the first one, and `far` in a separate pod.
pub(super) struct ScopedReaders {
    pub(super) server: TestServer,
    pub(super) agent: Persona,
    pub(super) ranger: String,
    pub(super) far: String,
    pub(super) default_pod: String,
    pub(super) far_pod: String,
    /// Keys of the first inbox and of the pod, and a member limited to the two other inboxes.
    pub(super) of_inbox: HttpClient,
    pub(super) of_pod: HttpClient,
    pub(super) member: HttpClient,
}

impl ScopedReaders {
    pub(super) async fn new() -> Self {
        let (server, agent) = server_and_agent().await;
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let ranger = agent.post("/v0/inboxes", json!({"username": "ranger"})).await.ok();
        let far_pod = text(&agent.post("/v0/pods", json!({"name": "far"})).await.ok()["pod_id"]);
        let far = agent.post(&format!("/v0/pods/{far_pod}/inboxes"), json!({"username": "far"})).await.ok();
        let (ranger, default_pod, far) = (text(&ranger["inbox_id"]), text(&ranger["pod_id"]), text(&far["inbox_id"]));
        let of_inbox = agent.create_key(&agent.inbox("/api-keys"), json!({})).await;
        let of_pod = agent.create_key(&format!("/v0/pods/{far_pod}/api-keys"), json!({})).await;
        let member = invite_and_join(&server, &agent, "maria@example.org", "member", json!([ranger, far])).await;
        Self { server, agent, ranger, far, default_pod, far_pod, of_inbox, of_pod, member }
    }

    /// Delivers a mail to each inbox, to the first one last, and returns the subjects.
    pub(super) async fn mail_everywhere(&self, about: &str) {
        for inbox in [&self.ranger, &self.far, &self.agent.inbox_id] {
            let name = inbox.split('@').next().unwrap();
            deliver_mail(&self.server, inbox, &format!("{about} to {name}")).await;
        }
    }

    /// Each reader with the recipients of its visible mail.
    fn readers(&self) -> [(&HttpClient, &'static [&'static str]); 4] {
        [
            (&self.agent, &["ranger", "far", "scout"]),
            (&self.of_inbox, &["scout"]),
            (&self.of_pod, &["far"]),
            (&self.member, &["ranger", "far"]),
        ]
    }
}

fn about(what: &str, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{what} to {name}")).collect()
}

#[tokio::test]
async fn every_read_method_shows_only_visible_events() {
    let readers = ScopedReaders::new().await;
    require_visible_events_alone(&readers).await;
    require_named_inbox(&readers).await;
    require_refusal_of_other_inboxes(&readers).await;
    require_event_without_content(&readers).await;
}

/// Requires that every reader sees the events in its scope, and no others in between.
async fn require_visible_events_alone(readers: &ScopedReaders) {
    readers.mail_everywhere("before").await;
    let cursor = newest_event_id(&readers.agent).await;
    let mut following = Vec::new();
    for (reader, theirs) in readers.readers() {
        let (socket, _) = reader.open_subscribed_socket(json!({"after_event_id": cursor})).await;
        let stream = reader.open_stream(HttpRequest::new("GET", &path_after(&cursor))).await.unwrap();
        following.push((socket, stream, theirs));
    }
    readers.mail_everywhere("first").await;
    readers.mail_everywhere("second").await;
    for (socket, stream, theirs) in &mut following {
        for subject in [about("first", theirs), about("second", theirs)].concat() {
            assert_eq!(super::event_subject(&socket.next_event().await), subject);
            assert_eq!(super::event_subject(&stream.next_event().await), subject);
        }
    }
    for (reader, theirs) in readers.readers() {
        if theirs.len() == 2 {
            continue;
        }
        let expected = [about("first", theirs), about("second", theirs)].concat();
        assert_eq!(page_subjects(&reader.get(&path_after(&cursor)).await.ok()), expected);
        assert_eq!(
            page_subjects(&reader.get(&format!("{}&limit=6&wait=60", path_after(&cursor))).await.ok()),
            expected
        );
    }
    // No foreign event is in between, and none follows.
    readers.mail_everywhere("third").await;
    for (socket, stream, theirs) in &mut following {
        for subject in about("third", theirs) {
            assert_eq!(super::event_subject(&socket.next_event().await), subject);
            assert_eq!(super::event_subject(&stream.next_event().await), subject);
        }
    }
}

/// Requires that a limited member names an inbox, also with a cursor.
async fn require_named_inbox(readers: &ScopedReaders) {
    readers.mail_everywhere("fourth").await;
    let cursor = newest_event_id(&readers.agent).await;
    readers.mail_everywhere("fifth").await;
    for query in [path_after(&cursor), "/v0/events?wait=60".to_owned(), format!("{}&wait=60", path_after(&cursor))] {
        let refusal = readers.member.get(&query).await.require_error(422, "inbox_id_required");
        assert_eq!(refusal["errors"][0]["path"], "inbox_id");
    }
    let named = readers.member.get(&format!("{}&inbox_id={}", path_after(&cursor), readers.far)).await.ok();
    assert_eq!(page_subjects(&named), ["fifth to far"]);
}

/// Requires that every read method refuses inboxes outside the scope, and keys without the permission.
async fn require_refusal_of_other_inboxes(readers: &ScopedReaders) {
    readers.mail_everywhere("sixth").await;
    let cursor = newest_event_id(&readers.agent).await;
    let others = readers.server.verified("other@example.org", "stranger").await;
    let cases = [
        (&readers.of_inbox, readers.ranger.as_str(), 403, "inbox_out_of_scope"),
        (&readers.of_inbox, "nobody@inboxd.localhost", 403, "inbox_out_of_scope"),
        (&readers.of_pod, &readers.ranger, 403, "pod_out_of_scope"),
        (&readers.member, &readers.agent.inbox_id, 403, "inbox_out_of_scope"),
        (&*readers.agent, "nobody@inboxd.localhost", 404, "not_found"),
        (&*readers.agent, &others.inbox_id, 404, "not_found"),
    ];
    for (reader, inbox, status, code) in cases {
        let target = format!("{}&inbox_id={inbox}", path_after(&cursor));
        reader.get(&target).await.require_error(status, code);
        reader.get(&format!("{target}&wait=60")).await.require_error(status, code);
        reader.open_stream(HttpRequest::new("GET", &target)).await.unwrap_err().require_error(status, code);
    }
    let blind = readers.agent.create_key("/v0/api-keys", json!({"permissions": {"message_read": true}})).await;
    for target in [path_after(&cursor), format!("{}&wait=60", path_after(&cursor)), "/v0/events?wait=60".to_owned()] {
        let refusal = blind.get(&target).await.require_error(403, "missing_permission");
        assert!(refusal["fix"].as_str().unwrap().contains("event_read"), "{refusal:#}");
    }
    blind
        .open_stream(HttpRequest::new("GET", &path_after(&cursor)))
        .await
        .unwrap_err()
        .require_error(403, "missing_permission");
    blind.open_socket("/v0").await.unwrap_err().require_error(403, "missing_permission");
}

/// Requires that an event without the permission to read messages has no content.
async fn require_event_without_content(readers: &ScopedReaders) {
    readers.mail_everywhere("seventh").await;
    let cursor = newest_event_id(&readers.agent).await;
    let bare = readers.agent.create_key("/v0/api-keys", json!({"permissions": {"event_read": true}})).await;
    let (mut whole, _) = readers.agent.open_subscribed_socket(json!({})).await;
    let (mut socket, _) = bare.open_subscribed_socket(json!({})).await;
    let mut stream = bare.open_stream(HttpRequest::new("GET", &path_after(&cursor))).await.unwrap();
    deliver_mail(&readers.server, &readers.far, "eighth").await;
    let seen = whole.next_event().await;
    assert_eq!(super::event_subject(&seen), "eighth");
    let page = bare.get(&path_after(&cursor)).await.ok();
    // Two readers see different mail of one event.
    for event in [socket.next_event().await, stream.next_event().await, page["events"][0].clone()] {
        assert_eq!((&event["event_id"], &event["message_id"]), (&seen["event_id"], &seen["message_id"]));
        require_no_content(&event);
    }
}
