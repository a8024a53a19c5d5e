//! Labels to add and to take away, wherever they are asked for.

use inboxd_core::rules::labels::LabelChange;
use inboxd_core::{Error, FieldError};

use super::StringList;

/// What `add_labels` and `remove_labels` say.
#[derive(Debug)]
pub(crate) struct LabelNames {
    add: Vec<String>,
    remove: Vec<String>,
}

impl LabelNames {
    pub(crate) fn new(add: Option<StringList>, remove: Option<StringList>) -> Self {
        Self { add: add.unwrap_or_default().0, remove: remove.unwrap_or_default().0 }
    }

    /// Every label that cannot be set.
    pub(crate) fn problems(&self) -> Vec<FieldError> {
        LabelChange::validate(&self.add, &self.remove)
    }

    /// The change that they make.
    pub(crate) fn change(&self) -> Result<LabelChange, Error> {
        LabelChange::checked(&self.add, &self.remove)
    }
}
