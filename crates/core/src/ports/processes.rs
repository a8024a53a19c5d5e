//! Liveness of processes and the claims of dead ones.
//!
//! The last six bytes of a claim id are those of the id of its process.

use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;
use crate::model::ClaimedMail;

/// Heartbeat record of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessBeat {
    /// The process.
    pub process_id: Uuid,
    /// The number of heartbeats. The process is alive while this number grows.
    pub beats: i64,
    /// The clock of the process at its last heartbeat.
    pub seen_at: OffsetDateTime,
}

/// A clock step backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// The size of the step.
    pub by: Duration,
    /// The time after the step.
    pub now: OffsetDateTime,
    /// The end of a message lease that starts now.
    pub message_lease_end: OffsetDateTime,
    /// The end of any other lease that starts now.
    pub lease_end: OffsetDateTime,
}

/// Liveness of processes. Each call is its own transaction.
#[port]
pub trait Processes {
    /// Records a heartbeat and returns all processes in their previous state.
    async fn record_heartbeat(&self, process_id: Uuid, now: OffsetDateTime) -> Result<Vec<ProcessBeat>, StoreError>;

    /// Returns the queued messages claimed by processes, with leases that end between these two times.
    async fn mail_claimed_by(
        &self,
        processes: &[Uuid],
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<ClaimedMail>, StoreError>;

    /// Releases the webhook deliveries and idempotency keys claimed by processes. Returns the number of released
    /// claims.
    async fn release_claims(&self, processes: &[Uuid], now: OffsetDateTime) -> Result<u64, StoreError>;

    /// Deletes the records of processes.
    async fn forget_processes(&self, processes: &[Uuid]) -> Result<(), StoreError>;

    /// Advances due times of queued work after a clock step. A lease still has its full length from now: other
    /// processes may have made the same step, or may have correct clocks. Returns the number of changed rows.
    async fn bring_forward_due_times(&self, step: ClockStep) -> Result<u64, StoreError>;
}
