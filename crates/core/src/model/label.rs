//! Labels of messages and threads (`wire.md`, section 4).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The labels of one message or thread: in lower case, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(BTreeSet<String>);

impl Labels {
    /// The most labels a message may carry.
    pub const MOST: usize = 64;

    /// Whether the label is among them.
    #[must_use]
    pub fn contains(&self, label: &str) -> bool {
        self.0.contains(label)
    }

    /// Adds a label that is known to be well formed.
    pub fn insert(&mut self, label: impl Into<String>) {
        self.0.insert(label.into());
    }

    /// Takes a label away.
    pub fn remove(&mut self, label: &str) {
        self.0.remove(label);
    }

    /// Adds all labels of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// The labels in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The labels as owned strings, in order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}

impl<S: Into<String>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(labels: I) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }
}

/// Which of the labels that keep a message out of lists it carries, as four bits; 0 is a message that every list shows.
///
/// The same four bits say which of them a reader asked to include.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hidden(u8);

impl Hidden {
    /// Nothing hides the message; as a reader's choice, nothing hidden is included.
    pub const NONE: Self = Self(0);
    /// Every hiding label.
    pub const ALL: Self = Self(0b1111);
    /// The labels, in the order of their bits.
    pub const LABELS: [&'static str; 4] = ["spam", "blocked", "unauthenticated", "trash"];

    /// The hiding labels among these.
    #[must_use]
    pub fn of(labels: &Labels) -> Self {
        Self::LABELS.iter().enumerate().fold(Self::NONE, |hidden, (bit, label)| {
            if labels.contains(label) { Self(hidden.0 | 1 << bit) } else { hidden }
        })
    }

    /// These and one more, by its place in [`Hidden::LABELS`].
    #[must_use]
    pub fn with(self, place: usize) -> Self {
        Self((self.0 | 1u8.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0)) & Self::ALL.0)
    }

    /// Those in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether a message that carries these is shown to a reader who includes those.
    #[must_use]
    pub fn shown_to(self, included: Self) -> bool {
        self.0 & !included.0 == 0
    }

    /// The four bits, 0 to 15, as storage keeps them.
    #[must_use]
    pub fn bits(self) -> i16 {
        i16::from(self.0)
    }

    /// The sixteen-bit set that holds this one combination; a thread keeps the union over its messages.
    #[must_use]
    pub fn as_set(self) -> i32 {
        1 << self.0
    }

    /// The sixteen-bit set of every combination that a reader who includes these is shown.
    ///
    /// A thread is shown when its own set and this one meet.
    #[must_use]
    pub fn shown_set(self) -> i32 {
        (0..16u8).map(Self).filter(|hidden| hidden.shown_to(self)).fold(0, |set, hidden| set | hidden.as_set())
    }
}
