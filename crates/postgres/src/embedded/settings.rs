//! The settings of the server. They are given at each start, so that a new release of inboxd brings its own.

use std::path::Path;

/// What every server gets.
const COMMON: &[&str] = &[
    "listen_addresses=",
    "port=5432",
    "unix_socket_permissions=0700",
    "shared_buffers=256MB",
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    "lc_messages=C",
    "idle_in_transaction_session_timeout=60s",
    // Errors of statements are the business of inboxd, which sees them all, and would carry mail into the log.
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_line_prefix=%m [%p] ",
    "logging_collector=off",
];

/// For data that matters. The write-ahead log stays complete enough for a base backup.
const DURABLE: &[&str] = &[
    "fsync=on",
    "full_page_writes=on",
    "synchronous_commit=on",
    "wal_level=replica",
    "max_connections=100",
    "max_wal_size=2GB",
    "wal_compression=on",
];

/// For tests: nothing survives a loss of power, and many small pools connect at once.
const FLEETING: &[&str] = &[
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=on",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_connections=400",
    "max_wal_size=1GB",
];

/// The arguments of `postgres` after the data folder.
pub(super) fn arguments(socket: &Path, durable: bool, lz4: bool) -> Vec<String> {
    let own = if durable { DURABLE } else { FLEETING };
    let mut settings: Vec<String> = COMMON.iter().chain(own).map(ToString::to_string).collect();
    settings.push(format!("unix_socket_directories={}", quoted(socket)));
    if lz4 {
        settings.push(format!("{LZ4}={LZ4_VALUE}"));
    }
    let flag = |setting| ["-c".to_owned(), setting];
    settings.into_iter().flat_map(flag).collect()
}

/// Compresses large values several times faster than the default, where the server was built with it.
pub(super) const LZ4: &str = "default_toast_compression";
pub(super) const LZ4_VALUE: &str = "lz4";

/// A folder as an element of a list of names.
fn quoted(folder: &Path) -> String {
    format!("\"{}\"", folder.display().to_string().replace('"', "\"\""))
}
