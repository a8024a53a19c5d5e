//! Why the program stops: one line that says what is wrong and what to do.

use std::fmt::Display;

/// A line for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure in words.
    pub(crate) fn new(line: impl Into<String>) -> Self {
        Self(line.into())
    }
}

/// Says what was tried when it fails.
pub(crate) trait While<T> {
    /// The failure, with what was tried before its colon.
    fn trying(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> While<T> for Result<T, E> {
    fn trying(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure(format!("{what}: {error}")))
    }
}
