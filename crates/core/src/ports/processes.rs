//! Liveness of processes, and the claims that a dead one leaves.
//!
//! The id of a claim ends with the last six bytes of the id of the process that made it.

use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;
use crate::model::ClaimedMail;

/// A process as its heartbeats show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessBeat {
    /// The process.
    pub process_id: Uuid,
    /// Number of its heartbeats. It is alive while this number grows.
    pub beats: i64,
    /// The time that it saw at the last of them.
    pub seen_at: OffsetDateTime,
}

/// A clock that was set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockStep {
    /// By how much.
    pub by: Duration,
    /// The time that it shows now.
    pub now: OffsetDateTime,
    /// The end of a lease of a message that begins now.
    pub message_lease_end: OffsetDateTime,
    /// The end of any other lease that begins now.
    pub lease_end: OffsetDateTime,
}

/// Liveness of processes: each method is complete in itself.
#[port]
pub trait Processes {
    /// Records a heartbeat of a process, and returns all processes as they were before.
    async fn record_heartbeat(&self, process_id: Uuid, now: OffsetDateTime) -> Result<Vec<ProcessBeat>, StoreError>;

    /// Returns the queued mail that processes have claimed, with leases that end between these two times.
    async fn mail_claimed_by(
        &self,
        processes: &[Uuid],
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Vec<ClaimedMail>, StoreError>;

    /// Releases the webhook deliveries and idempotency keys that processes have claimed. Returns how many.
    async fn release_claims(&self, processes: &[Uuid], now: OffsetDateTime) -> Result<u64, StoreError>;

    /// Forgets processes.
    async fn forget_processes(&self, processes: &[Uuid]) -> Result<(), StoreError>;

    /// Brings forward the times at which queued work is due, after a clock was set back. A lease keeps its full length from
    /// now at least: other processes may have followed the same step, or have clocks that were right. Returns how many.
    async fn bring_forward_due_times(&self, step: ClockStep) -> Result<u64, StoreError>;
}
