//! Label changes of a request: `add_labels` and `remove_labels`.

use inboxd_core::rules::labels::LabelChange;
use inboxd_core::{Error, FieldError};

use super::StringList;

/// Values of `add_labels` and `remove_labels`.
#[derive(Debug)]
pub(crate) struct LabelNames {
    add: Vec<String>,
    remove: Vec<String>,
}

impl LabelNames {
    pub(crate) fn new(add: Option<StringList>, remove: Option<StringList>) -> Self {
        Self { add: add.unwrap_or_default().0, remove: remove.unwrap_or_default().0 }
    }

    /// Returns a problem for each label that a caller cannot set.
    pub(crate) fn problems(&self) -> Vec<FieldError> {
        LabelChange::validate(&self.add, &self.remove)
    }

    /// Returns the label change, or the problems of its labels.
    pub(crate) fn change(&self) -> Result<LabelChange, Error> {
        LabelChange::checked(&self.add, &self.remove)
    }
}
