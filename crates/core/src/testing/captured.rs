//! Values captured by a mock.

use std::sync::{Arc, Mutex, PoisonError};

/// Values passed to a mock, in order. Clones share them.
#[derive(Debug)]
pub struct Captured<T>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Captured<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Vec::new())))
    }
}

impl<T> Clone for Captured<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Captured<T> {
    /// Appends a value.
    pub fn push(&self, value: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }

    /// Returns all values.
    #[must_use]
    pub fn all(&self) -> Vec<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the only value.
    ///
    /// # Panics
    ///
    /// When there is none, or more than one.
    #[must_use]
    pub fn only(&self) -> T {
        let mut all = self.all();
        assert_eq!(all.len(), 1, "exactly one value is expected");
        all.remove(0)
    }
}
