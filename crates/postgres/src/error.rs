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

/// Errors that only their words tell apart: diesel passes no SQLSTATE on. Connections ask for English words where they
/// may.
const WORDS: &[(&str, Meaning)] = &[
    // 40P01, 55P03
    ("deadlock detected", |_| StoreError::Contention),
    ("canceling statement due to lock timeout", |_| StoreError::Contention),
    ("could not serialize access", |_| StoreError::Contention),
    // 57014, 25P03, 57P01, 57P02, 57P03, 53300
    ("canceling statement due to statement timeout", StoreError::Unavailable),
    ("terminating connection", StoreError::Unavailable),
    ("the database system is", StoreError::Unavailable),
    ("remaining connection slots are reserved", StoreError::Unavailable),
    ("sorry, too many clients already", StoreError::Unavailable),
];

/// What to tell the core, given the words.
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
        DatabaseErrorKind::SerializationFailure => StoreError::Contention,
        DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => {
            StoreError::Unavailable(message.to_owned())
        }
        _ => WORDS
            .iter()
            .find(|(words, _)| message.starts_with(words))
            .map_or_else(|| StoreError::Failed(message.to_owned()), |(_, meaning)| meaning(message.to_owned())),
    }
}
