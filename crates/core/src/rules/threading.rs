//! Thread membership of messages.

use crate::model::Thread;

/// Maximum messages of a thread. No conversation is this long, but a remote sender can reply to its own mail without
/// end, and a change of a thread touches all its messages at once.
pub const MAX_THREAD_MESSAGES: u64 = 5_000;

/// Returns whether a thread accepts one more message. Otherwise the message starts another thread, which later replies
/// to it join.
#[must_use]
pub fn has_capacity(thread: &Thread) -> bool {
    thread.message_count < MAX_THREAD_MESSAGES
}
