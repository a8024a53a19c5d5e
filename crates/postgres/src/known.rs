//! Prepared statements of each connection.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use deadpool::managed::ObjectId;

use crate::last::Shape;

/// Maximum entries: more than connections of a pool times statement kinds. Entries of closed connections are removed
/// with all others.
const MAX_STATEMENTS: usize = 4096;

/// Statement kinds that the connections of a pool have run.
#[derive(Default)]
pub(crate) struct Known(Mutex<HashSet<(ObjectId, Shape)>>);

impl Known {
    /// Returns whether a connection can send the statement at once, without preparing it first.
    pub(crate) fn contains(&self, connection: ObjectId, shape: Shape) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(connection, shape))
    }

    /// Adds a statement that a connection has run.
    pub(crate) fn add(&self, connection: ObjectId, shape: Shape) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_STATEMENTS {
            known.clear();
        }
        known.insert((connection, shape));
    }
}
