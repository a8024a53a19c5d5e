//! List of audited changes.

use time::OffsetDateTime;

use super::record::{AuditChange, record};
use crate::Error;
use crate::app::App;
use crate::model::permissions::AuditRead;
use crate::model::{AuditAction, AuditEntry, AuditFacts, AuditedResource, Page, PageRequest};
use crate::ports::AuditQuery;
use crate::rules::authorization::AuthorizedCaller;

/// Filter of the audit log. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only changes by this member or key, or by a [`crate::model::ServiceActor`].
    pub actor_id: Option<String>,
    /// Only changes of this kind.
    pub action: Option<AuditAction>,
    /// Only changes of this kind of resource.
    pub resource_type: Option<AuditedResource>,
    /// Only changes of this resource.
    pub resource_id: Option<String>,
    /// Only changes at or after this time.
    pub start: Option<OffsetDateTime>,
    /// Only changes before this time.
    pub end: Option<OffsetDateTime>,
    /// The page.
    pub page: PageRequest,
}

/// Lists audited changes of the organization.
///
/// # Errors
/// [`Error::Store`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<AuditRead>,
    filter: AuditFilter,
) -> Result<Page<AuditEntry>, Error> {
    let AuditFilter { actor_id, action, resource_type, resource_id, start, end, page } = filter;
    let organization_id = caller.organization.organization_id;
    let query = AuditQuery { organization_id, actor_id, action, resource_type, resource_id, start, end, page };
    Ok(app.store.list_audit(&query).await?)
}

/// Records that the caller exports the log with a filter.
///
/// # Errors
/// [`Error::RowLimitReached`], [`Error::Store`].
pub async fn record_export(app: &App, caller: &AuthorizedCaller<AuditRead>, filter: AuditFacts) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    let change = AuditChange {
        action: AuditAction::AuditExported,
        resource_type: AuditedResource::Audit,
        resource_id: caller.organization.organization_id.to_string(),
        before: None,
        after: Some(filter),
    };
    record(app, tx.as_mut(), caller, change).await?;
    Ok(tx.commit().await?)
}
