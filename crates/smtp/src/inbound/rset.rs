//! RSET command (RFC 5321, section 4.1.1.5).

use super::reply::Reply;
use super::state::SessionState;

/// Resets the transaction.
pub(super) fn handle(state: &mut SessionState) -> Reply {
    state.transaction = None;
    Reply::Done
}
