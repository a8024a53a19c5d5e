//! Transactions that commit late, out of order or never.

use inboxd_testkit::{SqlSession, eventually};
use serde_json::json;

use super::{deliver_mail, event_id, newest_event_id, page_events, page_subjects, path_after, start_feed};
use crate::support::uuid;

/// Inserts a copy of an event with a new id, as a unit of work does, and returns the id.
pub(super) async fn append_like(session: &mut SqlSession, event_id: &str, last_digit: char) -> String {
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
async fn stuck_writer_delays_no_reader_and_its_event_is_not_missed() {
    let (server, agent, first) = start_feed().await;
    let mut stuck = server.database().session().await;
    stuck.execute("BEGIN").await;
    let late = append_like(&mut stuck, &first, '0').await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": first})).await;
    for about in ["second", "third"] {
        deliver_mail(&server, &agent.inbox_id, about).await;
        assert_eq!(super::event_subject(&socket.next_event().await), about, "an open transaction delays no other one");
    }
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["second", "third"]);
    let third = newest_event_id(&agent).await;
    stuck.execute("COMMIT").await;
    // It was written first, and its id is older than that of the cursor.
    assert!(late < third);
    let page = agent.get(&path_after(&third)).await.ok();
    assert_eq!(page_events(&page).iter().map(event_id).collect::<Vec<_>>(), [late.as_str()]);
    assert_eq!(event_id(&socket.next_event().await), late);
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["second", "third", "first"]);
    // It is a valid cursor like any other.
    deliver_mail(&server, &agent.inbox_id, "fourth").await;
    assert_eq!(page_subjects(&agent.get(&path_after(&late)).await.ok()), ["fourth"]);
}

#[tokio::test]
async fn rolled_back_writer_leaves_no_trace() {
    let (server, agent, first) = start_feed().await;
    let mut stuck = server.database().session().await;
    stuck.execute("BEGIN").await;
    let never = append_like(&mut stuck, &first, '0').await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["second"]);
    stuck.execute("ROLLBACK").await;
    deliver_mail(&server, &agent.inbox_id, "third").await;
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["second", "third"]);
    agent.get(&path_after(&never)).await.require_error(404, "not_found");
}

#[tokio::test]
async fn worker_sequences_events_of_dead_process() {
    let (server, agent, first) = start_feed().await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
    let mut dead = server.database().session().await;
    let left = append_like(&mut dead, &first, '0').await;
    assert_eq!(event_id(&socket.next_event().await), left, "no read and no signal announced the event");
    let pending = "SELECT event_id::text AS text FROM feed_pending";
    eventually("no event is pending", async || dead.texts(pending).await.is_empty().then_some(())).await;
}
