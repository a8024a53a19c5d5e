//! Conditions of the scope of a list.

use inboxd_core::model::InboxId;
use inboxd_core::ports::WebhookScope;
use uuid::Uuid;

use crate::sql::Sql;

/// Returns whether a scope has all webhooks of its organization, also deleted ones.
pub(super) fn is_whole_organization(scope: &WebhookScope) -> bool {
    scope.pod_id.is_none() && scope.inbox_id.is_none() && scope.among.is_none()
}

/// Returns the conditions of a scope on the table `w`, except its organization, with the values $1 to $4.
pub(super) fn within(scope: &WebhookScope) -> String {
    let conditions = [
        (scope.pod_id.is_some(), "AND w.pod_id = $2"),
        (scope.inbox_id.is_some(), "AND w.inbox_id = $3"),
        (scope.among.is_some(), "AND w.inbox_id = ANY($4)"),
    ];
    let meant: Vec<&str> = conditions.into_iter().filter(|(is_meant, _)| *is_meant).map(|(_, text)| text).collect();
    meant.join(" ")
}

/// Binds $1 to $4.
pub(super) fn bind_scope<'a>(sql: Sql<'a>, scope: &'a WebhookScope) -> Sql<'a> {
    sql.uuid(scope.organization_id.0)
        .uuid(scope.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
        .optional_text(scope.inbox_id.as_ref().map(InboxId::as_str))
        .texts(scope.among.iter().flatten().map(InboxId::as_str))
}
