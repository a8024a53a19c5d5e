//! What others learn of a calendar: free and busy times, and its feed.

use serde_json::{Value, json};

use super::changes::{created, path_of, weekly};
use crate::people::sign_in_client;
use crate::send_methods::receive_invitation;
use crate::support::server_and_agent;

#[tokio::test]
async fn free_busy_shows_merged_periods_only() {
    let (server, agent) = server_and_agent().await;
    let event =
        |start: &str, end: &str, status: &str| json!({"title": "SECRET", "start": start, "end": end, "status": status});
    for (start, end, status) in [
        ("2026-10-05T08:00:00", "2026-10-05T09:00:00", "confirmed"),
        ("2026-10-05T08:30:00", "2026-10-05T10:00:00", "confirmed"),
        ("2026-10-05T09:30:00", "2026-10-05T11:00:00", "tentative"),
        ("2026-10-05T12:00:00", "2026-10-05T13:00:00", "cancelled"),
        ("2026-10-05T23:00:00", "2026-10-06T02:00:00", "confirmed"),
        ("2026-10-04T22:00:00", "2026-10-05T01:00:00", "confirmed"),
    ] {
        created(&agent, event(start, end, status)).await;
    }
    let path = agent.inbox("/calendar/free-busy?after=2026-10-05T00:00:00Z&before=2026-10-06T00:00:00Z");
    let shown = agent.get(&path).await;
    assert!(!shown.text().contains("SECRET"), "{}", shown.text());
    let periods = |shown: &Value| -> Vec<String> {
        let one = |period: &Value| {
            let clock = |name: &str| period[name].as_str().unwrap()[5..16].to_owned();
            format!("{} {} {}", clock("start_at"), clock("end_at"), period["status"].as_str().unwrap())
        };
        shown["periods"].as_array().unwrap().iter().map(one).collect()
    };
    let expected = [
        "10-05T00:00 10-05T01:00 busy",
        "10-05T08:00 10-05T10:00 busy",
        "10-05T09:30 10-05T11:00 tentative",
        "10-05T23:00 10-06T00:00 busy",
    ];
    assert_eq!(periods(&shown.ok()), expected);
    // An invitation is tentative until it is answered, and free once it is declined.
    receive_invitation(&server, &agent, "Anna <anna@outside.example>").await;
    let list = agent.get(&agent.inbox("/calendar/events")).await.ok();
    let invited = list["events"].as_array().unwrap().iter().find(|event| event["source"] == "email").unwrap();
    let respond = format!("{}/respond", path_of(&agent, &invited["event_id"]));
    let window = agent.inbox("/calendar/free-busy?after=2026-10-15T00:00:00Z&before=2026-10-16T00:00:00Z");
    assert_eq!(periods(&agent.get(&window).await.ok()), ["10-15T12:00 10-15T12:30 tentative"]);
    for (status, expected) in [("accepted", vec!["10-15T12:00 10-15T12:30 busy"]), ("declined", vec![])] {
        agent.post(&respond, json!({"status": status, "send_reply": false})).await.ok();
        assert_eq!(periods(&agent.get(&window).await.ok()), expected, "{status}");
    }
    let wide = agent.inbox("/calendar/free-busy?after=2026-01-01T00:00:00Z&before=2027-02-01T00:00:00Z");
    agent.get(&wide).await.require_error(400, "query_range_too_wide");
    let often = json!({"title": "x", "start": "2026-01-01T00:00:00", "end": "2026-01-01T00:10:00",
        "recurrence": {"rule": "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,30"}});
    created(&agent, often).await;
    let year = agent.inbox("/calendar/free-busy?after=2026-01-01T00:00:00Z&before=2026-12-31T00:00:00Z");
    agent.get(&year).await.require_error(400, "query_range_too_wide");
}

#[tokio::test]
async fn feed_at_secret_url_is_revocable() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let event = created(&agent, weekly()).await;
    receive_invitation(&server, &agent, "Anna <anna@outside.example>").await;
    agent.delete(&format!("{}_20261019T140000", path_of(&agent, &event["event_id"]))).await;
    created(&agent, json!({"title": "Fair", "start": "2026-10-05", "end": "2026-10-06", "all_day": true})).await;
    let feed = agent.inbox("/calendar/feed");
    // It is read without a key and outlives one: a person decides.
    agent.post(&feed, json!({})).await.require_error(403, "role_not_allowed");
    let open = async || {
        let made = owner.post(&feed, json!({})).await;
        assert_eq!(made.header("cache-control"), Some("no-store"));
        let url = made.ok()["url"].as_str().unwrap().to_owned();
        format!("/v0/{}", url.split_once("/v0/").unwrap().1)
    };
    let path = open().await;
    let read = server.http().get(&path).await;
    assert_eq!((read.status, read.header("content-type")), (200, Some("text/calendar; charset=utf-8")));
    assert_eq!(read.header("cache-control"), Some("no-store"));
    let object = read.text();
    for line in
        ["METHOD:PUBLISH", "TZID:Europe/Berlin", "RRULE:FREQ=WEEKLY", "SUMMARY:Fair", "DTEND;VALUE=DATE:20261007"]
    {
        assert!(object.contains(line), "{line}: {object}");
    }
    assert!(object.contains("RECURRENCE-ID:20261019T120000Z") && object.contains("STATUS:CANCELLED"), "{object}");
    for hidden in ["bob@outside.example", "anna@outside.example", "Anna", "Samples", "D-1", "ATTENDEE"] {
        assert!(!object.contains(hidden), "{hidden}: {object}");
    }
    let stored =
        server.database().session().await.texts("SELECT c::text AS text FROM calendar_settings c").await.concat();
    let token = path.rsplit('/').next().unwrap().trim_end_matches(".ics").to_owned();
    assert!(!stored.contains(&token), "the token is stored");
    // A new URL revokes the former, and a change of settings revokes none.
    let next = open().await;
    server.http().get(&path).await.require_error(404, "not_found");
    agent.patch(&agent.inbox("/calendar"), json!({"timezone": "Europe/Berlin"})).await.ok();
    assert_eq!(server.http().get(&next).await.status, 200);
    assert_eq!(server.http().get(next.trim_end_matches(".ics")).await.status, 200);
    agent.delete(&feed).await.require_no_content();
    server.http().get(&next).await.require_error(404, "not_found");
    let last = open().await;
    agent.delete(&agent.inbox("")).await;
    server.http().get(&last).await.require_error(404, "not_found");
    let audit = owner.get("/v0/audit?action=calendar_feed.created").await.ok();
    assert_eq!(audit["entries"].as_array().unwrap().len(), 3, "{audit:#}");
    server.http().get("/v0/calendar-feeds/nothing.ics").await.require_error(404, "not_found");
}
