//! Values that forms offer: scopes, inboxes, pods.

use inboxd_core::app::{inboxes, pods};
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::model::{InboxId, PageRequest, Permission, PodId, Reach, Scope};
use inboxd_core::{Error, Resource};

use super::call::ConsoleCall;
use super::text::shown;
use crate::error::ApiError;
use crate::path;

/// Maximum characters of a label.
const MAX_LABEL_CHARS: usize = 100;

/// A value that a form offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) is_chosen: bool,
}

impl Choice {
    /// Returns a choice; `is_chosen` tells the chosen values.
    pub(crate) fn new(value: impl Into<String>, label: &str, is_chosen: impl FnOnce(&str) -> bool) -> Self {
        let value = value.into();
        Self { is_chosen: is_chosen(&value), label: shown(label, MAX_LABEL_CHARS), value }
    }

    /// Returns choices of fixed values with their labels.
    pub(crate) fn fixed(all: &[(&str, &str)], is_chosen: impl Fn(&str) -> bool) -> Vec<Self> {
        all.iter().map(|(value, label)| Self::new(*value, label, &is_chosen)).collect()
    }
}

/// Returns the first 200 inboxes of the person, and all chosen ones.
///
/// # Errors
/// When storage fails.
pub(crate) async fn inbox_choices(call: &ConsoleCall, chosen: &[String]) -> Result<Vec<Choice>, ApiError> {
    let caller = call.authorize::<InboxRead>(Scope::Organization)?;
    let found = inboxes::list(call.app(), &caller, whole_page()).await?.items;
    let mut ids: Vec<String> = found.iter().map(|inbox| inbox.inbox_id.to_string()).collect();
    ids.extend(chosen.iter().filter(|chosen| !found.iter().any(|inbox| inbox.inbox_id.as_str() == *chosen)).cloned());
    Ok(ids.into_iter().map(|id| Choice::new(id.clone(), &id, |id| chosen.iter().any(|chosen| chosen == id))).collect())
}

/// Returns the first 200 pods of the person; none for a person who may not see pods.
///
/// # Errors
/// When storage fails.
pub(crate) async fn pod_choices(call: &ConsoleCall, is_chosen: impl Fn(&str) -> bool) -> Result<Vec<Choice>, ApiError> {
    if !call.may(Permission::PodRead) {
        return Ok(Vec::new());
    }
    let found = pods::list(call.app(), &call.caller, whole_page()).await?.items;
    Ok(found.iter().map(|pod| Choice::new(pod.pod_id.to_string(), &pod.name, &is_chosen)).collect())
}

/// Returns the scopes that a form offers: the organization, pods as `pod:…` and inboxes as `inbox:…`. A limited member
/// has inboxes alone.
///
/// # Errors
/// When storage fails.
pub(crate) async fn scope_choices(call: &ConsoleCall, chosen: Option<&str>) -> Result<Vec<Choice>, ApiError> {
    let chosen = chosen.unwrap_or(ORGANIZATION);
    let mut choices = Vec::new();
    if !matches!(call.caller.reach, Reach::Inboxes(_)) {
        choices.push(Choice::new(ORGANIZATION, "Whole organization", |value| value == chosen));
        for pod in pod_choices(call, |_| false).await? {
            let label = format!("Pod {}", pod.label);
            choices.push(Choice::new(format!("pod:{}", pod.value), &label, |value| value == chosen));
        }
    }
    for inbox in inbox_choices(call, &[]).await? {
        choices.push(Choice::new(format!("inbox:{}", inbox.value), &inbox.label, |value| value == chosen));
    }
    Ok(choices)
}

const ORGANIZATION: &str = "organization";

/// Returns the widest scope of a person: the organization, or the first inbox of a limited member.
pub(crate) fn widest_scope(reach: &Reach) -> String {
    match reach {
        Reach::Inboxes(inboxes) => inboxes.first().map(|inbox_id| format!("inbox:{inbox_id}")),
        _ => None,
    }
    .unwrap_or_else(|| ORGANIZATION.to_owned())
}

/// Reads a scope that a form names; the organization without one.
///
/// # Errors
/// 404 for a text that names no scope.
pub(crate) fn scope_of(value: Option<&str>) -> Result<Scope, ApiError> {
    let value = value.unwrap_or(ORGANIZATION);
    if value == ORGANIZATION {
        return Ok(Scope::Organization);
    }
    if let Some(inbox_id) = value.strip_prefix("inbox:") {
        return Ok(Scope::Inbox(path::inbox_id(inbox_id)));
    }
    let pod_id = value.strip_prefix("pod:").and_then(|pod_id| pod_id.parse::<PodId>().ok());
    pod_id.map(Scope::Pod).ok_or_else(|| Error::not_found(Resource::Pod, path::harmless(value)).into())
}

/// Reads the inboxes that a form marks.
pub(crate) fn marked_inboxes(call: &ConsoleCall) -> Vec<InboxId> {
    call.form.all("inbox_ids").map(path::inbox_id).collect()
}

fn whole_page() -> PageRequest {
    PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited_member_begins_with_an_inbox() {
        let inboxes = ["b@x.example", "a@x.example"].map(|id| InboxId::stored(id.to_owned()));
        assert_eq!(widest_scope(&Reach::Inboxes(inboxes.into())), "inbox:a@x.example");
        assert_eq!(widest_scope(&Reach::Organization), ORGANIZATION);
    }

    #[test]
    fn scope_is_read() {
        assert_eq!(scope_of(None).ok(), Some(Scope::Organization));
        assert_eq!(scope_of(Some("organization")).ok(), Some(Scope::Organization));
        let inbox = scope_of(Some("inbox:Scout@Inboxd.Example")).ok();
        assert_eq!(inbox, Some(Scope::Inbox(InboxId::stored("scout@inboxd.example".to_owned()))));
        let pod_id: PodId = inboxd_core::testing::fixtures::id(2);
        assert_eq!(scope_of(Some(&format!("pod:{pod_id}"))).ok(), Some(Scope::Pod(pod_id)));
        assert!(scope_of(Some("pod:x")).is_err() && scope_of(Some("everything")).is_err());
    }
}
