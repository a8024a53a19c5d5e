//! What even a pure program needs of the machine it runs on.

use time::OffsetDateTime;
use uuid::Uuid;

use super::Sequenced;

/// The time.
pub trait Clock: Send + Sync {
    /// Now, in UTC, in whole milliseconds: what is stored is exactly what is shown, so that a time read from an answer
    /// can be given back as a filter.
    fn now(&self) -> OffsetDateTime;
}

/// Randomness, fit for keys.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);

    /// Thirty-two random octets.
    fn octets(&self) -> [u8; 32] {
        let mut octets = [0; 32];
        self.fill(&mut octets);
        octets
    }

    /// A UUID that sorts by time (RFC 9562, version 7).
    fn uuid_at(&self, time: OffsetDateTime) -> Uuid {
        let mut octets = [0; 10];
        self.fill(&mut octets);
        let millis = u64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &octets).into_uuid()
    }
}

/// Hints to those who wait for work. Losing one costs a poll, never the work.
pub trait Wake: Send + Sync {
    /// There is mail in the outgoing queue.
    fn outgoing(&self);

    /// A code to sign in with was asked for.
    fn sign_ins(&self);

    /// There are events to tell webhooks of.
    fn webhooks(&self);

    /// Events have got their places: those who wait for them in this process need not look for them.
    fn placed(&self, sequenced: Sequenced);
}
