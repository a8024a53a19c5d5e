//! `/v0/organizations`: the organization and the caps of its plan.

mod get;
mod inbox_limit;
mod limits;
mod send_limits;
mod storage_limit;
mod unverified;

use inboxd_testkit::{Persona, TestServer};
use serde_json::json;

use crate::support::uuid;

/// Sets the number of messages sent today and on earlier days of this month. On the first day of a month all count for
/// today.
async fn set_sent_counts(server: &TestServer, agent: &Persona, today: u64, before: u64) {
    let id = json!(agent.organization_id);
    let (id, now) = (uuid(&id), "(now() AT TIME ZONE 'UTC')::date");
    let day_before = format!("greatest({now} - 1, date_trunc('month', {now})::date)");
    let sql = format!(
        "DELETE FROM send_counts WHERE organization_id = '{id}'; \
         INSERT INTO send_counts VALUES ('{id}', {now}, {today}); \
         INSERT INTO send_counts VALUES ('{id}', {day_before}, {before}) \
             ON CONFLICT (organization_id, day) DO UPDATE SET count = send_counts.count + excluded.count"
    );
    server.database().execute(&sql).await;
}

/// Sets the stored bytes of an organization.
async fn set_stored_bytes(server: &TestServer, agent: &Persona, bytes: u64) {
    let id = json!(agent.organization_id);
    let sql = format!(
        "INSERT INTO inbox_usage VALUES ('{}', '{}', {bytes}, 0, 0) \
             ON CONFLICT (organization_id, inbox_id) DO UPDATE SET storage_bytes = {bytes}",
        uuid(&id),
        agent.inbox_id
    );
    server.database().execute(&sql).await;
}
