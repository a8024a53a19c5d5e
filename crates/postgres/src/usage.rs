//! Usage against limits, and conversions of stored counts.

pub(crate) mod change;
mod write;

/// Bytes of live messages, drafts, notes and files of organization `$1`. An inbox may still receive a write during its
/// deletion, so the sum covers live inboxes.
pub(crate) const STORAGE_BYTES: &str = "SELECT coalesce(sum(u.storage_bytes), 0)::bigint AS count
    FROM inbox_usage u JOIN inboxes i ON i.organization_id = u.organization_id AND i.inbox_id = u.inbox_id
    WHERE u.organization_id = $1 AND i.organization_id = $1 AND i.deleted_at IS NULL";

/// Converts a stored count; a negative one counts as zero.
pub(crate) fn to_count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

/// Converts a count for storage.
pub(crate) fn from_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
