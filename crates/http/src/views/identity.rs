//! Who calls.

use std::collections::BTreeMap;

use inboxd_core::model::{Actor, Caller, OrganizationId, Permission, Reach, Role};
use inboxd_core::rules::access;
use serde::Serialize;
use utoipa::ToSchema;

/// Who calls, and how far the key reaches.
#[derive(Serialize, ToSchema)]
#[schema(as = Identity)]
pub(crate) struct IdentityView {
    /// `organization`, `pod` or `inbox`.
    scope_type: &'static str,
    /// The id of the organization, pod or inbox.
    scope_id: String,
    /// The organization.
    organization_id: String,
    /// Every organization that the caller belongs to.
    organizations: Vec<MembershipView>,
    /// The pod that the key reaches, or whose inbox it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// The one inbox that the key reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// The key.
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key_id: Option<String>,
    /// The person whom the key acts as.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_id: Option<String>,
    /// That person's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    /// What that person is in the organization: `owner`, `admin` or `member`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    role: Option<&'static str>,
    /// What the key may do; where it is absent, everything that its scope allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    permissions: Option<BTreeMap<String, bool>>,
}

/// An organization that the caller belongs to.
#[derive(Serialize, ToSchema)]
#[schema(as = Membership)]
struct MembershipView {
    /// Its id.
    organization_id: String,
    /// What the caller is there. A key that acts for the organization has its owner's role where nothing restricts it, and
    /// that of a member where its scope or its permissions do.
    role: &'static str,
}

impl MembershipView {
    fn of((organization_id, role): (OrganizationId, Role)) -> Self {
        Self { organization_id: organization_id.to_string(), role: role.as_str() }
    }
}

/// Everything that a person may do with the key that they use.
fn held(caller: &Caller) -> BTreeMap<String, bool> {
    let held = Permission::ALL.iter().filter(|permission| access::holds(caller, **permission));
    held.map(|permission| (permission.as_str().to_owned(), true)).collect()
}

impl IdentityView {
    pub(crate) fn new(caller: Caller, organizations: Vec<(OrganizationId, Role)>) -> Self {
        let organization_id = caller.organization.organization_id.to_string();
        // What a role leaves out, no key of that role holds, whatever map it was given.
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
