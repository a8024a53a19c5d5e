//! Settings of the server, passed at each start so that a new release of inboxd brings its own.

use std::path::Path;

/// Settings of each server.
const COMMON: &[&str] = &[
    "listen_addresses=",
    "port=5432",
    "unix_socket_permissions=0700",
    "shared_buffers=256MB",
    "jit=off",
    // Connections plan a statement once, and again after each vacuum or analysis of its tables. A table that grows fast is
    // analyzed within 20 seconds instead of a minute.
    "autovacuum_naptime=20s",
    // Plans need the sizes of tables and little else. An analysis with the default of 100 reads 30,000 rows of each table
    // that grew by a tenth.
    "default_statistics_target=10",
    "timezone=UTC",
    "log_timezone=UTC",
    "lc_messages=C",
    "idle_in_transaction_session_timeout=60s",
    // inboxd sees all statement errors itself; in the server log they would expose mail.
    "log_min_messages=log",
    "log_min_error_statement=panic",
    "log_line_prefix=%m [%p] ",
    "logging_collector=off",
];

/// Settings for durable data. The write-ahead log stays complete enough for a base backup. Half and twice the shared
/// buffers, more WAL buffers and `commit_delay` were measured with inbound mail: none made it faster.
const DURABLE: &[&str] = &[
    "fsync=on",
    "full_page_writes=on",
    "synchronous_commit=on",
    "wal_level=replica",
    "max_connections=100",
    "max_wal_size=2GB",
    // The first change of a page after a checkpoint writes the whole page into the log: nearly three times the log, and
    // a tenth more processor time. So checkpoints are rare. A crash replays at most max_wal_size.
    "checkpoint_timeout=15min",
    "wal_compression=on",
];

/// Settings for tests: data is lost on power loss, and many small pools connect at once.
const FLEETING: &[&str] = &[
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=on",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_connections=400",
    "max_wal_size=1GB",
];

/// Settings of servers with LZ4 support. LZ4 needs less time than the default compression, for large values and for
/// whole pages in the write-ahead log.
pub(super) const WHERE_TAKEN: [(&str, &str); 2] = [("default_toast_compression", "lz4"), ("wal_compression", "lz4")];

/// Returns the arguments of `postgres` after the data folder, with the supported ones of [`WHERE_TAKEN`].
pub(super) fn arguments(socket: &Path, durable: bool, taken: &[(&str, &str)]) -> Vec<String> {
    let own = if durable { DURABLE } else { FLEETING };
    let mut settings: Vec<String> = COMMON.iter().chain(own).map(ToString::to_string).collect();
    settings.push(format!("unix_socket_directories={}", quoted(socket)));
    // The last of two values of a setting applies.
    settings.extend(taken.iter().map(|(name, value)| format!("{name}={value}")));
    let flag = |setting| ["-c".to_owned(), setting];
    settings.into_iter().flat_map(flag).collect()
}

/// Quotes a folder as an element of a list of names.
fn quoted(folder: &Path) -> String {
    format!("\"{}\"", folder.display().to_string().replace('"', "\"\""))
}
