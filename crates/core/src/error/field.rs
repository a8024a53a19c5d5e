//! Fields of requests that cannot be used.

use inboxd_mail::{ComposeError, ComposeErrors};

use super::Error;

/// A field of a request that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Where it stands: `to`, `attachments[0].content`.
    pub path: String,
    /// What is wrong with it, and what is allowed.
    pub message: String,
    /// What kind of mistake it is.
    pub mistake: Mistake,
}

/// Why a field cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// It cannot be used as it is.
    Unusable,
    /// It is a label that the service alone sets.
    SystemLabel,
    /// It changes behaviour elsewhere and is not offered here.
    Unsupported,
}

impl FieldError {
    /// Returns a field that is not offered here, with the JSON of its harmless value.
    #[must_use]
    pub fn unsupported(path: impl Into<String>, harmless: &str) -> Self {
        let message = format!("is not offered here; leave it out, or send {harmless}");
        Self { mistake: Mistake::Unsupported, ..Self::new(path, message) }
    }

    /// A field and what is wrong with it.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), mistake: Mistake::Unusable }
    }

    /// A label that the service alone sets, and where it stands.
    #[must_use]
    pub fn system_label(path: impl Into<String>, label: &str) -> Self {
        let message = format!("the label {label} is set by the service alone");
        Self { path: path.into(), message, mistake: Mistake::SystemLabel }
    }
}

impl From<ComposeError> for FieldError {
    fn from(error: ComposeError) -> Self {
        Self::new(error.field(), error.reason())
    }
}

impl From<FieldError> for Error {
    fn from(problem: FieldError) -> Self {
        Self::Invalid(vec![problem])
    }
}

impl From<Vec<FieldError>> for Error {
    fn from(problems: Vec<FieldError>) -> Self {
        Self::Invalid(problems)
    }
}

impl From<ComposeErrors> for Error {
    fn from(errors: ComposeErrors) -> Self {
        Self::Invalid(errors.into_iter().map(FieldError::from).collect())
    }
}
