//! A member, and what signing in answers.

use inboxd_core::app::account;
use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// A person who belongs to the organization, or is invited to.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberView {
    /// Their id.
    member_id: String,
    /// Their address.
    email: String,
    /// Their name.
    name: String,
    /// `owner`, `admin` or `member`.
    role: &'static str,
    /// The inboxes that a member is limited to; empty is all. Owners and admins always see every inbox.
    inbox_ids: Vec<String>,
    /// `invited` until the person signs in, then `active`.
    status: &'static str,
    /// When they were invited.
    #[schema(format = DateTime)]
    created_at: String,
    /// When this last changed.
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

/// A key that acts as the person who signed in.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// Where they are now.
    organization_id: String,
    /// The key. It is shown here and never again.
    #[schema(example = "am_…")]
    api_key: String,
    /// Its id.
    api_key_id: String,
    /// Its name.
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
