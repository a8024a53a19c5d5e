//! Liveness of processes, and release of the claims of dead ones.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use inboxd_core::model::ClaimedMail;
use inboxd_core::ports::{ClockStep, ProcessBeat, Processes, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::scalar_rows::CountRow;
use crate::schema::processes;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::usage::to_count;

/// The list has the state before the beat: a statement does not see its own changes.
const BEAT: &str = "
    WITH beat AS (
        INSERT INTO processes (process_id, beats, seen_at) VALUES ($1, 1, $2)
        ON CONFLICT (process_id) DO UPDATE SET beats = processes.beats + 1, seen_at = $2
    )
    SELECT process_id, beats, seen_at FROM processes";

/// Claimed messages are due within the length of a lease. Each half has an index of its own.
const CLAIMED_MAIL: &str = "
    SELECT organization_id, outgoing_id, claim_id FROM outgoing
    WHERE is_code AND due_at > $2 AND due_at <= $3 AND right(claim_id::text, 12) = ANY($1)
    UNION ALL
    SELECT organization_id, outgoing_id, claim_id FROM outgoing
    WHERE NOT is_code AND due_at > $2 AND due_at <= $3 AND right(claim_id::text, 12) = ANY($1)";

/// A key was claimed at its last use, a minute ago at most.
const RELEASE: &str = "
    WITH deliveries AS (
        UPDATE webhook_deliveries SET due_at = $2
        WHERE claim_id IS NOT NULL AND due_at > $2 AND right(claim_id::text, 12) = ANY($1)
        RETURNING 1
    ), keys AS (
        UPDATE send_keys SET claimed_until = $2
        WHERE used_at > $2 - interval '5 minutes' AND message_id IS NULL AND claimed_until > $2
            AND right(claim_id::text, 12) = ANY($1)
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM keys) AS count";

/// $3 and $4 are the ends of leases that begin now. The scheduled time of a draft belongs to its author and stays.
const BRING_FORWARD: &str = "
    WITH mail AS (
        UPDATE outgoing SET
            due_at = CASE WHEN held_due_at IS NOT NULL THEN due_at
                WHEN claim_id IS NULL THEN due_at - make_interval(secs => $1)
                ELSE greatest(due_at - make_interval(secs => $1), $3) END,
            held_due_at = CASE WHEN held_due_at IS NULL THEN NULL
                WHEN claim_id IS NULL THEN held_due_at - make_interval(secs => $1)
                ELSE greatest(held_due_at - make_interval(secs => $1), $3) END
        WHERE coalesce(held_due_at, due_at) > CASE WHEN claim_id IS NULL THEN $2 ELSE $3 END RETURNING 1
    ), deliveries AS (
        UPDATE webhook_deliveries SET due_at = CASE WHEN claim_id IS NULL THEN due_at - make_interval(secs => $1)
            ELSE greatest(due_at - make_interval(secs => $1), $4) END
        WHERE due_at > CASE WHEN claim_id IS NULL THEN $2 ELSE $4 END RETURNING 1
    ), keys AS (
        UPDATE send_keys SET claimed_until = greatest(claimed_until - make_interval(secs => $1), $4)
        WHERE used_at > $2 - interval '5 minutes' AND message_id IS NULL AND claimed_until > $4 RETURNING 1
    ), claimed_drafts AS (
        UPDATE drafts SET claimed_until = greatest(claimed_until - make_interval(secs => $1), $4),
            due_at = CASE WHEN due_at = claimed_until THEN greatest(due_at - make_interval(secs => $1), $4) ELSE due_at END
        WHERE claimed_until > $4 RETURNING 1
    ), codes AS (
        UPDATE sign_in_codes SET mail_due_at = greatest(mail_due_at - make_interval(secs => $1), $4)
        WHERE mail_due_at > $4 RETURNING 1
    )
    SELECT (SELECT count(*) FROM mail) + (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM keys)
        + (SELECT count(*) FROM claimed_drafts) + (SELECT count(*) FROM codes) AS count";

#[derive(QueryableByName)]
#[diesel(table_name = processes)]
struct BeatRow {
    process_id: Uuid,
    beats: i64,
    seen_at: OffsetDateTime,
}

#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "they are the names of the columns")]
struct ClaimRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    outgoing_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    claim_id: Option<Uuid>,
}

/// Returns the suffixes of the claim ids of processes.
fn suffixes(processes: &[Uuid]) -> Vec<String> {
    let suffix = |process: &Uuid| {
        let mut text = process.simple().to_string();
        text.split_off(text.len() - 12)
    };
    processes.iter().map(suffix).collect()
}

fn count(row: Option<CountRow>) -> u64 {
    row.map_or(0, |row| to_count(row.count))
}

#[async_trait]
impl Processes for PgStore {
    async fn record_heartbeat(&self, process_id: Uuid, now: OffsetDateTime) -> Result<Vec<ProcessBeat>, StoreError> {
        let rows = Sql::new(BEAT).uuid(process_id).time(now).rows::<BeatRow>(&mut *self.connection().await?).await?;
        let beat = |BeatRow { process_id, beats, seen_at }| ProcessBeat { process_id, beats, seen_at };
        Ok(rows.into_iter().map(beat).collect())
    }

    async fn mail_claimed_by(
        &self,
        processes: &[Uuid],
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<ClaimedMail>, StoreError> {
        let suffixes = suffixes(processes);
        let rows = Sql::new(CLAIMED_MAIL)
            .texts(suffixes.iter().map(String::as_str))
            .time(now)
            .time(until)
            .rows::<ClaimRow>(&mut *self.connection().await?)
            .await?;
        let claim = |row: ClaimRow| ClaimedMail {
            organization_id: row.organization_id.into(),
            outgoing_id: row.outgoing_id.into(),
            claim_id: row.claim_id.unwrap_or_default(),
        };
        Ok(rows.into_iter().map(claim).collect())
    }

    async fn release_claims(&self, processes: &[Uuid], now: OffsetDateTime) -> Result<u64, StoreError> {
        let suffixes = suffixes(processes);
        let released = Sql::new(RELEASE).texts(suffixes.iter().map(String::as_str)).time(now);
        Ok(count(released.row::<CountRow>(&mut *self.connection().await?).await?))
    }

    async fn forget_processes(&self, processes: &[Uuid]) -> Result<(), StoreError> {
        let text = "DELETE FROM processes WHERE process_id = ANY($1)";
        Sql::new(text).uuids(processes.iter().copied()).run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn bring_forward_due_times(&self, step: ClockStep) -> Result<u64, StoreError> {
        let moved = Sql::new(BRING_FORWARD)
            .bind::<diesel::sql_types::Double, _>(step.by.as_seconds_f64())
            .time(step.now)
            .time(step.message_lease_end)
            .time(step.lease_end);
        Ok(count(moved.row::<CountRow>(&mut *self.connection().await?).await?))
    }
}
