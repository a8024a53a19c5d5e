//! Fixes of refusals that depend on the caller.

use inboxd_core::Error;
use inboxd_core::app::oauth::missing_scope;
use inboxd_core::model::{Breadth, Caller, InboxId, MemberId, Permission};
use inboxd_core::rules::access;

use super::ApiError;
use super::fixes::one_of;
use super::mapping::{AS_PERSON, TO_OPT_IN};

impl ApiError {
    /// Returns the refusal with a fix for this caller.
    pub(crate) fn with_fix(error: Error, caller: &Caller) -> Self {
        let fix = match &error {
            Error::MissingPermission(permission) => Some(to_hold(*permission, Some(caller))),
            Error::NotTheirInbox { theirs } => {
                Some(to_reach(theirs, caller.member.as_ref().map(|person| person.member_id)))
            }
            _ => None,
        };
        fix.into_iter().fold(error.into(), Self::fix)
    }
}

/// Returns the fix for a caller without the required permission.
pub(super) fn to_hold(permission: Permission, caller: Option<&Caller>) -> String {
    if let Some(fix) = caller.and_then(|caller| to_widen(permission, caller)) {
        return fix;
    }
    let name = permission.as_str();
    let breadth = caller.map_or(Breadth::Organization, |caller| caller.reach.breadth());
    if !access::is_within(breadth, permission) {
        let (own, wider) = match breadth {
            Breadth::Inbox if access::is_within(Breadth::Pod, permission) => ("inbox", "the pod or the organization"),
            Breadth::Inbox => ("inbox", "the organization"),
            Breadth::Pod | Breadth::Organization => ("pod", "the organization"),
        };
        return format!("use a key of {wider} that holds {name}; a key of one {own} cannot hold it");
    }
    if permission.is_opt_in() {
        return format!("use a key that names {name} in its map; to get one, {TO_OPT_IN}");
    }
    let known = caller.and_then(|caller| Some((caller.api_key_id?, caller.permissions.clone()?)));
    let Some((api_key_id, mut map)) = known else {
        return format!(
            "use a key that holds {name}, or with such a key add it to the map of this one: PATCH /v0/api-keys/{{api_key_id}}"
        );
    };
    map.0.insert(name.to_owned(), true);
    let body = serde_json::json!({ "permissions": map.0 });
    format!(
        "use a key that holds {name}, or with such a key add it to the map of this one: PATCH /v0/api-keys/{api_key_id} {body}"
    )
}

/// Returns the fix for a connection without the required permission; `None` for any other caller.
fn to_widen(permission: Permission, caller: &Caller) -> Option<String> {
    let connection_id = caller.connection.as_ref()?.connection_id;
    let Some(scope) = missing_scope(caller, permission) else {
        return Some(format!("a connected app never holds {}; {AS_PERSON}", permission.as_str()));
    };
    let body = serde_json::json!({ "scope": scope });
    Some(format!(
        "authorize again with the scope {scope}, which includes {}; or as the person who connected this client: PATCH /v0/connections/{connection_id} {body}",
        permission.as_str()
    ))
}

/// Returns the fix for a member without access to an inbox.
pub(super) fn to_reach(theirs: &[InboxId], member_id: Option<MemberId>) -> String {
    let member = member_id.map_or_else(|| "{member_id}".to_owned(), |id| id.to_string());
    let theirs = one_of(theirs);
    format!("use {theirs}, or ask the owner or an admin to change `inbox_ids` with PATCH /v0/members/{member}")
}
