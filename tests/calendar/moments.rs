//! Events `calendar.event.starting` and `calendar.event.ending`.

use std::time::{Duration, SystemTime};

use inboxd_testkit::{Persona, eventually};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::time::sleep;

use super::changes::{created, path_of};
use super::notices::notices;
use super::{events, request, tell};
use crate::support::server_and_agent;

/// Local time in UTC after some seconds, in the form of the API.
#[expect(clippy::disallowed_methods, reason = "the server under test has the real time")]
fn local(seconds: i64) -> String {
    let at = OffsetDateTime::from(SystemTime::now()) + time::Duration::seconds(seconds);
    let (date, (hour, minute, second)) = (at.date(), at.to_hms());
    format!("{date}T{hour:02}:{minute:02}:{second:02}")
}

/// Returns the starts and ends in the feed, by their type, title and start.
async fn moments(agent: &Persona) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = notices(agent).await.into_iter();
    let moments = all.filter(|notice| {
        let kind = notice["event_type"].as_str().unwrap();
        kind.ends_with("starting") || kind.ends_with("ending")
    });
    moments
        .map(|notice| {
            let event = &notice["calendar_event"];
            (text(&notice["event_type"]), text(&event["title"]), text(&event["start"]))
        })
        .collect()
}

#[tokio::test]
async fn start_and_end_of_an_event_are_told_once() {
    let (_server, agent) = server_and_agent().await;
    let (start, end) = (local(3), local(5));
    let oak = json!({"title": "Oak", "start": start, "end": end, "timezone": "UTC"});
    let made = created(&agent, oak).await;
    // Yesterday's date is over, and its next one begins.
    let yesterday = (local(4 - 86_400), local(3_600 - 86_400));
    let rule = json!({"rule": "FREQ=DAILY"});
    let elm = json!({"title": "Elm", "start": yesterday.0, "end": yesterday.1, "timezone": "UTC", "recurrence": rule});
    created(&agent, elm).await;
    let cancelled = json!({"title": "Fir", "start": start, "end": end, "timezone": "UTC", "status": "cancelled"});
    created(&agent, cancelled).await;
    eventually("starts and ends", async || (moments(&agent).await.len() >= 3).then_some(())).await;
    sleep(Duration::from_secs(3)).await;
    let told = moments(&agent).await;
    let of = |title: &str| -> Vec<(String, String)> {
        let own = told.iter().filter(|(_, other, _)| other == title);
        own.map(|(kind, _, start)| (kind.clone(), start.clone())).collect()
    };
    let (starting, ending) = ("calendar.event.starting".to_owned(), "calendar.event.ending".to_owned());
    assert_eq!(of("Oak"), [(starting.clone(), start.clone()), (ending, start)], "{told:?}");
    let elm = of("Elm");
    assert_eq!((elm.len(), &elm[0].0), (1, &starting), "{told:?}");
    assert_eq!(of("Fir"), [], "{told:?}");

    let list = agent.get("/v0/events?limit=100&event_types=calendar.event.starting").await.ok();
    let first = list["events"].as_array().unwrap().iter().find(|one| one["calendar_event"]["title"] == "Oak").unwrap();
    assert_eq!(first["calendar_event"]["event_id"], made["event_id"]);
    assert_eq!(first["calendar_event"]["updated_at"], made["updated_at"], "the event itself did not change");
    let date = list["events"].as_array().unwrap().iter().find(|one| one["calendar_event"]["title"] == "Elm").unwrap();
    assert_eq!(date["calendar_event"]["kind"], "instance");
}

#[tokio::test]
async fn invitation_is_told_once_it_is_accepted() {
    let (server, agent) = server_and_agent().await;
    let compact = |seconds| local(seconds).replace(['-', ':'], "");
    let properties = format!("SUMMARY:Oak\r\nDTSTART:{}Z\r\nDTEND:{}Z", compact(2), compact(6));
    tell(&server, &agent, request(1, &properties)).await;
    sleep(Duration::from_secs(4)).await;
    assert_eq!(moments(&agent).await, [], "nobody accepted it");
    let path = path_of(&agent, &events(&agent).await["events"][0]["event_id"]);
    agent
        .post(&format!("{path}/respond"), json!({"status": "accepted", "send_reply": false, "confirm_organizer": true}))
        .await
        .ok();
    eventually("the end", async || (!moments(&agent).await.is_empty()).then_some(())).await;
    let told = moments(&agent).await;
    assert_eq!((told.len(), told[0].0.as_str()), (1, "calendar.event.ending"));
}
