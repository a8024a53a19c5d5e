//! Reading what a relay says.

use crate::client::reply::{Reply, parse_line};

fn reply(code: u16, lines: &[&str]) -> Reply {
    Reply { code, lines: lines.iter().map(|&line| line.to_owned()).collect() }
}

#[test]
fn lines_are_read_leniently_but_have_to_be_smtp() {
    let good = [
        (&b"250 ok"[..], (250, false, "ok")),
        (b"250-more", (250, true, "more")),
        (b"250", (250, false, "")),
        (b"250 ", (250, false, "")),
        (b"550 \xff", (550, false, "\u{fffd}")),
    ];
    for (line, (code, more, text)) in good {
        assert_eq!(parse_line(line), Some((code, more, text.to_owned())));
    }
    for line in [&b""[..], b"25", b"abc", b"199 x", b"600 x", b"2500", b"250_x", b" 250 x", b"+25 x"] {
        assert_eq!(parse_line(line), None, "{line:?}");
    }
}

#[test]
fn a_status_counts_when_it_agrees_with_the_code() {
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
fn words_are_one_clean_line() {
    assert_eq!(reply(550, &["5.1.1 no", "5.1.1 such user", "", "here"]).words(), "550 5.1.1 no such user here");
    assert_eq!(reply(550, &["a\rb\u{0}c\u{1b}[31m"]).words(), "550 a b c [31m");
    assert_eq!(reply(250, &[""]).words(), "250");
    assert_eq!(reply(550, &[&"x".repeat(5000)]).words().len(), 500);
}
