//! Size limits of responses: authors of mail decide the size of message bodies.

/// Maximum body bytes in one response, unless a single message has more. With [`count_fitting`], it bounds the memory of a
/// request to a few times the largest message.
pub const MAX_BODY_BYTES: u64 = 32 * 1024 * 1024;

/// Returns the number of messages, from the first, that fit into a response. It is at least one, so that every message
/// can be read.
#[must_use]
pub fn count_fitting(sizes: &[u64]) -> usize {
    let mut bytes = 0_u64;
    let fit = sizes.iter().take_while(|size| {
        bytes = bytes.saturating_add(**size);
        bytes <= MAX_BODY_BYTES
    });
    fit.count().max(1).min(sizes.len())
}
