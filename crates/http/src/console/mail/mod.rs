//! Mail: inboxes, threads, messages, search.

use super::Routes;

/// Paths of the area.
pub(super) fn routes() -> Routes {
    Vec::new()
}
