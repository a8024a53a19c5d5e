//! Questions to a person, and answers from standard input.

use std::io::{BufRead, IsTerminal, Write};

use crate::failure::CommandFailure;

/// Limit of a line of input.
const MAX_LINE_BYTES: u64 = 4096;

/// Returns whether a person can be asked.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks for a line. Where standard input is no terminal, its next line is taken without asking.
pub(crate) fn ask(question: &str) -> Result<String, CommandFailure> {
    if is_interactive() {
        // A question that cannot be shown is followed by a missing answer.
        let _ = write!(std::io::stderr(), "{question}: ");
    }
    let mut line = String::new();
    let mut input = std::io::Read::take(std::io::stdin().lock(), MAX_LINE_BYTES);
    input.read_line(&mut line).map_err(|error| CommandFailure::local(format!("standard input: {error}")))?;
    let line = line.trim();
    if line.is_empty() {
        return Err(CommandFailure::usage(format!("{question}: nothing was entered"))
            .fix("enter it on the terminal, or pass it as a line of standard input"));
    }
    Ok(line.to_owned())
}

/// Says something on standard error, so that standard output stays for results.
pub(crate) fn say(text: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{}", crate::output::text::safe(text));
}
