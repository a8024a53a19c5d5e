//! Suppressed addresses as entries of the organization's send block list.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::App;
use crate::model::{EntryName, ListDirection, ListEntry, ListKey, ListLevel, ListType, Suppression, SuppressionReason};

/// Returns whether a list contains the suppressed addresses.
pub(super) fn shows_in(list: &ListKey) -> bool {
    list.level == ListLevel::Organization && list.direction == ListDirection::Send && list.list_type == ListType::Block
}

/// Returns the list entry of a suppressed address.
pub(super) fn entry(list: &ListKey, suppression: &Suppression) -> ListEntry {
    let reason = match suppression.reason {
        SuppressionReason::Bounce => "suppressed: its server refused a message permanently (bounce)",
        SuppressionReason::Complaint => "suppressed: the recipient marked a message as spam (complaint)",
    };
    ListEntry {
        list: list.clone(),
        entry: EntryName::stored(suppression.address.normalized()),
        reason: Some(reason.to_owned()),
        require_authentication: false,
        read_only: true,
        created_at: suppression.created_at,
    }
}

/// Returns the entry of a suppressed address if the list contains such entries.
pub(super) async fn find(app: &App, list: &ListKey, text: &str) -> Result<Option<ListEntry>, Error> {
    let Some(address) = text.parse::<EmailAddress>().ok().filter(|_| shows_in(list)) else { return Ok(None) };
    let found = app.store.suppressed(list.organization_id, &[address]).await?;
    Ok(found.into_iter().next().map(|suppression| entry(list, &suppression)))
}
