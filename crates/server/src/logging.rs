//! The log: lines for people on a terminal, JSON otherwise.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Writes the log to standard error. `RUST_LOG` chooses what goes in.
pub(crate) fn start() {
    // The database client shows the parameters of its statements, which are people's mail.
    let quiet = ["tokio_postgres=info", "actix_server=warn"].into_iter().filter_map(|directive| directive.parse().ok());
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = quiet.fold(filter, EnvFilter::add_directive);
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A log that nobody takes is no reason to fail what is being done.
        .log_internal_errors(false)
        .with_span_events(FmtSpan::NONE);
    if std::io::stderr().is_terminal() {
        log.with_target(false).init();
    } else {
        log.json().flatten_event(true).with_current_span(true).with_span_list(false).init();
    }
}
