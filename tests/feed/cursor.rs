//! `GET /v0/events?after_event_id=…`: later events, oldest first.

use inboxd_testkit::encoded;
use serde_json::{Value, json};

use super::{
    deliver_mail, event_id, event_subject, newest_event_id, page_events, page_subjects, path_after, start_feed,
};
use crate::support::{read_pages, receive_all, text_fields};

#[tokio::test]
async fn cursor_returns_later_events_oldest_first_in_pages() {
    let (server, agent, first) = start_feed().await;
    receive_all(&server, &agent, &["1", "2", "3", "4", "5"]).await;
    let page = agent.get(&path_after(&first)).await.ok();
    assert_eq!(page_subjects(&page), ["1", "2", "3", "4", "5"]);
    assert_eq!((&page["count"], &page["limit"], page.get("next_page_token")), (&json!(5), &json!(50), None));
    let all: Vec<String> = page_events(&page).iter().map(event_id).collect();
    assert_eq!(read_pages(&agent, &format!("{}&limit=2", path_after(&first)), "events", "event_id").await, all);
    assert_eq!(read_pages(&agent, &format!("{}&limit=1", path_after(&all[2])), "events", "event_id").await, all[3..]);
    let turned = format!("{}&ascending=true", path_after(&first));
    assert_eq!(page_subjects(&agent.get(&turned).await.ok()), ["1", "2", "3", "4", "5"]);
    assert_eq!(agent.get(&path_after(&all[4])).await.ok(), json!({"count": 0, "limit": 50, "events": []}));
    // Each event equals the one in the list, which is newest first.
    let mut listed = page_events(&agent.get("/v0/events?limit=5").await.ok());
    listed.reverse();
    assert_eq!(page_events(&page), listed);
}

#[tokio::test]
async fn event_between_pages_is_on_later_page() {
    let (server, agent, first) = start_feed().await;
    receive_all(&server, &agent, &["1", "2", "3"]).await;
    let page = agent.get(&format!("{}&limit=2", path_after(&first))).await.ok();
    receive_all(&server, &agent, &["4"]).await;
    let token = encoded(page["next_page_token"].as_str().unwrap());
    let next = format!("{}&limit=2&page_token={token}", path_after(&first));
    assert_eq!(page_subjects(&agent.get(&next).await.ok()), ["3", "4"]);
    let elsewhere = format!("{}&page_token={token}", path_after(&event_id(&page_events(&page)[0])));
    assert_eq!(agent.get(&elsewhere).await.bad_fields(), ["page_token"]);
    assert_eq!(agent.get(&format!("/v0/events?page_token={token}")).await.bad_fields(), ["page_token"]);
}

#[tokio::test]
async fn filters_apply_after_cursor() {
    let (server, agent, first) = start_feed().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    deliver_mail(&server, &agent.inbox_id, "to scout").await;
    deliver_mail(&server, "desk@inboxd.localhost", "to desk").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    let scout = &agent.inbox_id;
    let table: [(String, &[&str]); 5] = [
        ("event_types=message.received".to_owned(), &["to scout", "to desk"]),
        (format!("event_types=message.received&inbox_id={scout}"), &["to scout"]),
        ("inbox_id=Desk@inboxd.localhost".to_owned(), &["to desk"]),
        (format!("event_types=message.sent,message.received&inbox_id={scout}"), &["to scout", "message.sent"]),
        ("event_types=%5B%22domain.verified%22%5D".to_owned(), &[]),
    ];
    for (query, expected) in table {
        let page = agent.get(&format!("{}&{query}", path_after(&first))).await.ok();
        assert_eq!(page_subjects(&page), expected, "{query}");
        let pages = read_pages(&agent, &format!("{}&limit=1&{query}", path_after(&first)), "events", "event_id").await;
        assert_eq!(pages, text_fields(&page, "events", "event_id"), "{query}");
    }
    let at = |subject: &str, page: &Value| {
        let event = page_events(page).into_iter().find(|event| super::event_subject(event) == subject);
        encoded(event.unwrap()["created_at"].as_str().unwrap())
    };
    let page = agent.get(&format!("{}&event_types=message.received", path_after(&first))).await.ok();
    let (from, to) = (at("to scout", &page), at("to desk", &page));
    let window = format!("{}&event_types=message.received&start={from}&end={to}", path_after(&first));
    assert_eq!(page_subjects(&agent.get(&window).await.ok()), ["to scout"], "the end of the window is exclusive");
    agent
        .get(&format!("{}&event_types=message.flown", path_after(&first)))
        .await
        .require_error(400, "unknown_event_type");
    agent
        .get(&format!("{}&inbox_id=nobody@inboxd.localhost", path_after(&first)))
        .await
        .require_error(404, "not_found");
}

#[tokio::test]
async fn cursor_reads_events_older_than_list_window() {
    let (server, agent, first) = start_feed().await;
    deliver_mail(&server, &agent.inbox_id, "old").await;
    let old = newest_event_id(&agent).await;
    let number = old.trim_start_matches("evt_");
    let eight_days = format!(
        "UPDATE events SET created_at = now() - interval '8 days' WHERE event_id = '{number}';
        UPDATE feed SET created_at = (SELECT created_at FROM events WHERE event_id = '{number}') WHERE event_id = '{number}'"
    );
    agent.get(&path_after(&first)).await.ok();
    server.database().execute(&eight_days).await;
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 1, "the window of the list is seven days");
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["old"]);
}

#[tokio::test]
async fn unknown_event_id_is_not_found() {
    let (server, agent, first) = start_feed().await;
    let other = server.verified("other@example.org", "ranger").await;
    deliver_mail(&server, &other.inbox_id, "secret").await;
    let theirs = newest_event_id(&other).await;
    agent.get(&path_after(&theirs)).await.require_error(404, "not_found");
    other.get(&path_after(&first)).await.require_error(404, "not_found");
    let unknown = super::event_id_before(std::time::Duration::from_secs(5));
    let told = agent.get(&path_after(&unknown)).await.require_error(404, "not_found")["message"].clone();
    let of_stranger = agent.get(&path_after(&theirs)).await.require_error(404, "not_found")["message"].clone();
    assert_eq!(of_stranger.as_str().unwrap().replace(&theirs, &unknown), told, "both are the same 404");
    // The label event is not in this feed and cannot be a cursor.
    let message = agent.message_about("first").await;
    agent.patch(&agent.message(&message["message_id"], ""), json!({"add_labels": ["x"]})).await.ok();
    let history = agent.get(&agent.inbox("/events")).await.ok();
    agent.get(&path_after(&event_id(&history["events"][0]))).await.require_error(404, "not_found");
    for malformed in ["x", "evt_", "evt_0", "org_00000000000000000000000000000000", "%3Cscript%3E"] {
        agent.get(&path_after(malformed)).await.require_error(404, "not_found");
    }
    let twice = format!("{}&after_event_id={first}", path_after(&first));
    assert_eq!(agent.get(&twice).await.bad_fields(), ["after_event_id"]);
}

#[tokio::test]
async fn mail_replied_250_is_in_feed_immediately() {
    let (server, agent, mut last) = start_feed().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    for number in 0..50 {
        let about = format!("number {number}");
        let mail = crate::support::mail_to(&agent, &about).raw();
        client.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.require_code(250, "2");
        let found = page_events(&agent.get(&path_after(&last)).await.ok());
        assert_eq!(found.iter().map(event_subject).collect::<Vec<_>>(), [about.as_str()]);
        last = event_id(&found[0]);
    }
}
