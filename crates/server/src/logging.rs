//! The log: lines for people on a terminal, JSON otherwise.
//!
//! A line costs more to hand to the system than to make, and there is one for every answer. So lines that tell of nothing
//! wrong wait a moment for others, and are written together by a thread of their own; warnings and errors are written at
//! once, with all that waits.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

/// How long a line waits for others.
const PATIENCE: Duration = Duration::from_millis(20);
/// How many octets wait at most.
const MOST_WAITING: usize = 256 * 1024;

/// Writes the log to standard error until what this answers is dropped: then nothing waits any longer. `RUST_LOG` chooses
/// what goes in.
#[must_use]
pub(crate) fn start() -> Rest {
    // The database client shows the parameters of its statements, which are people's mail.
    let quiet = ["tokio_postgres=info", "actix_server=warn"].into_iter().filter_map(|directive| directive.parse().ok());
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = quiet.fold(filter, EnvFilter::add_directive);
    let lines = Lines::default();
    // Without the thread, every line is written by whoever makes it.
    let are_taken = !io::stderr().is_terminal() && lines.take_them_away().is_ok();
    let lines = Lines { are_taken, ..lines };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(lines.clone())
        // A log that nobody takes is no reason to fail what is being done.
        .log_internal_errors(false)
        .with_span_events(FmtSpan::NONE);
    if io::stderr().is_terminal() {
        log.with_target(false).init();
    } else {
        log.json().flatten_event(true).with_current_span(true).with_span_list(false).init();
    }
    Rest(lines)
}

/// What waits when all else has ended.
pub(crate) struct Rest(Lines);

impl Drop for Rest {
    fn drop(&mut self) {
        self.0.shared.has_ended.store(true, Ordering::Relaxed);
        write_out(&mut self.0.waiting());
    }
}

/// Lines that wait to be written.
#[derive(Clone, Default)]
struct Lines {
    shared: Arc<Shared>,
    /// Whether somebody comes and writes them.
    are_taken: bool,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Vec<u8>>,
    bell: Condvar,
    /// Whether lines are no longer left to wait.
    has_ended: AtomicBool,
}

impl Lines {
    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a thread write what waits, as long as the process lives.
    fn take_them_away(&self) -> io::Result<()> {
        let lines = self.clone();
        let write = move || loop {
            let something = lines.shared.bell.wait_while(lines.waiting(), |waiting| waiting.is_empty());
            drop(something);
            std::thread::sleep(PATIENCE);
            write_out(&mut lines.waiting());
        };
        std::thread::Builder::new().name("log".to_owned()).spawn(write).map(drop)
    }
}

/// Nobody has to take the log.
fn write_out(waiting: &mut Vec<u8>) {
    let _ = io::stderr().write_all(waiting);
    waiting.clear();
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: self, is_urgent: true }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line<'a> {
        let can_wait = self.are_taken && !self.shared.has_ended.load(Ordering::Relaxed);
        Line { lines: self, is_urgent: !can_wait || *about.level() <= Level::WARN }
    }
}

/// A line that is being made.
struct Line<'a> {
    lines: &'a Lines,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let mut waiting = self.lines.waiting();
        let is_first = waiting.is_empty();
        waiting.extend_from_slice(octets);
        if self.is_urgent || waiting.len() >= MOST_WAITING {
            write_out(&mut waiting);
        } else if is_first {
            self.lines.shared.bell.notify_one();
        }
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
