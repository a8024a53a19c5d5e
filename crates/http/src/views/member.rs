//! Members and sign-in responses.

use inboxd_core::app::account;
use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Person that belongs to the organization or is invited to it.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberView {
    /// Id of the member.
    member_id: String,
    /// Email address.
    email: String,
    /// Name.
    name: String,
    /// `owner`, `admin` or `member`.
    role: &'static str,
    /// Inboxes that the member is limited to; an empty list means all. Owners and admins always reach every inbox.
    inbox_ids: Vec<String>,
    /// `invited` until the first sign-in, then `active`.
    status: &'static str,
    /// Time of the invitation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Member> for MemberView {
    fn from(member: model::Member) -> Self {
        Self {
            member_id: member.member_id.to_string(),
            status: if member.is_active() { "active" } else { "invited" },
            email: member.email.to_string(),
            name: member.name,
            role: member.role.as_str(),
            inbox_ids: member.inbox_ids.iter().map(ToString::to_string).collect(),
            created_at: format_time(member.created_at),
            updated_at: format_time(member.updated_at),
        }
    }
}

/// API key that acts as the member that signed in.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// Organization of the key.
    organization_id: String,
    /// The key itself. Only this response contains it.
    #[schema(example = "am_…")]
    api_key: String,
    /// Id of the API key.
    api_key_id: String,
    /// Name of the API key.
    #[schema(example = "Sign-in 2026-11-20 10:00:00 UTC")]
    name: String,
}

impl From<account::SignedIn> for SignedIn {
    fn from(signed_in: account::SignedIn) -> Self {
        Self {
            organization_id: signed_in.organization_id.to_string(),
            api_key: signed_in.api_key.reveal().to_owned(),
            api_key_id: signed_in.api_key_id.to_string(),
            name: signed_in.name,
        }
    }
}
