//! What errors of the database and of the pool mean to the core.

use deadpool::managed::PoolError;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use diesel_async::pooled_connection::PoolError as ConnectError;
use inboxd_core::ports::{Constraint, StoreError};

/// The rules of uniqueness, by the names of the constraints that keep them.
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

/// SQLSTATE of a write for which there is no disk space.
pub(crate) const DISK_FULL: &str = "53100";
/// Bytes of a SQLSTATE.
const CODE_BYTES: usize = 5;

/// Meanings of SQLSTATEs, by how they begin; the first that fits counts.
const CODES: &[(&str, Meaning)] = &[
    // Serialization failure, deadlock.
    ("40001", |_| StoreError::Contention),
    ("40P01", |_| StoreError::Contention),
    // Lock timeout.
    ("55P03", |_| StoreError::LockTimeout),
    // A server that only reads for now; a unit of work that stood still.
    ("25006", StoreError::Unavailable),
    ("25P03", StoreError::Unavailable),
    // Lost connections; no disk space, memory or connections; a statement or a server that was stopped.
    ("08", StoreError::Unavailable),
    ("53", StoreError::Unavailable),
    ("57", StoreError::Unavailable),
];

/// Error of the core, given the text.
type Meaning = fn(String) -> StoreError;

/// What an error of a statement means.
pub(crate) fn failure(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(kind, information) => database_failure(kind, information.as_ref()),
        Error::RollbackErrorOnCommit { .. } | Error::BrokenTransactionManager => {
            StoreError::Unavailable(error.to_string())
        }
        other => StoreError::Failed(other.to_string()),
    }
}

/// What it means that the pool gave no connection.
pub(crate) fn no_connection(error: PoolError<ConnectError>) -> StoreError {
    match error {
        PoolError::Timeout(_) => StoreError::Unavailable("no connection to the database came free in time".to_owned()),
        other => StoreError::Unavailable(other.to_string()),
    }
}

/// Checks that a statement wrote the rows it had to. Under the locks of the ports it always does; without them, another
/// change came between.
pub(crate) fn expect_rows(written: usize, expected: usize) -> Result<(), StoreError> {
    if written == expected { Ok(()) } else { Err(StoreError::Contention) }
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
        // Of a row that breaks a constraint its name is told: without one, the row has no partition yet, see `partitions`.
        DatabaseErrorKind::CheckViolation if information.constraint_name().is_none() => {
            StoreError::Unavailable(message.to_owned())
        }
        DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => {
            StoreError::Unavailable(message.to_owned())
        }
        _ => sqlstate(message)
            .and_then(|code| CODES.iter().find(|(begins, _)| code.starts_with(begins)))
            .map_or_else(|| StoreError::Failed(message.to_owned()), |(_, meaning)| meaning(message.to_owned())),
    }
}

/// Returns the SQLSTATE that [`Wire`](crate::wire::Wire) puts before the text of an error.
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
