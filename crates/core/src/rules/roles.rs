//! What each role may do (`service.md`, section 5, rule 10).

use crate::model::{Permission, Role};

/// Whether a role may do something at all; where, is a matter of the member's inboxes.
#[must_use]
pub fn allows(role: Role, permission: Permission) -> bool {
    match role {
        Role::Owner | Role::Admin => true,
        Role::Member => members_may(permission),
    }
}

/// Members read, reply, draft and label mail, and see what there is. They change no keys, domains, webhooks, inboxes,
/// lists or people. Deleting mail is none of the four: they label it `trash`.
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
            | P::DraftRead
            | P::DraftCreate
            | P::DraftUpdate
            | P::DraftDelete
            | P::DraftSend
            | P::WebhookRead
            | P::DomainRead
            | P::ListEntryRead
            | P::MetricsRead
            | P::EventRead
            | P::ApiKeyRead
            | P::PodRead
            | P::MemberRead
            | P::OrganizationRead
    )
}
