//! Which statements a connection knows already.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use deadpool::managed::ObjectId;

use crate::last::Shape;

/// How much is remembered: more than the connections of a pool and the shapes of what is written last make together.
/// Connections that are gone are forgotten with all others.
const MOST: usize = 4096;

/// For which shapes the connections of a pool have run the statement.
#[derive(Default)]
pub(crate) struct Known(Mutex<HashSet<(ObjectId, Shape)>>);

impl Known {
    /// Whether a connection sends the statement at once. If it does not, it prepares it first.
    pub(crate) fn contains(&self, connection: ObjectId, shape: Shape) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(connection, shape))
    }

    /// Adds a statement that a connection has run.
    pub(crate) fn add(&self, connection: ObjectId, shape: Shape) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert((connection, shape));
    }
}
