//! Constructors of the errors that many use cases return.

use super::{Error, FieldError, Resource};
use crate::model::OrganizationId;

impl Error {
    /// There is no such thing.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "ids are given as they are at hand, by value or by reference")]
    pub fn not_found(resource: Resource, id: impl ToString) -> Self {
        Self::NotFound { resource, id: id.to_string() }
    }

    /// One field of the request cannot be used.
    #[must_use]
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(path, message)])
    }

    /// Nothing is wrong with the request, or all of this is.
    pub(crate) fn unless_empty(problems: Vec<FieldError>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::Invalid(problems)) }
    }

    /// There is no such organization.
    #[must_use]
    pub fn no_organization(id: OrganizationId) -> Self {
        Self::not_found(Resource::Organization, id)
    }

    /// There is no organization of the id that somebody asked for, which may be anything; so much of it is said as is
    /// harmless.
    #[must_use]
    pub fn no_such_organization(asked: &str) -> Self {
        let asked: String = asked.chars().filter(|c| !c.is_control()).take(64).collect();
        Self::not_found(Resource::Organization, asked)
    }
}
