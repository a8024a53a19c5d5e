//! Suppressed addresses as entries of the one list in which they show: what the organization may not send to.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::App;
use crate::model::{EntryName, ListDirection, ListEntry, ListKey, ListLevel, ListType, Suppression, SuppressionReason};

/// Whether suppressed addresses show in a list.
pub(super) fn shows_in(list: &ListKey) -> bool {
    list.level == ListLevel::Organization && list.direction == ListDirection::Send && list.list_type == ListType::Block
}

/// A suppressed address as an entry.
pub(super) fn entry(list: &ListKey, suppression: &Suppression) -> ListEntry {
    let reason = match suppression.reason {
        SuppressionReason::Bounce => "suppressed: its server refused a mail for good (bounce)",
        SuppressionReason::Complaint => "suppressed: its owner marked a mail as spam (complaint)",
    };
    ListEntry {
        list: list.clone(),
        entry: EntryName::stored(suppression.address.normalized()),
        reason: Some(reason.to_owned()),
        read_only: true,
        created_at: suppression.created_at,
    }
}

/// The suppressed address of a text, if it shows in the list.
pub(super) async fn find(app: &App, list: &ListKey, text: &str) -> Result<Option<ListEntry>, Error> {
    let Some(address) = text.parse::<EmailAddress>().ok().filter(|_| shows_in(list)) else { return Ok(None) };
    let found = app.store.suppressed(list.organization_id, &[address]).await?;
    Ok(found.into_iter().next().map(|suppression| entry(list, &suppression)))
}
