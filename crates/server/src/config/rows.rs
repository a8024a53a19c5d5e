//! Limits of rows that a plan does not meter.

use inboxd_core::rules::row_limits::RowLimits;

use super::source::Source;
use crate::failure::Failure;

/// Reads the limits.
pub(super) fn row_limits(source: &Source) -> Result<RowLimits, Failure> {
    Ok(RowLimits {
        drafts: source.number("INBOXD_MAX_DRAFTS")?,
        list_entries: source.number("INBOXD_MAX_LIST_ENTRIES")?,
        api_keys: source.number("INBOXD_MAX_API_KEYS")?,
        daily_creations: source.number("INBOXD_MAX_DAILY_CREATIONS")?,
        pending_invitations: source.number("INBOXD_MAX_PENDING_INVITATIONS")?,
        connections: source.number("INBOXD_MAX_MEMBER_CONNECTIONS")?,
        unused_clients: source.number("INBOXD_MAX_UNUSED_CLIENTS")?,
        daily_changes: source.number("INBOXD_MAX_DAILY_CHANGES")?,
        label_events: source.number("INBOXD_MAX_LABEL_EVENTS")?,
        contacts: source.number("INBOXD_MAX_CONTACTS")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_limits_equal_those_of_core() -> Result<(), Failure> {
        assert_eq!(row_limits(&Source::default())?, RowLimits::default());
        Ok(())
    }
}
