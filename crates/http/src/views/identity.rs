//! Who calls.

use std::collections::BTreeMap;

use inboxd_core::model::{Actor, Caller, Reach};
use serde::Serialize;
use utoipa::ToSchema;

/// Who calls, and how far the key reaches.
#[derive(Serialize, ToSchema)]
pub(crate) struct Identity {
    /// `organization`, `pod` or `inbox`.
    scope_type: &'static str,
    /// The id of the organization, pod or inbox.
    scope_id: String,
    /// The organization.
    organization_id: String,
    /// Every organization that the caller belongs to.
    organizations: Vec<Membership>,
    /// The pod that the key reaches, or whose inbox it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// The one inbox that the key reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// The key.
    api_key_id: String,
    /// The person whom the key acts as.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    member_id: Option<String>,
    /// That person's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    /// What the key may do; where it is absent, everything that its scope allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    permissions: Option<BTreeMap<String, bool>>,
}

/// An organization that the caller belongs to.
#[derive(Serialize, ToSchema)]
struct Membership {
    /// Its id.
    organization_id: String,
    /// What the caller is there. A key that acts for the organization has its owner's role.
    role: &'static str,
}

impl From<Caller> for Identity {
    fn from(caller: Caller) -> Self {
        let organization_id = caller.organization.organization_id.to_string();
        let (scope_type, pod_id, inbox_id) = match caller.reach {
            Reach::Organization => ("organization", None, None),
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
            organizations: vec![Membership { organization_id: organization_id.clone(), role: "owner" }],
            organization_id,
            pod_id,
            inbox_id,
            api_key_id: caller.api_key_id.to_string(),
            member_id,
            email,
            permissions: caller.permissions.map(|permissions| permissions.0),
        }
    }
}
