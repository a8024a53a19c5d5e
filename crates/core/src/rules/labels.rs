//! Validation of labels from callers (`wire.md`, section 4).

use crate::model::{ARMOR_HELD, HELD, Labels};
use crate::{Error, FieldError};

/// Labels that only the service sets.
pub const SYSTEM_LABELS: [&str; 14] = [
    "received",
    "sent",
    "delivered",
    "bounced",
    "complained",
    "rejected",
    "spam",
    "blocked",
    "unauthenticated",
    HELD,
    ARMOR_HELD,
    "draft",
    "scheduled",
    "awaiting_approval",
];

/// Maximum length of a label in characters.
pub const MAX_LABEL_CHARS: usize = 64;

/// Labels to add to a message and labels to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelChange {
    /// Labels to add.
    pub add: Vec<String>,
    /// Labels to remove.
    pub remove: Vec<String>,
}

impl LabelChange {
    /// Validates all labels of a change.
    ///
    /// # Errors
    /// [`Error::Invalid`] with each malformed or system label.
    pub fn checked(add: &[String], remove: &[String]) -> Result<Self, Error> {
        Self::parse(add, remove).map_err(Error::Invalid)
    }

    /// Returns all errors with which [`Self::checked`] would refuse a change.
    #[must_use]
    pub fn validate(add: &[String], remove: &[String]) -> Vec<FieldError> {
        Self::parse(add, remove).err().unwrap_or_default()
    }

    fn parse(add: &[String], remove: &[String]) -> Result<Self, Vec<FieldError>> {
        let mut problems = Vec::new();
        let add = read_labels("add_labels", add, &mut problems);
        let remove = read_labels("remove_labels", remove, &mut problems);
        for label in add.iter().filter(|label| remove.contains(label)) {
            problems.push(FieldError::new("remove_labels", format!("{label} is to be added as well")));
        }
        if problems.is_empty() { Ok(Self { add, remove }) } else { Err(problems) }
    }

    /// Returns the labels after the change.
    ///
    /// # Errors
    /// [`Error::Invalid`] for too many labels.
    pub fn apply(&self, labels: &Labels) -> Result<Labels, Error> {
        let mut changed = labels.clone();
        for label in &self.remove {
            changed.remove(label);
        }
        for label in &self.add {
            changed.insert(label);
        }
        // System labels may bring a message over the limit; a removal always works.
        if changed.len() > Labels::MAX_LABELS && changed.len() > labels.len() {
            return Err(Error::invalid(
                "add_labels",
                format!("a message carries at most {} labels", Labels::MAX_LABELS),
            ));
        }
        Ok(changed)
    }
}

/// Returns the labels of one set that another lacks, in order.
pub fn difference<'a>(one: &'a Labels, other: &'a Labels) -> impl Iterator<Item = &'a str> {
    one.iter().filter(|label| !other.contains(label))
}

/// Validates the labels of an outgoing message and adds `sent`.
///
/// # Errors
/// Each malformed or system label.
pub fn for_sent_message(labels: &[String]) -> Result<Labels, Vec<FieldError>> {
    let mut problems = Vec::new();
    let mut all: Labels = read_labels("labels", labels, &mut problems).into_iter().collect();
    all.insert("sent");
    if all.len() > Labels::MAX_LABELS {
        problems.push(FieldError::new("labels", format!("a message carries at most {} labels", Labels::MAX_LABELS)));
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

/// Returns the stored form of a label.
///
/// # Errors
/// The reason, for an invalid label.
pub fn normalize(label: &str) -> Result<String, String> {
    let label = label.trim().to_lowercase();
    let length = label.chars().count();
    if length == 0 || length > MAX_LABEL_CHARS {
        return Err(format!("a label has 1 to {MAX_LABEL_CHARS} characters"));
    }
    let bad = label.chars().find(|c| c.is_control() || matches!(c, ',' | '"' | '\'' | '[' | ']'));
    match bad {
        Some(c) => {
            Err(format!("a label holds no {c:?}: commas, quotes, brackets and control characters are not allowed"))
        }
        None => Ok(label),
    }
}

/// Returns the valid labels once each, and appends an error for each other one.
fn read_labels(path: &str, labels: &[String], problems: &mut Vec<FieldError>) -> Vec<String> {
    if labels.len() > Labels::MAX_LABELS {
        problems.push(FieldError::new(path, format!("names at most {} labels", Labels::MAX_LABELS)));
        return Vec::new();
    }
    let mut known = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let path = format!("{path}[{place}]");
        match normalize(label) {
            Ok(label) if SYSTEM_LABELS.contains(&label.as_str()) => {
                problems.push(FieldError::system_label(path, &label));
            }
            Ok(label) if known.contains(&label) => {}
            Ok(label) => known.push(label),
            Err(message) => problems.push(FieldError::new(path, message)),
        }
    }
    known
}
