//! Byte budget with a total limit and a limit per holder.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A budget of bytes in memory. Clones share it.
#[derive(Debug)]
pub struct ByteBudget<K>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    /// Limit of all holders together.
    total: usize,
    /// Part of the total that only small contents may use.
    reserve: usize,
    used: Mutex<UsedBytes<K>>,
}

#[derive(Debug)]
struct UsedBytes<K> {
    total: usize,
    holders: HashMap<K, usize>,
}

/// The limit that a share has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetReached {
    /// Limit of all holders together.
    All,
    /// Limit of one holder.
    Holder,
}

/// The bytes of one content, released on drop.
#[derive(Debug)]
pub struct ByteShare<K: Hash + Eq + Clone> {
    budget: ByteBudget<K>,
    /// Holders of the bytes with their limits.
    holders: Vec<(K, usize)>,
    held: usize,
}

impl<K> Clone for ByteBudget<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Hash + Eq + Clone> ByteBudget<K> {
    /// Creates a budget of `total` bytes. Only small contents may use the reserve.
    #[must_use]
    pub fn new(total: usize, reserve: usize) -> Self {
        let used = Mutex::new(UsedBytes { total: 0, holders: HashMap::new() });
        Self(Arc::new(Inner { total, reserve: reserve.min(total), used }))
    }

    /// Creates an empty share for holders with their limits.
    #[must_use]
    pub fn share(&self, holders: Vec<(K, usize)>) -> ByteShare<K> {
        ByteShare { budget: self.clone(), holders, held: 0 }
    }

    /// Returns whether more than half of the budget is in use.
    #[must_use]
    pub fn is_scarce(&self) -> bool {
        self.lock().total > self.0.total / 2
    }

    /// Returns the bytes in use.
    #[must_use]
    pub fn used(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, UsedBytes<K>> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone> ByteShare<K> {
    /// Returns the bytes of the share.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held
    }

    /// Grows the share to `bytes`. A share never shrinks.
    ///
    /// # Errors
    /// [`BudgetReached`] with the limit; the share stays unchanged.
    pub fn grow(&mut self, bytes: usize, is_small: bool) -> Result<(), BudgetReached> {
        let more = bytes.saturating_sub(self.held);
        if more == 0 {
            return Ok(());
        }
        let Inner { total, reserve, .. } = *self.budget.0;
        let mut used = self.budget.lock();
        let is_beyond = |(holder, bound): &(K, usize)| {
            used.holders.get(holder).copied().unwrap_or_default().saturating_add(more) > *bound
        };
        if self.holders.iter().any(is_beyond) {
            return Err(BudgetReached::Holder);
        }
        let available = if is_small { total } else { total - reserve };
        if used.total.saturating_add(more) > available {
            return Err(BudgetReached::All);
        }
        used.total += more;
        for (holder, _) in &self.holders {
            *used.holders.entry(holder.clone()).or_default() += more;
        }
        self.held += more;
        Ok(())
    }

    /// Releases all bytes. The share can grow again.
    pub fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        if held == 0 {
            return;
        }
        let mut used = self.budget.lock();
        used.total = used.total.saturating_sub(held);
        for (holder, _) in &self.holders {
            let left = used.holders.get(holder).copied().unwrap_or_default().saturating_sub(held);
            if left == 0 {
                used.holders.remove(holder);
            } else {
                used.holders.insert(holder.clone(), left);
            }
        }
    }
}

impl<K: Hash + Eq + Clone> Drop for ByteShare<K> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holder_beyond_its_bound_leaves_the_rest_to_others() {
        let budget = ByteBudget::new(100, 20);
        let mut first = budget.share(vec![("a", 50)]);
        let mut second = budget.share(vec![("a", 50), ("network", 60)]);
        assert_eq!(first.grow(40, false), Ok(()));
        assert_eq!(first.grow(30, false), Ok(()), "a share never shrinks");
        assert_eq!(second.grow(11, false), Err(BudgetReached::Holder));
        assert_eq!(second.grow(10, false), Ok(()));
        let mut other = budget.share(vec![("b", 50)]);
        assert_eq!(other.grow(31, false), Err(BudgetReached::All), "large contents leave the reserve");
        assert_eq!(other.grow(30, false), Ok(()));
        let mut small = budget.share(vec![("b", 50)]);
        assert_eq!(small.grow(20, true), Ok(()));
        assert_eq!(budget.share(vec![("c", 50)]).grow(1, true), Err(BudgetReached::All));
        drop((first, second, other, small));
        assert!(budget.lock().total == 0 && budget.lock().holders.is_empty());
    }
}
