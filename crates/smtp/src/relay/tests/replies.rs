//! Reply parsing.

use crate::client::reply::{ServerReply, parse_reply_line};

fn reply(code: u16, lines: &[&str]) -> ServerReply {
    ServerReply { code, lines: lines.iter().map(|&line| line.to_owned()).collect() }
}

#[test]
fn lenient_reply_line_is_parsed_and_invalid_is_not() {
    let good = [
        (&b"250 ok"[..], (250, false, "ok")),
        (b"250-more", (250, true, "more")),
        (b"250", (250, false, "")),
        (b"250 ", (250, false, "")),
        (b"550 \xff", (550, false, "\u{fffd}")),
    ];
    for (line, (code, more, text)) in good {
        assert_eq!(parse_reply_line(line), Some((code, more, text.to_owned())));
    }
    for line in [&b""[..], b"25", b"abc", b"199 x", b"600 x", b"2500", b"250_x", b" 250 x", b"+25 x"] {
        assert_eq!(parse_reply_line(line), None, "{line:?}");
    }
}

#[test]
fn enhanced_status_must_match_reply_code() {
    let table = [
        (550, "5.1.1 unknown", Some("5.1.1")),
        (550, "5.1.10", Some("5.1.10")),
        (550, "4.1.1 x", None),
        (550, "5.1 x", None),
        (550, "5.1.1.1 x", None),
        (550, "5.1.x x", None),
        (550, "5.1.1234 x", None),
        (550, "user unknown", None),
        (450, "4.2.0 x", Some("4.2.0")),
    ];
    for (code, text, status) in table {
        assert_eq!(reply(code, &[text]).status(), status, "{text}");
    }
}

#[test]
fn reply_text_is_one_printable_line() {
    assert_eq!(reply(550, &["5.1.1 no", "5.1.1 such user", "", "here"]).to_text(), "550 5.1.1 no such user here");
    assert_eq!(reply(550, &["a\rb\u{0}c\u{1b}[31m"]).to_text(), "550 a b c [31m");
    assert_eq!(reply(250, &[""]).to_text(), "250");
    assert_eq!(reply(550, &[&"x".repeat(5000)]).to_text().len(), 500);
}
