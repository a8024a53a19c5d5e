//! Limits of rows that a plan does not meter.

use inboxd_core::rules::row_limits::RowLimits;

use super::read::number;
use crate::failure::Failure;

/// Maximum limit, because a count of more rows is slow.
const MAX_ROWS: u64 = 1_000_000;

/// Reads the limits.
pub(super) fn row_limits(get: impl Fn(&str) -> Option<String>) -> Result<RowLimits, Failure> {
    let defaults = RowLimits::default();
    let bound = |name: &str, default: u64, most: u64| match get(name) {
        Some(text) => number(name, &text, 1, most),
        None => Ok(default),
    };
    Ok(RowLimits {
        drafts: bound("INBOXD_MAX_DRAFTS", defaults.drafts, MAX_ROWS)?,
        list_entries: bound("INBOXD_MAX_LIST_ENTRIES", defaults.list_entries, MAX_ROWS)?,
        api_keys: bound("INBOXD_MAX_API_KEYS", defaults.api_keys, MAX_ROWS)?,
        daily_creations: bound("INBOXD_MAX_DAILY_CREATIONS", defaults.daily_creations, 1_000_000_000)?,
        pending_invitations: bound("INBOXD_MAX_PENDING_INVITATIONS", defaults.pending_invitations, MAX_ROWS)?,
        connections: bound("INBOXD_MAX_MEMBER_CONNECTIONS", defaults.connections, MAX_ROWS)?,
        unused_clients: bound("INBOXD_MAX_UNUSED_CLIENTS", defaults.unused_clients, MAX_ROWS)?,
        daily_changes: bound("INBOXD_MAX_DAILY_CHANGES", defaults.daily_changes, MAX_ROWS)?,
        label_events: bound("INBOXD_MAX_LABEL_EVENTS", defaults.label_events, MAX_ROWS)?,
        contacts: bound("INBOXD_MAX_CONTACTS", defaults.contacts, MAX_ROWS)?,
    })
}
