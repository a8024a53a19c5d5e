//! RSET (RFC 5321 section 4.1.1.5).

use super::reply::Reply;
use super::state::State;

/// Forgets the mail that was begun.
pub(super) fn answer(state: &mut State) -> Reply {
    state.transaction = None;
    Reply::Done
}
