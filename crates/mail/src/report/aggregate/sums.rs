//! Sums of equal rows with a bound on their number.

use std::collections::HashMap;
use std::hash::Hash;

/// Maximum number of rows of a report; those with most messages are kept.
pub(super) const MAX_ROWS: usize = 500;

/// Maximum number of different rows that are counted; a report of an honest organization has far fewer.
const MAX_DIFFERENT_ROWS: usize = 20_000;

/// Maximum number of messages or sessions of a report: more than the largest sender has, and an invented number beyond it
/// would hide all true ones in a sum.
pub(super) const MAX_TOTAL: u64 = 1_000_000_000_000;

/// Number of messages or sessions by row.
#[derive(Debug)]
pub(super) struct RowSums<K> {
    sums: HashMap<K, u64>,
    /// Number in rows beyond the maximum.
    omitted: u64,
}

impl<K> Default for RowSums<K> {
    fn default() -> Self {
        Self { sums: HashMap::new(), omitted: 0 }
    }
}

impl<K: Eq + Hash + Ord> RowSums<K> {
    /// Adds a number to a row. A row of none says nothing and is left out.
    pub(super) fn add(&mut self, key: K, count: u64) {
        if count == 0 {
            return;
        }
        if self.sums.len() >= MAX_DIFFERENT_ROWS && !self.sums.contains_key(&key) {
            self.omitted = self.omitted.saturating_add(count);
            return;
        }
        let sum = self.sums.entry(key).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Adds all sums of another one, with its keys converted.
    pub(super) fn add_all<L>(&mut self, others: RowSums<L>, convert: impl Fn(L) -> K) {
        self.omitted = self.omitted.saturating_add(others.omitted);
        for (key, count) in others.sums {
            self.add(convert(key), count);
        }
    }

    /// Returns the number in all rows.
    pub(super) fn total(&self) -> u64 {
        self.sums.values().copied().fold(self.omitted, u64::saturating_add)
    }

    /// Returns the rows with most messages, and the number in the others.
    pub(super) fn into_largest(self) -> (Vec<(K, u64)>, u64) {
        let mut rows: Vec<(K, u64)> = self.sums.into_iter().collect();
        rows.sort_unstable_by(|(key, count), (other, of_other)| of_other.cmp(count).then_with(|| key.cmp(other)));
        let others = rows.get(MAX_ROWS..).unwrap_or_default().iter().map(|(_, count)| *count);
        let omitted = others.fold(self.omitted, u64::saturating_add);
        rows.truncate(MAX_ROWS);
        (rows, omitted)
    }
}
