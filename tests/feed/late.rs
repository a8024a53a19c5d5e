//! Transactions that commit late, out of order or never.

use inboxd_testkit::{Session, eventually};
use serde_json::json;

use super::{behind, events, id, mail, newest, started, subjects};
use crate::support::uuid;

/// Writes an event that is like another but for its id, as a unit of work does, and answers the id.
pub(super) async fn append_like(session: &mut Session, event_id: &str, last_digit: char) -> String {
    let like = uuid(&json!(event_id)).to_owned();
    let mut number = like.clone();
    number.pop();
    number.push(last_digit);
    if number == like {
        return Box::pin(append_like(session, event_id, 'f')).await;
    }
    session
        .execute(&format!(
            "INSERT INTO events SELECT (jsonb_populate_record(e, jsonb_build_object('event_id', '{number}'::uuid))).*
                FROM events e WHERE event_id = '{like}';
            INSERT INTO feed_pending SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id
                FROM events WHERE event_id = '{number}'"
        ))
        .await;
    format!("evt_{number}")
}

#[tokio::test]
async fn a_writer_that_is_stuck_holds_nobody_back_and_its_event_is_missed_by_nobody() {
    let (server, agent, first) = started().await;
    let mut stuck = server.database().session().await;
    stuck.execute("BEGIN").await;
    let late = append_like(&mut stuck, &first, '0').await;
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": first})).await;
    for about in ["second", "third"] {
        mail(&server, &agent.inbox_id, about).await;
        assert_eq!(super::subject(&socket.event().await), about, "an open transaction delays no other");
    }
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["second", "third"]);
    let third = newest(&agent).await;
    stuck.execute("COMMIT").await;
    // Although it was written first, and its id is older than that of the cursor.
    assert!(late < third);
    let page = agent.get(&behind(&third)).await.ok();
    assert_eq!(events(&page).iter().map(id).collect::<Vec<_>>(), [late.as_str()]);
    assert_eq!(id(&socket.event().await), late);
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["second", "third", "first"]);
    // It is a place like any other to go on from.
    mail(&server, &agent.inbox_id, "fourth").await;
    assert_eq!(subjects(&agent.get(&behind(&late)).await.ok()), ["fourth"]);
}

#[tokio::test]
async fn a_writer_that_gives_up_leaves_no_trace() {
    let (server, agent, first) = started().await;
    let mut stuck = server.database().session().await;
    stuck.execute("BEGIN").await;
    let never = append_like(&mut stuck, &first, '0').await;
    mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["second"]);
    stuck.execute("ROLLBACK").await;
    mail(&server, &agent.inbox_id, "third").await;
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["second", "third"]);
    agent.get(&behind(&never)).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_worker_places_what_a_process_left_behind_when_it_died() {
    let (server, agent, first) = started().await;
    let (mut socket, _) = agent.subscribed(json!({})).await;
    let mut dead = server.database().session().await;
    let left = append_like(&mut dead, &first, '0').await;
    assert_eq!(id(&socket.event().await), left, "nobody asked, and nobody said that it is there");
    let pending = "SELECT event_id::text AS text FROM feed_pending";
    eventually("nothing is left without a place", async || dead.texts(pending).await.is_empty().then_some(())).await;
}
