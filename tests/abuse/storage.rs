//! Races, full disks and unreadable rows.
