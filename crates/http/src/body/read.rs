//! A request as far as it could be read.

use inboxd_core::{Error, FieldError};

use super::BodyProblems;

/// A request, and what could not be read of it: in its place stands something harmless, so that the rest can be checked
/// as well. It comes out only where nothing is wrong.
#[derive(Debug)]
pub(crate) struct ReadBody<T> {
    request: T,
    problems: BodyProblems,
}

impl<T> ReadBody<T> {
    pub(super) fn new(request: T, problems: BodyProblems) -> Self {
        Self { request, problems }
    }

    /// Takes the names of the ignored fields.
    pub(super) fn take_ignored(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems.ignored)
    }

    /// The request in the words of its use case.
    pub(crate) fn map<U>(self, into: impl FnOnce(T) -> U) -> ReadBody<U> {
        ReadBody { request: into(self.request), problems: self.problems }
    }

    /// The request, if it could be read and nothing else is wrong with it. Every bad field is named at once, each for
    /// the first thing that is wrong with it.
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

    /// The request, if it could be read.
    pub(crate) fn whole(self) -> Result<T, Error> {
        self.checked(|_| Vec::new())
    }
}
