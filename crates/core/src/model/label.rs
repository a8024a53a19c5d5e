//! Labels of messages and threads (`wire.md`, section 4).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Labels of one message or thread: in lower case, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(BTreeSet<String>);

impl Labels {
    /// Maximum labels of a message.
    pub const MAX_LABELS: usize = 64;

    /// Returns whether the label is present.
    #[must_use]
    pub fn contains(&self, label: &str) -> bool {
        self.0.contains(label)
    }

    /// Adds a well-formed label.
    pub fn insert(&mut self, label: impl Into<String>) {
        self.0.insert(label.into());
    }

    /// Removes a label.
    pub fn remove(&mut self, label: &str) {
        self.0.remove(label);
    }

    /// Adds all labels of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }

    /// Returns the labels in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the labels as owned strings, in order.
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

/// Label of a received message that a person must release.
pub const HELD: &str = "held";
/// Second label of a held message, by which clients of compatible APIs find it.
pub const ARMOR_HELD: &str = "agent-armor-held";

/// Hiding labels of a message as five bits; a message with 0 is in all lists.
///
/// The same five bits represent the hidden messages that a reader includes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HidingLabels(u8);

impl HidingLabels {
    /// No hiding label; for a reader, no hidden messages.
    pub const NONE: Self = Self(0);
    /// All hiding labels.
    pub const ALL: Self = Self(0b1_1111);
    /// The labels in the order of their bits.
    pub const LABELS: [&'static str; 5] = ["spam", "blocked", "unauthenticated", "trash", HELD];
    /// The label `held` alone.
    pub const HELD: Self = Self(0b1_0000);

    /// Returns the hiding labels among these labels.
    #[must_use]
    pub fn of(labels: &Labels) -> Self {
        Self::LABELS.iter().enumerate().fold(Self::NONE, |hidden, (bit, label)| {
            if labels.contains(label) { Self(hidden.0 | 1 << bit) } else { hidden }
        })
    }

    /// Returns the set with one more label, by its index in [`HidingLabels::LABELS`].
    #[must_use]
    pub fn with(self, place: usize) -> Self {
        Self((self.0 | 1u8.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0)) & Self::ALL.0)
    }

    /// Returns the union.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether a message with these labels is visible to a reader that includes those.
    #[must_use]
    pub fn shown_to(self, included: Self) -> bool {
        self.0 & !included.0 == 0
    }

    /// Returns the five bits, 0 to 31, as stored.
    #[must_use]
    pub fn bits(self) -> i16 {
        i16::from(self.0)
    }

    /// Returns the 32-bit set with this one combination; a thread stores the union over its messages.
    #[must_use]
    pub fn as_set(self) -> i32 {
        1 << self.0
    }

    /// Returns the 32-bit set of all combinations that are visible to a reader that includes these labels.
    ///
    /// A thread is visible if its set intersects this one.
    #[must_use]
    pub fn shown_set(self) -> i32 {
        (0..32u8).map(Self).filter(|hidden| hidden.shown_to(self)).fold(0, |set, hidden| set | hidden.as_set())
    }
}
