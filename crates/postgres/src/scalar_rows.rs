//! Rows of one column that queries of several modules return.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Uuid as SqlUuid};
use uuid::Uuid;

/// A single number.
#[derive(QueryableByName)]
pub(crate) struct CountRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) count: i64,
}

/// Result of a condition.
#[derive(QueryableByName)]
pub(crate) struct FlagRow {
    #[diesel(sql_type = Bool)]
    pub(crate) flag: bool,
}

/// Id of an organization.
#[derive(QueryableByName)]
pub(crate) struct OrganizationIdRow {
    #[diesel(sql_type = SqlUuid)]
    pub(crate) organization_id: Uuid,
}
