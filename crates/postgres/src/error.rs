//! Mapping of database and pool errors to errors of the core.

use deadpool::managed::PoolError;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use diesel_async::pooled_connection::PoolError as ConnectError;
use inboxd_core::ports::{Constraint, StoreError};

use crate::store_metrics::counted;

/// Uniqueness rules by constraint name.
const CONSTRAINTS: &[(&str, Constraint)] = &[
    ("owner_emails_pkey", Constraint::OwnerEmail),
    ("addresses_pkey", Constraint::Address),
    ("inboxes_pkey", Constraint::Address),
    ("inboxes_client_id_key", Constraint::InboxClientId),
    ("pods_client_id_key", Constraint::PodClientId),
    ("list_entries_pkey", Constraint::ListEntry),
    ("member_emails_pkey", Constraint::MemberEmail),
    ("messages_pkey", Constraint::MessageId),
    ("message_bodies_pkey", Constraint::MessageId),
    ("message_labels_pkey", Constraint::MessageId),
];

/// SQLSTATE of a write without disk space.
pub(crate) const DISK_FULL: &str = "53100";
/// SQLSTATEs of a server that is a standby, or stops, or is not ready: a new connection may reach its successor.
pub(crate) const LEAVING: [&str; 4] = ["25006", "57P01", "57P02", "57P03"];
/// Bytes of a SQLSTATE.
const CODE_BYTES: usize = 5;

/// Mapping of SQLSTATE prefixes; the first match applies.
const SQLSTATES: &[(&str, Meaning)] = &[
    // Serialization failure, deadlock.
    ("40001", |_| StoreError::Contention),
    ("40P01", |_| StoreError::Contention),
    // Lock timeout.
    ("55P03", |_| StoreError::LockTimeout),
    // A read-only server; an idle unit of work.
    ("25006", StoreError::Unavailable),
    ("25P03", StoreError::Unavailable),
    // Lost connections; no disk space, memory or connections; a cancelled statement or a stopped server.
    ("08", StoreError::Unavailable),
    ("53", StoreError::Unavailable),
    ("57", StoreError::Unavailable),
];

/// Constructor of an error of the core from a text.
type Meaning = fn(String) -> StoreError;

/// Maps a statement error.
pub(crate) fn failure(error: Error) -> StoreError {
    counted(match error {
        Error::DatabaseError(kind, information) => database_failure(kind, information.as_ref()),
        Error::RollbackErrorOnCommit { .. } | Error::BrokenTransactionManager => {
            StoreError::Unavailable(error.to_string())
        }
        other => StoreError::Failed(other.to_string()),
    })
}

/// Maps and counts a pool error.
pub(crate) fn no_connection(error: PoolError<ConnectError>) -> StoreError {
    counted(connect_failure(error))
}

/// Maps a pool error of a server whose absence is no error of the database, and counts nothing.
pub(crate) fn connect_failure(error: PoolError<ConnectError>) -> StoreError {
    StoreError::Unavailable(match error {
        PoolError::Timeout(_) => "no database connection became available in time".to_owned(),
        other => other.to_string(),
    })
}

/// Returns the error of a change that another one preceded.
pub(crate) fn contention() -> StoreError {
    counted(StoreError::Contention)
}

/// Checks that a statement wrote the expected rows. Under the locks of the ports it always does; without them, another
/// change came first.
pub(crate) fn expect_rows(written: usize, expected: usize) -> Result<(), StoreError> {
    if written == expected { Ok(()) } else { Err(contention()) }
}

fn database_failure(kind: DatabaseErrorKind, information: &dyn DatabaseErrorInformation) -> StoreError {
    let message = information.message();
    match kind {
        DatabaseErrorKind::UniqueViolation => {
            let name = information.constraint_name().unwrap_or_default();
            CONSTRAINTS.iter().find(|(known, _)| *known == name).map_or_else(
                || StoreError::Failed(format!("{message} ({name})")),
                |(_, constraint)| StoreError::Duplicate(*constraint),
            )
        }
        // A violated check constraint has a name. Without one, the row has no partition yet (see `partitions`).
        DatabaseErrorKind::CheckViolation if information.constraint_name().is_none() => {
            StoreError::Unavailable(message.to_owned())
        }
        DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => {
            StoreError::Unavailable(message.to_owned())
        }
        _ => sqlstate(message)
            .and_then(|code| SQLSTATES.iter().find(|(begins, _)| code.starts_with(begins)))
            .map_or_else(|| StoreError::Failed(message.to_owned()), |(_, meaning)| meaning(message.to_owned())),
    }
}

/// Returns the SQLSTATE that [`WireStream`](crate::wire::WireStream) puts before the text of an error.
pub(crate) fn sqlstate(message: &str) -> Option<&str> {
    let (code, _) = message.split_once(": ")?;
    let is_code =
        code.len() == CODE_BYTES && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_code.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstate_precedes_text_or_is_absent() {
        assert_eq!(sqlstate("53100: could not extend file"), Some("53100"));
        assert_eq!(sqlstate("40P01: deadlock detected"), Some("40P01"));
        for text in ["deadlock detected", "error: x", "5310: x", "53100", ""] {
            assert_eq!(sqlstate(text), None, "{text}");
        }
    }
}
