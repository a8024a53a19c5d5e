//! Writing to standard output, through a pager where a person reads a long text.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use crate::failure::CommandFailure;
use crate::output::Terminal;

/// Pager without `PAGER`: it ends at once when the text fits, shows colours, and leaves the text on the screen.
const DEFAULT_PAGER: &str = "less -FRX";

/// Writes a text. A reader that stops early, such as `head`, is no failure.
pub(crate) fn write(text: &str) -> Result<(), CommandFailure> {
    write_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub(crate) fn write_bytes(bytes: &[u8]) -> Result<(), CommandFailure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandFailure::local(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a text, through the pager if it is longer than the terminal.
pub(crate) fn page(text: &str, terminal: Terminal) -> Result<(), CommandFailure> {
    if terminal.is_terminal() && text.lines().count() >= terminal.rows() && run_pager(text) {
        return Ok(());
    }
    write(text)
}

/// Shows a text in the pager. Returns false if there is none.
fn run_pager(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT_PAGER.to_owned());
    if pager.trim().is_empty() {
        return false;
    }
    let shell = Command::new("sh").args(["-c", &pager]).stdin(Stdio::piped()).spawn();
    let Ok(mut running) = shell else { return false };
    if let Some(mut input) = running.stdin.take() {
        // A pager that the reader has left is no failure.
        let _ = input.write_all(text.as_bytes());
    }
    // The shell reports 127 for a pager that is not installed.
    running.wait().is_ok_and(|status| status.code() != Some(127))
}
