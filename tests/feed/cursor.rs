//! `GET /v0/events?after_event_id=…`: what is behind an event, oldest first.

use inboxd_testkit::encoded;
use serde_json::{Value, json};

use super::{behind, events, id, mail, newest, started, subject, subjects};
use crate::support::{each, receive_all, walk};

#[tokio::test]
async fn behind_an_event_come_all_later_ones_oldest_first_and_in_pages() {
    let (server, agent, first) = started().await;
    receive_all(&server, &agent, &["1", "2", "3", "4", "5"]).await;
    let page = agent.get(&behind(&first)).await.ok();
    assert_eq!(subjects(&page), ["1", "2", "3", "4", "5"]);
    assert_eq!((&page["count"], &page["limit"], page.get("next_page_token")), (&json!(5), &json!(50), None));
    let all: Vec<String> = events(&page).iter().map(id).collect();
    assert_eq!(walk(&agent, &format!("{}&limit=2", behind(&first)), "events", "event_id").await, all);
    assert_eq!(walk(&agent, &format!("{}&limit=1", behind(&all[2])), "events", "event_id").await, all[3..]);
    let turned = format!("{}&ascending=true", behind(&first));
    assert_eq!(subjects(&agent.get(&turned).await.ok()), ["1", "2", "3", "4", "5"]);
    assert_eq!(agent.get(&behind(&all[4])).await.ok(), json!({"count": 0, "limit": 50, "events": []}));
    // Each is what the list shows, newest first.
    let mut listed = events(&agent.get("/v0/events?limit=5").await.ok());
    listed.reverse();
    assert_eq!(events(&page), listed);
}

#[tokio::test]
async fn what_happens_between_two_pages_is_on_a_later_one() {
    let (server, agent, first) = started().await;
    receive_all(&server, &agent, &["1", "2", "3"]).await;
    let page = agent.get(&format!("{}&limit=2", behind(&first))).await.ok();
    receive_all(&server, &agent, &["4"]).await;
    let token = encoded(page["next_page_token"].as_str().unwrap());
    let next = format!("{}&limit=2&page_token={token}", behind(&first));
    assert_eq!(subjects(&agent.get(&next).await.ok()), ["3", "4"]);
    let elsewhere = format!("{}&page_token={token}", behind(&id(&events(&page)[0])));
    assert_eq!(agent.get(&elsewhere).await.bad_fields(), ["page_token"]);
    assert_eq!(agent.get(&format!("/v0/events?page_token={token}")).await.bad_fields(), ["page_token"]);
}

#[tokio::test]
async fn filters_hold_behind_an_event_and_leave_the_rest_out() {
    let (server, agent, first) = started().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    mail(&server, &agent.inbox_id, "to scout").await;
    mail(&server, "desk@inboxd.localhost", "to desk").await;
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
        let page = agent.get(&format!("{}&{query}", behind(&first))).await.ok();
        assert_eq!(subjects(&page), expected, "{query}");
        let pages = walk(&agent, &format!("{}&limit=1&{query}", behind(&first)), "events", "event_id").await;
        assert_eq!(pages, each(&page, "events", "event_id"), "{query}");
    }
    let at = |subject: &str, page: &Value| {
        let event = events(page).into_iter().find(|event| super::subject(event) == subject);
        encoded(event.unwrap()["created_at"].as_str().unwrap())
    };
    let page = agent.get(&format!("{}&event_types=message.received", behind(&first))).await.ok();
    let (from, to) = (at("to scout", &page), at("to desk", &page));
    let window = format!("{}&event_types=message.received&start={from}&end={to}", behind(&first));
    assert_eq!(subjects(&agent.get(&window).await.ok()), ["to scout"], "the end is not part of the window");
    agent.get(&format!("{}&event_types=message.flown", behind(&first))).await.refused(400, "unknown_event_type");
    agent.get(&format!("{}&inbox_id=nobody@inboxd.localhost", behind(&first))).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_cursor_reaches_behind_the_window_of_the_list() {
    let (server, agent, first) = started().await;
    mail(&server, &agent.inbox_id, "old").await;
    let old = newest(&agent).await;
    let number = old.trim_start_matches("evt_");
    let eight_days = format!(
        "UPDATE events SET created_at = now() - interval '8 days' WHERE event_id = '{number}';
        UPDATE feed SET created_at = (SELECT created_at FROM events WHERE event_id = '{number}') WHERE event_id = '{number}'"
    );
    agent.get(&behind(&first)).await.ok();
    server.database().execute(&eight_days).await;
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 1, "the window of the list is seven days");
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["old"]);
}

#[tokio::test]
async fn an_id_that_names_no_event_of_the_organization_is_not_found() {
    let (server, agent, first) = started().await;
    let other = server.verified("other@example.org", "ranger").await;
    mail(&server, &other.inbox_id, "secret").await;
    let theirs = newest(&other).await;
    agent.get(&behind(&theirs)).await.refused(404, "not_found");
    other.get(&behind(&first)).await.refused(404, "not_found");
    let unknown = super::made_before(std::time::Duration::from_secs(5));
    let told = agent.get(&behind(&unknown)).await.refused(404, "not_found")["message"].clone();
    let of_stranger = agent.get(&behind(&theirs)).await.refused(404, "not_found")["message"].clone();
    assert_eq!(of_stranger.as_str().unwrap().replace(&theirs, &unknown), told, "both are the same 404");
    // A label is told of elsewhere, and is no place in this feed.
    let message = agent.message_about("first").await;
    agent.patch(&agent.message(&message["message_id"], ""), json!({"add_labels": ["x"]})).await.ok();
    let history = agent.get(&agent.inbox("/events")).await.ok();
    agent.get(&behind(&id(&history["events"][0]))).await.refused(404, "not_found");
    for malformed in ["x", "evt_", "evt_0", "org_00000000000000000000000000000000", "%3Cscript%3E"] {
        agent.get(&behind(malformed)).await.refused(404, "not_found");
    }
    let twice = format!("{}&after_event_id={first}", behind(&first));
    assert_eq!(agent.get(&twice).await.bad_fields(), ["after_event_id"]);
}

#[tokio::test]
async fn what_was_answered_250_is_behind_the_cursor_at_once() {
    let (server, agent, mut last) = started().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    for number in 0..50 {
        let about = format!("number {number}");
        let mail = crate::support::mail_to(&agent, &about).raw();
        client.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.is(250, "2");
        let found = events(&agent.get(&behind(&last)).await.ok());
        assert_eq!(found.iter().map(subject).collect::<Vec<_>>(), [about.as_str()]);
        last = id(&found[0]);
    }
}
