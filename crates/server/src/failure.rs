//! Error of the program: one line with the cause and the remedy.

use std::fmt::Display;

/// Error line for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    /// Creates an error from its text.
    pub(crate) fn new(line: impl Into<String>) -> Self {
        Self(line.into())
    }
}

/// Addition of context to an error.
pub(crate) trait ErrorContext<T> {
    /// Converts an error to a failure with the context before a colon.
    fn context(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> ErrorContext<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure(format!("{what}: {error}")))
    }
}
