//! Which thread a mail joins.

use crate::model::Thread;

/// The most messages of a thread. A conversation is never this long, but anybody outside can answer their own mail for
/// ever, and what is done to a thread is done to all of its messages at once.
pub const MOST_MESSAGES: u64 = 5_000;

/// Whether one more message joins the thread that it answers into. Otherwise it begins another one, which later answers
/// to it join.
#[must_use]
pub fn has_room(thread: &Thread) -> bool {
    thread.message_count < MOST_MESSAGES
}
