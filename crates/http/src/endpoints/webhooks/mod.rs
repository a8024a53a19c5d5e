//! `…/webhooks` of the organization, a pod or an inbox.

pub(crate) mod attempts;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod headers;
pub(crate) mod list;
pub(crate) mod replay;
pub(crate) mod rotate_secret;
pub(crate) mod update;
pub(crate) mod update_headers;

use inboxd_core::FieldError;
use inboxd_core::model::Scope;

use crate::body::{InboxIds, StringList};

/// Removes the ids that the path determines from a request, and returns a problem for each field that has any.
pub(crate) fn take_scope_ids<const N: usize>(
    scope: &Scope,
    pods: [(&'static str, &mut Option<StringList>); N],
    inboxes: [(&'static str, &mut Option<InboxIds>); N],
) -> Vec<FieldError> {
    let what = match scope {
        Scope::Organization => return Vec::new(),
        Scope::Pod(_) => "pod",
        Scope::Inbox(_) => "inbox",
    };
    let pods = pods.map(|(field, ids)| (field, ids.take().is_some_and(|ids| !ids.0.is_empty())));
    let inboxes = match scope {
        Scope::Inbox(_) => inboxes.map(|(field, ids)| (field, ids.take().is_some_and(|ids| !ids.0.is_empty()))),
        Scope::Organization | Scope::Pod(_) => inboxes.map(|(field, _)| (field, false)),
    };
    let named = pods.into_iter().chain(inboxes).filter(|(_, is_named)| *is_named);
    named.map(|(field, _)| FieldError::new(field, format!("the path names the {what}; leave it out"))).collect()
}
