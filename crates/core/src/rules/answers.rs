//! Size limits of responses: bodies are as large as the authors of mail make them.

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
