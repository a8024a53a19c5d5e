//! Formats of values in error texts.

use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use crate::model::{InboxId, ListKey, ListLevel};

/// Returns what a legal hold covers.
pub(super) fn held(inbox_id: Option<&InboxId>) -> String {
    inbox_id.map_or_else(|| "the organization".to_owned(), |inbox_id| format!("the inbox {inbox_id}"))
}

/// Formats a time as in responses: UTC, in milliseconds.
pub(super) fn api_time(time: OffsetDateTime) -> String {
    const FORM: &[BorrowedFormatItem<'static>] =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    // Years 0 to 9999 always have this form.
    time.to_offset(UtcOffset::UTC).format(FORM).unwrap_or_default()
}

/// Formats a list for a sentence.
pub(super) fn list_phrase(list: &ListKey) -> String {
    let owner = match &list.level {
        ListLevel::Organization => "the organization".to_owned(),
        ListLevel::Pod(pod_id) => format!("the pod {pod_id}"),
        ListLevel::Inbox { inbox_id, .. } => format!("the inbox {inbox_id}"),
    };
    format!("the {} {} list of {owner}", list.direction.as_str(), list.list_type.as_str())
}
