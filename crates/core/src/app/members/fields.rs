//! Validation of member fields.

use std::collections::BTreeSet;

use crate::model::{InboxId, Organization, Role};
use crate::ports::{Destination, Tx};
use crate::rules::names;
use crate::{Error, FieldError};

/// Maximum number of inboxes that limit one member.
const MAX_MEMBER_INBOXES: usize = 1000;

/// Parses an assignable role. The role of the owner is not assignable.
pub(super) fn role(text: &str) -> Result<Role, String> {
    match text.parse() {
        Ok(role @ (Role::Admin | Role::Member)) => Ok(role),
        _ => Err("the roles that can be given are `admin` and `member`".to_owned()),
    }
}

/// Validates a display name.
pub(super) fn name(text: Option<&str>) -> Result<(), String> {
    text.map_or(Ok(()), names::validate_display_name)
}

/// Validates the number of inboxes that limit a member.
pub(in crate::app) fn inbox_count(inbox_ids: &[InboxId]) -> Result<(), String> {
    if inbox_ids.len() > MAX_MEMBER_INBOXES {
        return Err(format!("a member is limited to at most {MAX_MEMBER_INBOXES} inboxes; leave it empty for all"));
    }
    Ok(())
}

/// Locks the inboxes and returns them as a set, or returns an error for each one outside the organization.
pub(in crate::app) async fn inboxes(
    tx: &mut dyn Tx,
    organization: &Organization,
    inbox_ids: Vec<InboxId>,
) -> Result<BTreeSet<InboxId>, Error> {
    let Organization { organization_id, default_pod_id, .. } = *organization;
    let wanted: BTreeSet<InboxId> = inbox_ids.iter().cloned().collect();
    if wanted.is_empty() {
        return Ok(wanted);
    }
    let destination =
        |inbox_id: &InboxId| Destination { organization_id, pod_id: default_pod_id, inbox_id: inbox_id.clone() };
    let destinations: Vec<Destination> = wanted.iter().map(destination).collect();
    let held = tx.inboxes().hold(&destinations).await?;
    let lives = |inbox_id: &InboxId| held.iter().any(|held| held.inbox_id == *inbox_id);
    let problems: Vec<FieldError> = inbox_ids
        .iter()
        .enumerate()
        .filter(|(_, inbox_id)| !lives(inbox_id))
        .map(|(place, inbox_id)| {
            FieldError::new(format!("inbox_ids[{place}]"), format!("{inbox_id} is no inbox of this organization"))
        })
        .collect();
    if problems.is_empty() { Ok(wanted) } else { Err(Error::Invalid(problems)) }
}
