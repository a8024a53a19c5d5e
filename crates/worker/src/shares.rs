//! Counts of work in progress by owner, from which fair shares are computed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of work items in progress of each owner. Clones share the counts.
pub(crate) struct ShareCounts<K>(Arc<Mutex<HashMap<K, u32>>>);

impl<K> Clone for ShareCounts<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> Default for ShareCounts<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// One counted work item. Dropping it lowers the count of its owner.
pub(crate) struct ShareGuard<K: Clone + Eq + Hash> {
    counts: ShareCounts<K>,
    owner: K,
}

impl<K: Clone + Eq + Hash> ShareCounts<K> {
    /// Counts one more work item of an owner.
    pub(crate) fn take(&self, owner: K) -> ShareGuard<K> {
        *self.locked().entry(owner.clone()).or_default() += 1;
        ShareGuard { counts: self.clone(), owner }
    }

    /// Returns the number of work items of an owner.
    pub(crate) fn count(&self, owner: &K) -> u32 {
        self.locked().get(owner).copied().unwrap_or(0)
    }

    /// Returns the owners that have work in progress, each with its count.
    pub(crate) fn list(&self) -> Vec<(K, u32)> {
        self.locked().iter().map(|(owner, count)| (owner.clone(), *count)).collect()
    }

    /// Locks the map, which stays whole even when a holder of the lock has panicked.
    fn locked(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash> ShareGuard<K> {
    /// Returns the owner.
    pub(crate) fn owner(&self) -> &K {
        &self.owner
    }
}

impl<K: Clone + Eq + Hash> Drop for ShareGuard<K> {
    fn drop(&mut self) {
        let mut counts = self.counts.locked();
        if let Some(count) = counts.get_mut(&self.owner) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_counts_without_work_are_empty() {
        let counts = ShareCounts::default();
        let guards = [counts.take("one"), counts.take("one"), counts.take("two")];
        assert_eq!((counts.count(&"one"), counts.count(&"two"), counts.count(&"three")), (2, 1, 0));
        drop(guards);
        assert_eq!(counts.list(), []);
    }
}
