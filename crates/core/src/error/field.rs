//! Errors of single request fields.

use inboxd_mail::ComposeError;

/// An invalid field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Path of the field: `to`, `attachments[0].content`.
    pub path: String,
    /// Reason of the error and permitted values.
    pub message: String,
    /// Kind of the error.
    pub mistake: FieldErrorKind,
}

/// Kind of a field error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldErrorKind {
    /// The value is invalid.
    Unusable,
    /// The label can only be set by the service.
    SystemLabel,
    /// The field changes behaviour on other servers and is not supported here.
    Unsupported,
}

impl FieldError {
    /// Creates the error of an unsupported field. `harmless` is the JSON of its accepted value.
    #[must_use]
    pub fn unsupported(path: impl Into<String>, harmless: &str) -> Self {
        let message = format!("is not offered here; leave it out, or send {harmless}");
        Self { mistake: FieldErrorKind::Unsupported, ..Self::new(path, message) }
    }

    /// Creates the error of an invalid field.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), mistake: FieldErrorKind::Unusable }
    }

    /// Creates the error of a label that only the service sets.
    #[must_use]
    pub fn system_label(path: impl Into<String>, label: &str) -> Self {
        let message = format!("the label {label} is set by the service alone");
        Self { path: path.into(), message, mistake: FieldErrorKind::SystemLabel }
    }
}

impl From<ComposeError> for FieldError {
    fn from(error: ComposeError) -> Self {
        Self::new(error.field(), error.reason())
    }
}
