//! How much one answer holds, for bodies are as large as those who write mail make them, and how long it is given again.

use time::Duration;

/// How long an answer is given again, while nothing of what it was made from has changed, before it is made anew.
pub const GIVEN_AGAIN: Duration = Duration::seconds(10);

/// The most octets of bodies in one answer, unless a single message has more. Together with [`fitting`] it keeps what
/// one request takes of the memory within a few times the largest message.
pub const MOST_BODY_OCTETS: u64 = 32 * 1024 * 1024;

/// How many messages, from the first, fit into an answer: always one at least, so that every message can be read.
#[must_use]
pub fn fitting(sizes: &[u64]) -> usize {
    let mut octets = 0_u64;
    let fit = sizes.iter().take_while(|size| {
        octets = octets.saturating_add(**size);
        octets <= MOST_BODY_OCTETS
    });
    fit.count().max(1).min(sizes.len())
}
