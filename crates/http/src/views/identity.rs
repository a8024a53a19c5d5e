//! Identity of the caller.

use std::collections::BTreeMap;

use inboxd_core::model::{Actor, Caller, OrganizationId, Permission, Reach, Role};
use inboxd_core::rules::access;
use serde::Serialize;
use utoipa::ToSchema;

/// Caller with the scope and permissions of its key.
#[derive(Serialize, ToSchema)]
#[schema(as = Identity)]
pub(crate) struct IdentityView {
    /// `organization`, `pod` or `inbox`.
    scope_type: &'static str,
    /// Id of the organization, pod or inbox.
    scope_id: String,
    /// Id of the organization of the key.
    organization_id: String,
    /// All organizations of the caller.
    organizations: Vec<MembershipView>,
    /// Id of the pod that the key is limited to, or of the pod of its inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// Id of the inbox that the key is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// Id of the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key_id: Option<String>,
    /// Id of the member that the key acts as.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_id: Option<String>,
    /// Email address of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    /// Role of the member in the organization: `owner`, `admin` or `member`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    role: Option<&'static str>,
    /// Permissions of the key by name. Without a map the key holds every permission that its scope allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    permissions: Option<BTreeMap<String, bool>>,
}

/// Organization of the caller.
#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
struct MembershipView {
    /// Id of the organization.
    organization_id: String,
    /// Role of the caller in the organization. A key that acts for the organization has the role `owner` without
    /// restrictions, and `member` if its scope or its permissions are restricted.
    role: &'static str,
}

impl MembershipView {
    fn of((organization_id, role): (OrganizationId, Role)) -> Self {
        Self { organization_id: organization_id.to_string(), role: role.as_str() }
    }
}

/// Returns the permissions that a member holds with the current key.
fn held(caller: &Caller) -> BTreeMap<String, bool> {
    let held = Permission::ALL.iter().filter(|permission| access::holds(caller, **permission));
    held.map(|permission| (permission.as_str().to_owned(), true)).collect()
}

impl IdentityView {
    pub(crate) fn new(caller: Caller, organizations: Vec<(OrganizationId, Role)>) -> Self {
        let organization_id = caller.organization.organization_id.to_string();
        // A key cannot hold a permission that the role of its member excludes, even if its map names it.
        let permissions = match caller.member.as_ref().map(|member| member.role) {
            Some(Role::Member) => Some(held(&caller)),
            _ => caller.permissions.clone().map(|permissions| permissions.0),
        };
        let (scope_type, pod_id, inbox_id) = match caller.reach {
            Reach::Organization | Reach::Inboxes(_) => ("organization", None, None),
            Reach::Pod(pod_id) => ("pod", Some(pod_id.to_string()), None),
            Reach::Inbox { pod_id, inbox_id } => ("inbox", Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        let (member_id, email) = match caller.actor {
            Actor::Member { member_id, email, .. } => (Some(member_id.to_string()), Some(email)),
            Actor::ApiKey { .. } => (None, None),
        };
        let scope_id = inbox_id.as_ref().or(pod_id.as_ref()).unwrap_or(&organization_id).clone();
        Self {
            scope_type,
            scope_id,
            organizations: organizations.into_iter().map(MembershipView::of).collect(),
            organization_id,
            pod_id,
            inbox_id,
            api_key_id: caller.api_key_id.map(|id| id.to_string()),
            member_id,
            email,
            role: caller.member.as_ref().map(|member| member.role.as_str()),
            permissions,
        }
    }
}
