//! Constructors of common errors.

use super::{Error, FieldError, Resource};
use crate::model::OrganizationId;

impl Error {
    /// Creates the error of a resource that does not exist.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "ids are given as they are at hand, by value or by reference")]
    pub fn not_found(resource: Resource, id: impl ToString) -> Self {
        Self::NotFound { resource, id: id.to_string() }
    }

    /// Creates the error of one invalid field.
    #[must_use]
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(path, message)])
    }

    /// Returns [`Error::Invalid`] unless the list is empty.
    pub(crate) fn unless_empty(problems: Vec<FieldError>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::Invalid(problems)) }
    }

    /// Creates the error of an organization that does not exist.
    #[must_use]
    pub fn no_organization(id: OrganizationId) -> Self {
        Self::not_found(Resource::Organization, id)
    }

    /// Creates the error of an unknown organization id in a request. The id may be any text, so only a safe excerpt is
    /// shown.
    #[must_use]
    pub fn no_such_organization(asked: &str) -> Self {
        let asked: String = asked.chars().filter(|c| !c.is_control()).take(64).collect();
        Self::not_found(Resource::Organization, asked)
    }
}
