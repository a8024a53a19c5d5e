//! Where the writer's words end and the signature starts.

use super::lines::{bare, is_blank, starts_with};

/// How many lines a signature has at most; what is longer is text.
const MAX_LINES: usize = 20;
/// The longest line a program adds about itself.
const MAX_LINE: usize = 80;

/// How many of the lines of one block of text come before its signature.
pub(crate) fn text_length(block: &[&str]) -> usize {
    let mut end = block.len();
    loop {
        let before = end;
        end = without_tail(block, end);
        let window = end.saturating_sub(MAX_LINES);
        let tail = block.get(window..end).unwrap_or_default();
        if let Some(at) = tail.iter().position(|line| is_delimiter(line)) {
            end = window + at;
        }
        // A cut brings lines into reach that were not: again, until nothing changes. Each round takes a line away.
        if end == before {
            return end;
        }
    }
}

/// `end` without blank lines and lines such as `Sent from my iPhone` before it.
fn without_tail(block: &[&str], end: usize) -> usize {
    let kept = block.get(..end).unwrap_or_default();
    kept.iter().rposition(|line| !is_blank(line) && !is_program_line(line)).map_or(0, |last| last + 1)
}

/// `-- ` (RFC 3676 section 4.3), as it arrives with its space stripped too, or a rule as lists draw it.
fn is_delimiter(line: &str) -> bool {
    let line = line.trim_end();
    line == "--" || (line.len() >= 20 && line.bytes().all(|b| b == b'_'))
}

fn is_program_line(line: &str) -> bool {
    let line = bare(line);
    let starts = [
        "Sent from my ",
        "Sent from Mail for ",
        "Sent from Yahoo",
        "Sent from Outlook",
        "Sent from Proton",
        "Sent via ",
        "Sent with ",
        "Sent using ",
        "Get Outlook for ",
        "Get BlueMail for ",
        "Sent from iPhone",
        "Sent from iPad",
        "Enviado desde mi ",
        "Envoyé de mon ",
        "Von meinem iPhone gesendet",
    ];
    line.len() <= MAX_LINE && !line.ends_with('?') && starts.iter().any(|start| starts_with(line, start))
}
