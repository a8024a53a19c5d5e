//! Clock, randomness and wake-up signals of the process.

use time::OffsetDateTime;
use uuid::Uuid;

use super::Sequenced;

/// The system clock.
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC, in whole milliseconds. Stored and displayed times are equal, so a time in a
    /// response is usable as a filter.
    fn now(&self) -> OffsetDateTime;
}

/// Cryptographically secure randomness.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);

    /// Returns 32 random bytes.
    fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.fill(&mut bytes);
        bytes
    }

    /// Returns a UUID that sorts by time (RFC 9562, version 7).
    fn uuid_at(&self, time: OffsetDateTime) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        let millis = u64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}

/// Wake-up hints for workers. A lost hint costs a poll, never the work.
pub trait Wake: Send + Sync {
    /// Signals messages in the outgoing queue.
    fn outgoing(&self);

    /// Signals a new sign-in code request.
    fn sign_ins(&self);

    /// Signals new webhook deliveries.
    fn webhooks(&self);

    /// Publishes sequenced events to the subscribers of this process, which then need no query.
    fn placed(&self, sequenced: Sequenced);
}
