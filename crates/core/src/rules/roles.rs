//! Permissions of each role (`service.md`, section 5, rule 10).

use crate::model::{Permission, Role};

/// Returns whether a role has a permission; the member's inboxes decide where it applies.
#[must_use]
pub fn allows(role: Role, permission: Permission) -> bool {
    match role {
        Role::Owner | Role::Admin => true,
        Role::Member => members_may(permission),
    }
}

/// Returns whether a member has a permission.
///
/// Members read, reply, draft and label mail, and see all resources. They change no keys, domains, webhooks, inboxes,
/// lists or members. They cannot delete mail; they label it `trash`.
fn members_may(permission: Permission) -> bool {
    use Permission as P;
    matches!(
        permission,
        P::InboxRead
            | P::MessageRead
            | P::MessageSend
            | P::MessageUpdate
            | P::LabelSpamRead
            | P::LabelBlockedRead
            | P::LabelUnauthenticatedRead
            | P::LabelTrashRead
            | P::LabelHeldRead
            | P::DraftRead
            | P::DraftCreate
            | P::DraftUpdate
            | P::DraftDelete
            | P::DraftSend
            | P::DraftApprove
            | P::FileRead
            | P::FileCreate
            | P::FileDelete
            | P::WebhookRead
            | P::DomainRead
            | P::ListEntryRead
            | P::MetricsRead
            | P::EventRead
            | P::ApiKeyRead
            | P::PodRead
            | P::PolicyRead
            | P::MemberRead
            | P::OrganizationRead
    )
}
