//! Trace fields before a message.

use inboxd_mail::{header_values, parse, with_trace_headers};

#[test]
fn trace_fields_precede_message_in_order() {
    let raw = b"Subject: x\r\n\r\nbody";
    let traced = with_trace_headers(raw, &[("Return-Path", "<a@b.c>"), ("X-Inboxd-Trace", "1")]);
    assert_eq!(traced, b"Return-Path: <a@b.c>\r\nX-Inboxd-Trace: 1\r\nSubject: x\r\n\r\nbody");
    assert_eq!(with_trace_headers(raw, &[]), raw);
}

#[test]
fn long_values_are_folded_and_parse_back() {
    let value = "from mail.example.org (mail.example.org [192.0.2.1]) by inboxd.example with ESMTPS id 0123456789 \
                 for <scout@inboxd.example>; Fri, 20 Nov 2026 10:00:00 +0000";
    let traced = with_trace_headers(b"\r\n", &[("Received", value)]);
    let text = String::from_utf8(traced.clone()).unwrap();
    assert!(text.lines().all(|line| line.len() <= 78), "{text}");
    assert_eq!(header_values(&traced, "received"), [value]);
    assert_eq!(parse(&traced).received_count, 1);
}

#[test]
fn values_cannot_add_fields_or_end_the_header() {
    let traced = with_trace_headers(
        b"Subject: x\r\n\r\n",
        &[("X-A", "a\r\nBcc: d@e.f\r\n\r\nbody\0"), ("X B", "c"), ("", "d"), ("X:C", "e")],
    );
    let mail = parse(&traced);
    assert_eq!(mail.headers[0], ("X-A".to_owned(), "a Bcc: d@e.f body".to_owned()));
    assert_eq!(mail.headers.len(), 2);
    assert!(mail.bcc.is_empty());
}

#[test]
fn overlong_words_are_split() {
    let traced = with_trace_headers(b"\r\n", &[("X-A", &"é".repeat(3000))]);
    assert!(traced.split(|b| *b == b'\n').all(|line| line.len() <= 999));
    assert_eq!(header_values(&traced, "x-a")[0].replace(' ', ""), "é".repeat(3000));
}
