//! Which statements a connection knows already.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use deadpool::managed::ObjectId;

/// How much is remembered: more than the connections of a pool and the statements that this is asked about make together.
/// Connections that are gone are forgotten with all others.
const MOST: usize = 4096;

/// The statements that were run on the connections of one pool, by the texts of which there are few.
#[derive(Default)]
pub(crate) struct Known(Mutex<HashSet<(ObjectId, &'static str)>>);

impl Known {
    /// Whether a connection has run a statement, and so sends it at once. If it does not, it prepares it first.
    pub(crate) fn contains(&self, connection: ObjectId, text: &'static str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(connection, text))
    }

    /// Adds a statement that a connection has run.
    pub(crate) fn add(&self, connection: ObjectId, text: &'static str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert((connection, text));
    }
}
