//! Log output: JSON lines, or text on a terminal, written to standard error by a thread of its own.
//!
//! A reader of standard error that stalls blocks that thread alone: lines wait for it in a queue of bounded length, and
//! further lines are dropped and counted.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use inboxd_core::model::SPAN_TARGET;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[cfg(feature = "otlp")]
use crate::traces::SpanLayer;

/// Export of spans, which this build does not have.
#[cfg(not(feature = "otlp"))]
type SpanLayer = tracing_subscriber::layer::Identity;

/// Time between two writes. A write costs more than to format a line, and each response has one.
const WRITE_INTERVAL: Duration = Duration::from_millis(20);
/// Lines that wait for the thread, some megabytes together.
const MAX_WAITING_LINES: usize = 8192;
/// Maximum bytes of one write.
const MAX_WRITE_BYTES: usize = 256 * 1024;

/// Running log. Drop writes pending lines for at most one second.
pub(crate) struct Log {
    _writer: WorkerGuard,
    /// Whether spans are exported.
    exports_spans: bool,
    /// Replaces the filter.
    set_filter: Box<dyn Fn(EnvFilter) + Send + Sync>,
}

impl Log {
    /// Replaces the filter of the events.
    pub(crate) fn set_filter(&self, filter: &str) {
        (self.set_filter)(event_filter(filter, self.exports_spans));
    }
}

/// Returns the filter of `RUST_LOG` or this one. Spans for an export are on exactly if there is one.
fn event_filter(configured: &str, exports_spans: bool) -> EnvFilter {
    // The database client logs statement parameters, which contain private mail.
    let quiet = ["tokio_postgres=info", "actix_server=warn"];
    let spans = format!("{SPAN_TARGET}={}", if exports_spans { "info" } else { "off" });
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| {
        // The MCP library logs each request with what its client wrote, and each client that hangs up as an error.
        let mcp = if configured.contains("rmcp") { "" } else { ",rmcp=off" };
        EnvFilter::new(format!("{configured}{mcp}"))
    });
    let directives = quiet.into_iter().chain([spans.as_str()]).filter_map(|directive| directive.parse().ok());
    directives.fold(filter, EnvFilter::add_directive)
}

/// Starts the log; `RUST_LOG` or the configured filter selects its events. `spans` exports spans.
pub(crate) fn start(filter: &str, spans: Option<SpanLayer>) -> Log {
    let exports_spans = spans.is_some();
    let lines = BatchWriter::new(io::stderr());
    let dropped = Arc::clone(&lines.dropped);
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(MAX_WAITING_LINES).thread_name("log");
    let (writer, guard) = builder.finish(lines);
    // Set once, here.
    let _ = dropped.set(writer.error_counter());
    let log = tracing_subscriber::fmt()
        .with_env_filter(event_filter(filter, exports_spans))
        .with_writer(writer)
        // A log without a reader must not fail the logged work.
        .log_internal_errors(false)
        .with_span_events(FmtSpan::NONE);
    let set_filter: Box<dyn Fn(EnvFilter) + Send + Sync> = if io::stderr().is_terminal() {
        let log = log.with_target(false).with_filter_reloading();
        let handle = log.reload_handle();
        log.finish().with(spans).init();
        // The filter lives as long as the process.
        Box::new(move |filter| drop(handle.reload(filter)))
    } else {
        let log = log.json().flatten_event(true).with_current_span(true).with_span_list(false);
        let log = log.with_filter_reloading();
        let handle = log.reload_handle();
        log.finish().with(spans).init();
        Box::new(move |filter| drop(handle.reload(filter)))
    };
    // The default hook writes to standard error directly, and would block on a stalled reader.
    std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "thread panicked")));
    Log { _writer: guard, exports_spans, set_filter }
}

/// Collects lines and writes them together when the queue is empty.
struct BatchWriter<W> {
    output: W,
    pending: Vec<u8>,
    /// Count of dropped lines.
    dropped: Arc<OnceLock<ErrorCounter>>,
    /// Dropped lines that the log has reported.
    reported: usize,
}

impl<W: Write> BatchWriter<W> {
    fn new(output: W) -> Self {
        Self { output, pending: Vec::new(), dropped: Arc::default(), reported: 0 }
    }

    /// Writes what is pending. Errors are ignored: no reader is required.
    fn write_pending(&mut self) {
        let _ = self.output.write_all(&self.pending);
        self.pending.clear();
    }
}

impl<W: Write> Write for BatchWriter<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(line);
        if self.pending.len() >= MAX_WRITE_BYTES {
            self.write_pending();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_pending();
        let dropped = self.dropped.get().map_or(0, ErrorCounter::dropped_lines);
        if dropped > self.reported {
            tracing::warn!(lines = dropped - self.reported, "log lines dropped");
            self.reported = dropped;
        }
        std::thread::sleep(WRITE_INTERVAL);
        Ok(())
    }
}
