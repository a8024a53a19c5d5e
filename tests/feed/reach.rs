//! Readers see what they reach, by whichever way they read.

use inboxd_testkit::{Http, Persona, Request, Server};
use serde_json::json;

use super::{behind, is_bare, mail, newest, subjects};
use crate::people::joined;
use crate::support::server_and_agent;

/// Three inboxes, `ranger` beside the first one, and `far` in a pod of its own.
pub(super) struct Land {
    pub(super) server: Server,
    pub(super) agent: Persona,
    pub(super) ranger: String,
    pub(super) far: String,
    pub(super) default_pod: String,
    pub(super) far_pod: String,
    /// Holders of keys of the first inbox, of the pod, and a member limited to the two others.
    pub(super) of_inbox: Http,
    pub(super) of_pod: Http,
    pub(super) member: Http,
}

impl Land {
    pub(super) async fn new() -> Self {
        let (server, agent) = server_and_agent().await;
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let ranger = agent.post("/v0/inboxes", json!({"username": "ranger"})).await.ok();
        let far_pod = text(&agent.post("/v0/pods", json!({"name": "far"})).await.ok()["pod_id"]);
        let far = agent.post(&format!("/v0/pods/{far_pod}/inboxes"), json!({"username": "far"})).await.ok();
        let (ranger, default_pod, far) = (text(&ranger["inbox_id"]), text(&ranger["pod_id"]), text(&far["inbox_id"]));
        let of_inbox = agent.key_with(&agent.inbox("/api-keys"), json!({})).await;
        let of_pod = agent.key_with(&format!("/v0/pods/{far_pod}/api-keys"), json!({})).await;
        let member = joined(&server, &agent, "maria@example.org", "member", json!([ranger, far])).await;
        Self { server, agent, ranger, far, default_pod, far_pod, of_inbox, of_pod, member }
    }

    /// Delivers a mail to each inbox, the first one last, and answers what their subjects are.
    pub(super) async fn mail_everywhere(&self, about: &str) {
        for inbox in [&self.ranger, &self.far, &self.agent.inbox_id] {
            let name = inbox.split('@').next().unwrap();
            mail(&self.server, inbox, &format!("{about} to {name}")).await;
        }
    }

    /// Each reader, and to whom the mail is that they see.
    fn readers(&self) -> [(&Http, &'static [&'static str]); 4] {
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
async fn every_way_to_follow_shows_a_reader_their_own_and_nothing_else() {
    let land = Land::new().await;
    land.mail_everywhere("before").await;
    let cursor = newest(&land.agent).await;
    let mut following = Vec::new();
    for (reader, theirs) in land.readers() {
        let (socket, _) = reader.subscribed(json!({"after_event_id": cursor})).await;
        let stream = reader.stream(Request::new("GET", &behind(&cursor))).await.unwrap();
        following.push((socket, stream, theirs));
    }
    land.mail_everywhere("first").await;
    land.mail_everywhere("second").await;
    for (socket, stream, theirs) in &mut following {
        for subject in [about("first", theirs), about("second", theirs)].concat() {
            assert_eq!(super::subject(&socket.event().await), subject);
            assert_eq!(super::subject(&stream.event().await), subject);
        }
    }
    for (reader, theirs) in land.readers() {
        if theirs.len() == 2 {
            continue;
        }
        let expected = [about("first", theirs), about("second", theirs)].concat();
        assert_eq!(subjects(&reader.get(&behind(&cursor)).await.ok()), expected);
        assert_eq!(subjects(&reader.get(&format!("{}&limit=6&wait=60", behind(&cursor))).await.ok()), expected);
    }
    // Nothing of others comes in between, and nothing is left at the end.
    land.mail_everywhere("third").await;
    for (socket, stream, theirs) in &mut following {
        for subject in about("third", theirs) {
            assert_eq!(super::subject(&socket.event().await), subject);
            assert_eq!(super::subject(&stream.event().await), subject);
        }
    }
}

#[tokio::test]
async fn a_list_across_several_inboxes_has_to_name_one_with_a_cursor_too() {
    let land = Land::new().await;
    land.mail_everywhere("first").await;
    let cursor = newest(&land.agent).await;
    land.mail_everywhere("second").await;
    for query in [behind(&cursor), "/v0/events?wait=60".to_owned(), format!("{}&wait=60", behind(&cursor))] {
        let refusal = land.member.get(&query).await.refused(422, "inbox_id_required");
        assert_eq!(refusal["errors"][0]["path"], "inbox_id");
    }
    let named = land.member.get(&format!("{}&inbox_id={}", behind(&cursor), land.far)).await.ok();
    assert_eq!(subjects(&named), ["second to far"]);
}

#[tokio::test]
async fn what_a_reader_does_not_reach_is_out_of_scope() {
    let land = Land::new().await;
    land.mail_everywhere("first").await;
    let cursor = newest(&land.agent).await;
    let others = land.server.verified("other@example.org", "stranger").await;
    let cases = [
        (&land.of_inbox, land.ranger.as_str(), 403, "inbox_out_of_scope"),
        (&land.of_inbox, "nobody@inboxd.localhost", 403, "inbox_out_of_scope"),
        (&land.of_pod, &land.ranger, 403, "pod_out_of_scope"),
        (&land.member, &land.agent.inbox_id, 403, "inbox_out_of_scope"),
        (&*land.agent, "nobody@inboxd.localhost", 404, "not_found"),
        (&*land.agent, &others.inbox_id, 404, "not_found"),
    ];
    for (reader, inbox, status, code) in cases {
        let target = format!("{}&inbox_id={inbox}", behind(&cursor));
        reader.get(&target).await.refused(status, code);
        reader.get(&format!("{target}&wait=60")).await.refused(status, code);
        reader.stream(Request::new("GET", &target)).await.unwrap_err().refused(status, code);
    }
    let blind = land.agent.key_with("/v0/api-keys", json!({"permissions": {"message_read": true}})).await;
    for target in [behind(&cursor), format!("{}&wait=60", behind(&cursor)), "/v0/events?wait=60".to_owned()] {
        let refusal = blind.get(&target).await.refused(403, "missing_permission");
        assert!(refusal["fix"].as_str().unwrap().contains("event_read"), "{refusal:#}");
    }
    blind.stream(Request::new("GET", &behind(&cursor))).await.unwrap_err().refused(403, "missing_permission");
    blind.socket("/v0").await.unwrap_err().refused(403, "missing_permission");
}

#[tokio::test]
async fn without_the_right_to_read_messages_an_event_says_what_happened_and_no_more() {
    let land = Land::new().await;
    land.mail_everywhere("first").await;
    let cursor = newest(&land.agent).await;
    let bare = land.agent.key_with("/v0/api-keys", json!({"permissions": {"event_read": true}})).await;
    let (mut whole, _) = land.agent.subscribed(json!({})).await;
    let (mut socket, _) = bare.subscribed(json!({})).await;
    let mut stream = bare.stream(Request::new("GET", &behind(&cursor))).await.unwrap();
    mail(&land.server, &land.far, "second").await;
    let seen = whole.event().await;
    assert_eq!(super::subject(&seen), "second");
    let page = bare.get(&behind(&cursor)).await.ok();
    // Two readers see different mail of one event.
    for event in [socket.event().await, stream.event().await, page["events"][0].clone()] {
        assert_eq!((&event["event_id"], &event["message_id"]), (&seen["event_id"], &seen["message_id"]));
        is_bare(&event);
    }
}
