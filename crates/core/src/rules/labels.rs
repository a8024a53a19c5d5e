//! Which labels a caller may set (`wire.md`, section 4).

use crate::model::Labels;
use crate::{Error, FieldError};

/// Labels that only the service sets.
pub const SYSTEM: [&str; 11] = [
    "received",
    "sent",
    "delivered",
    "bounced",
    "complained",
    "rejected",
    "spam",
    "blocked",
    "unauthenticated",
    "draft",
    "scheduled",
];

/// The longest label, in characters.
pub const LONGEST: usize = 64;

/// Labels to add to a message and labels to take away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelChange {
    /// To add.
    pub add: Vec<String>,
    /// To take away.
    pub remove: Vec<String>,
}

impl LabelChange {
    /// Checks every label of a change.
    ///
    /// # Errors
    /// [`Error::Invalid`] naming every label that is malformed; [`Error::SystemLabel`] for one that the service sets.
    pub fn checked(add: &[String], remove: &[String]) -> Result<Self, Error> {
        let mut problems = Vec::new();
        let add = well_formed("add_labels", add, &mut problems);
        let remove = well_formed("remove_labels", remove, &mut problems);
        for label in add.iter().filter(|label| remove.contains(label)) {
            problems.push(FieldError::new("remove_labels", format!("{label} is to be added as well")));
        }
        if !problems.is_empty() {
            return Err(Error::Invalid(problems));
        }
        match add.iter().chain(&remove).find(|label| SYSTEM.contains(&label.as_str())) {
            Some(label) => Err(Error::SystemLabel(label.clone())),
            None => Ok(Self { add, remove }),
        }
    }

    /// The labels after the change.
    ///
    /// # Errors
    /// [`Error::Invalid`] when they are too many.
    pub fn apply(&self, labels: &Labels) -> Result<Labels, Error> {
        let mut changed = labels.clone();
        for label in &self.remove {
            changed.remove(label);
        }
        for label in &self.add {
            changed.insert(label);
        }
        // The service's own labels may bring a message over the number; taking labels away always works.
        if changed.len() > Labels::MOST && changed.len() > labels.len() {
            return Err(Error::invalid("add_labels", format!("a message carries at most {} labels", Labels::MOST)));
        }
        Ok(changed)
    }
}

/// Checks the labels that a caller gives to a mail it sends.
///
/// # Errors
/// As [`LabelChange::checked`].
pub fn of_sent_mail(labels: &[String]) -> Result<Labels, Error> {
    let mut problems = Vec::new();
    let labels = well_formed("labels", labels, &mut problems);
    if !problems.is_empty() {
        return Err(Error::Invalid(problems));
    }
    if let Some(label) = labels.iter().find(|label| SYSTEM.contains(&label.as_str())) {
        return Err(Error::SystemLabel(label.clone()));
    }
    let mut all: Labels = labels.into_iter().collect();
    all.insert("sent");
    if all.len() > Labels::MOST {
        return Err(Error::invalid("labels", format!("a message carries at most {} labels", Labels::MOST)));
    }
    Ok(all)
}

/// A label in its stored form.
///
/// # Errors
/// What is wrong with it.
pub fn normalize(label: &str) -> Result<String, String> {
    let label = label.trim().to_lowercase();
    let length = label.chars().count();
    if length == 0 || length > LONGEST {
        return Err(format!("a label has 1 to {LONGEST} characters"));
    }
    let bad = label.chars().find(|c| c.is_control() || matches!(c, ',' | '"' | '\'' | '[' | ']'));
    match bad {
        Some(c) => {
            Err(format!("a label holds no {c:?}: commas, quotes, brackets and control characters are not allowed"))
        }
        None => Ok(label),
    }
}

fn well_formed(path: &str, labels: &[String], problems: &mut Vec<FieldError>) -> Vec<String> {
    if labels.len() > Labels::MOST {
        problems.push(FieldError::new(path, format!("names at most {} labels", Labels::MOST)));
        return Vec::new();
    }
    let mut known = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        match normalize(label) {
            Ok(label) if known.contains(&label) => {}
            Ok(label) => known.push(label),
            Err(message) => problems.push(FieldError::new(format!("{path}[{place}]"), message)),
        }
    }
    known
}
