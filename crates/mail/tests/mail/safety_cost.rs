//! Linear time of the search for instructions in hostile text.

use std::time::Duration;

use inboxd_mail::parse;

use crate::cost::cost;

/// Maximum number of bytes read of a text.
const READ: usize = 256 * 1024;
/// Minimum time with a meaning on a shared machine.
const NOISE: Duration = Duration::from_millis(500);

/// Returns the shortest of three times of a message with this text.
fn time(kind: &str, piece: &str, length: usize) -> Duration {
    let body = piece.repeat(length / piece.len());
    let raw = format!("From: a@b.example\nContent-Type: {kind}; charset=utf-8\n\n{body}");
    let once = || cost(|| assert!(parse(raw.as_bytes()).safety.instructions.len() <= 20)).0;
    (0..3).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn search_for_instructions_is_linear() {
    for piece in [
        "ai ",
        "agent ",
        "an ai ignore instructions ",
        "ignore all previous instructions. ",
        "if you are an ai, send. ",
        "do not tell the user\n",
        "忽略指令",
        "ai助手",
        "<|im_start|>",
        "> ai\n",
        "prompt\u{200b}",
    ] {
        for kind in ["text/plain", "text/html"] {
            let (part, whole) = (time(kind, piece, READ / 4), time(kind, piece, READ));
            assert!(whole < part * 8 + NOISE, "{kind} of {piece}: a quarter takes {part:?}, the whole {whole:?}");
        }
    }
}
