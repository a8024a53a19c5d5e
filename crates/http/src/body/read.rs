//! Partly read request with the problems of its fields.

use inboxd_core::{Error, FieldError};

use super::BodyProblems;

/// Request with the problems of its fields.
///
/// Harmless substitutes replace unreadable values, so that the other fields can be checked. Only a request without
/// problems is released.
#[derive(Debug)]
pub(crate) struct ReadBody<T> {
    request: T,
    problems: BodyProblems,
}

impl<T> ReadBody<T> {
    pub(crate) fn new(request: T, problems: BodyProblems) -> Self {
        Self { request, problems }
    }

    /// Removes and returns the names of the ignored fields.
    pub(super) fn take_ignored(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems.ignored)
    }

    /// Converts the request into the input of its use case; the problems stay.
    pub(crate) fn map<U>(self, into: impl FnOnce(T) -> U) -> ReadBody<U> {
        ReadBody { request: into(self.request), problems: self.problems }
    }

    /// Returns the request, or all bad fields with the first problem of each.
    pub(crate) fn checked(self, find: impl FnOnce(&T) -> Vec<FieldError>) -> Result<T, Error> {
        let Self { request, mut problems } = self;
        let found = find(&request);
        if found.is_empty() && problems.found.is_empty() {
            return Ok(request);
        }
        let unread: Vec<String> = problems.found.iter().map(|problem| problem.path.clone()).collect();
        for problem in found.into_iter().filter(|problem| !unread.contains(&problem.path)) {
            problems.push(problem);
        }
        Err(Error::Invalid(problems.found))
    }

    /// Returns the request, or the problems of its fields.
    pub(crate) fn whole(self) -> Result<T, Error> {
        self.checked(|_| Vec::new())
    }
}
