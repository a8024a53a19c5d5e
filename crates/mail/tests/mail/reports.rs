//! Bounce reports of real servers and other returned messages.

use inboxd_mail::{BounceReport, DeliveryAction, FeedbackReport, find_automatic_field, parse, read_report};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Builds a report of kind `report_type` from parts with headers.
fn report(report_type: &str, parts: &[&str]) -> Vec<u8> {
    let parts: Vec<String> = parts.iter().map(|part| format!("--b\r\n{part}\r\n")).collect();
    let parts = parts.concat();
    format!(
        "From: MAILER-DAEMON@mx.example\r\nTo: b-1@inboxd.example\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type={report_type};\r\n\tboundary=\"b\"\r\n\r\n{parts}--b--\r\n"
    )
    .into_bytes()
}

const HUMAN: &str = "Content-Type: text/plain\r\n\r\nSorry: 550 5.9.9 is in the text only.";
const RETURNED: &str = "Content-Type: message/rfc822\r\n\r\nFrom: scout@inboxd.example\r\nSubject: hello\r\n\r\nhello";

fn dsn(status: &str) -> Vec<u8> {
    report("delivery-status", &[HUMAN, &format!("Content-Type: message/delivery-status\r\n\r\n{status}"), RETURNED])
}

/// Returns a line for each recipient: addresses, action, status.
fn read_recipients(raw: &[u8]) -> Vec<String> {
    let Some(BounceReport::Delivery(recipients)) = read_report(raw) else {
        return vec!["no delivery report".to_owned()];
    };
    let line = |recipient: &inboxd_mail::ReportedRecipient| {
        let addresses: Vec<&str> = recipient.addresses.iter().map(inboxd_mail::EmailAddress::as_str).collect();
        format!("{} {:?} {}", addresses.join("+"), recipient.action, recipient.status)
    };
    recipients.iter().map(line).collect()
}

#[test]
fn postfix_report_is_parsed() {
    let raw = dsn(
        "Reporting-MTA: dns; mx.example\r\nX-Postfix-Queue-ID: 4Bq\r\nArrival-Date: Sun, 22 Nov 2026 01:00:00 +0000\r\n\r\n\
         Final-Recipient: rfc822; gone@outside.example\r\nOriginal-Recipient: rfc822;gone@outside.example\r\n\
         Action: failed\r\nStatus: 5.1.1\r\nRemote-MTA: dns; in.outside.example\r\n\
         Diagnostic-Code: smtp; 550 5.1.1 <gone@outside.example>: Recipient address\r\n    rejected: User unknown\r\n\r\n\
         Final-Recipient: rfc822; slow@outside.example\r\nAction: delayed\r\nStatus: 4.4.1\r\n\
         Will-Retry-Until: Fri, 27 Nov 2026 01:00:00 +0000\r\n",
    );
    assert_eq!(read_recipients(&raw), ["gone@outside.example Failed 5.1.1", "slow@outside.example Delayed 4.4.1"]);
}

#[test]
fn exchange_report_is_parsed() {
    let raw = dsn("Reporting-MTA: dns;AM0PR01.prod.outlook.example\r\nReceived-From-MTA: dns;mx.example\r\n\r\n\
         Final-Recipient: rfc822;new@outside.example\r\nOriginal-recipient: rfc822;old@outside.example\r\n\
         Action: failed\r\nStatus: 5.0.0\r\nX-Display-Name: Gone\r\n\
         Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found by SMTP address lookup\r\n");
    assert_eq!(read_recipients(&raw), ["old@outside.example+new@outside.example Failed 5.1.10"]);
}

#[test]
fn gmail_report_is_parsed() {
    let nested = "Content-Type: multipart/related; boundary=\"r\"\r\n\r\n--r\r\nContent-Type: text/plain\r\n\r\n\
         ** Address not found **\r\n--r--";
    let status = "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; googlemail.example\r\n\
         Arrival-Date: Sat, 21 Nov 2026 17:00:00 -0800 (PST)\r\nX-Original-Message-ID: <1@inboxd.example>\r\n\r\n\
         Final-Recipient: rfc822; gone@outside.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\
         Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n \
         550 5.1.1 https://support.example/?p=NoSuchUser 41be03 - gsmtp\r\nLast-Attempt-Date: Sat, 21 Nov 2026 17:00:01 -0800 (PST)\r\n";
    assert_eq!(read_recipients(&report("delivery-status", &[nested, status])), ["gone@outside.example Failed 5.1.1"]);
}

#[test]
fn exim_report_is_parsed() {
    let raw = dsn(
        "Reporting-MTA: dns; mx.example\n\nAction: failed\nFinal-Recipient: rfc822;gone@outside.example\nStatus: 5.0.0\n\
         Remote-MTA: dns; in.outside.example\nDiagnostic-Code: smtp; 550-Verification failed\n 550 Unrouteable address\n",
    );
    assert_eq!(read_recipients(&raw), ["gone@outside.example Failed 5.0.0"]);
    let plain = "X-Failed-Recipients: gone@outside.example,\r\n  dead@outside.example\r\nAuto-Submitted: auto-replied\r\n\
         From: Mail Delivery System <Mailer-Daemon@mx.example>\r\nSubject: Mail delivery failed\r\n\r\n\
         This message was created automatically by mail delivery software.\r\n\r\n  gone@outside.example\r\n    \
         host in.outside.example [192.0.2.1]: 550 5.7.1 relaying denied\r\n";
    assert_eq!(
        read_recipients(plain.as_bytes()),
        ["gone@outside.example Failed 5.7.1", "dead@outside.example Failed 5.7.1"]
    );
    let unknown = plain.replace("550 5.7.1 relaying denied", "550 User unknown");
    let unknown = format!("{unknown}\r\n------ This is a copy of the message ------\r\n\r\nDKIM-Signature: v=1\r\n");
    assert_eq!(
        read_recipients(unknown.as_bytes()),
        ["gone@outside.example Failed 5.0.0", "dead@outside.example Failed 5.0.0"]
    );
    let listed = plain.replace("550 5.7.1 relaying denied", "550 Your IP 192.0.2.9 is listed");
    assert_eq!(
        read_recipients(listed.as_bytes()),
        ["gone@outside.example Failed 5.7.1", "dead@outside.example Failed 5.7.1"]
    );
}

#[test]
fn qmail_report_is_parsed() {
    let plain = "From: MAILER-DAEMON@mx.example\nSubject: failure notice\n\nHi. This is the qmail-send program at mx.example.\n\
         I'm afraid I wasn't able to deliver your message to the following addresses.\n\n\
         <gone@outside.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n\
         <full@outside.example>:\n192.0.2.1 failed after I sent the message.\nRemote host said: 552 mailbox is full\n\n\
         --- Below this line is a copy of the message.\n\nReturn-Path: <b-1@inboxd.example>\n\n<not@outside.example>:\n5.1.1\n";
    assert_eq!(
        read_recipients(plain.as_bytes()),
        ["gone@outside.example Failed 5.1.1", "full@outside.example Failed 5.2.2"]
    );
}

#[test]
fn report_is_found_at_any_depth_and_encoding() {
    let status = "Reporting-MTA: dns; mx.example\r\n\r\nFINAL-RECIPIENT: RFC822; gone@outside.example\r\nACTION: FAILED (for good)\r\n\
         STATUS: 5.1.1 (no\r\n such user)\r\n";
    let base64 = "UmVwb3J0aW5nLU1UQTogZG5zOyBteC5leGFtcGxlDQoNCkZpbmFsLVJlY2lwaWVudDogcmZjODIyOyBnb25lQG91dHNpZGUu\
                  ZXhhbXBsZQ0KQWN0aW9uOiBmYWlsZWQNClN0YXR1czogNS4xLjENCg==";
    let inner = format!(
        "Content-Type: multipart/report; boundary=\"i\"\r\n\r\n--i\r\n{HUMAN}\r\n--i\r\n\
         Content-Type: message/delivery-status\r\n\r\n{status}\r\n--i--"
    );
    for part in [
        inner,
        format!("Content-Type: Message/Delivery-Status; name=\"x\"\r\n\r\n{status}"),
        format!("Content-Type: message/global-delivery-status\r\n\r\n{status}"),
        format!("Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n\r\n{base64}"),
        format!(
            "Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}",
            status.replace("@outside", "@out=\r\nside")
        ),
    ] {
        for other in [vec![part.as_str()], vec![HUMAN, HUMAN, &part, RETURNED]] {
            assert_eq!(
                read_recipients(&report("delivery-status", &other)),
                ["gone@outside.example Failed 5.1.1"],
                "{part}"
            );
        }
    }
}

#[test]
fn missing_report_fields_are_derived() {
    for (status, expected) in [
        // Status and action substitute for one another.
        ("Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n", vec!["a@b.example Failed 5.0.0"]),
        ("Final-Recipient: rfc822; a@b.example\r\nStatus: 5.2.2\r\n", vec!["a@b.example Failed 5.2.2"]),
        ("Final-Recipient: rfc822; a@b.example\r\nStatus: 4.2.2\r\n", vec!["a@b.example Delayed 4.2.2"]),
        (
            "Final-Recipient: rfc822; a@b.example\r\nAction: odd\r\nStatus: 2.1.5\r\n",
            vec!["a@b.example Delivered 2.1.5"],
        ),
        ("Final-Recipient: rfc822; a@b.example\r\nAction: relayed\r\n", vec!["a@b.example Relayed 2.0.0"]),
        ("Final-Recipient: rfc822; a@b.example\r\nAction: expanded\r\n", vec!["a@b.example Expanded 2.0.0"]),
        (
            "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nDiagnostic-Code: smtp; 554 5.7.1 no\r\n",
            vec!["a@b.example Failed 5.7.1"],
        ),
        // The recipient may be unreadable or missing.
        ("Final-Recipient: x400; /S=Bob\r\nAction: failed\r\n", vec![" Failed 5.0.0"]),
        ("Reporting-MTA: dns; x\r\nAction: failed\r\nStatus: 5.1.1\r\n", vec![" Failed 5.1.1"]),
        // No empty line between two groups.
        (
            "Reporting-MTA: dns; x\r\nFinal-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\
             Final-Recipient: rfc822; c@b.example\r\nAction: delayed\r\n",
            vec!["a@b.example Failed 5.1.1", "c@b.example Delayed 4.0.0"],
        ),
        // A group without content.
        ("Final-Recipient: rfc822; a@b.example\r\n", vec![]),
        ("Reporting-MTA: dns; x\r\n", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(read_recipients(&dsn(status)), expected, "{status}");
    }
}

#[test]
fn attached_report_is_ignored() {
    let inner = String::from_utf8_lossy(&dsn("Action: failed\r\n")).replace("--b", "--i").replace("\"b\"", "\"i\"");
    let attached = format!("Content-Type: message/rfc822\r\n\r\n{inner}");
    for raw in [
        report("mixed", &[HUMAN, &attached]),
        b"Subject: Out of office\r\n\r\nI am away, 5.1.1.\r\n".to_vec(),
        Vec::new(),
    ] {
        assert_eq!(read_report(&raw), None);
    }
}

#[test]
fn feedback_report_has_kind_and_recipients() {
    for (body, kind, recipients, complains) in [
        (
            "Feedback-Type: abuse\r\nUser-Agent: SomeGenerator/1.0\r\nVersion: 1\r\nOriginal-Mail-From: <b-1@inboxd.example>\r\n\
             Original-Rcpt-To: <a@b.example>\r\nOriginal-Rcpt-To: rfc822; c@b.example\r\nRemoval-Recipient: d@b.example\r\n",
            "abuse",
            vec!["a@b.example", "c@b.example"],
            true,
        ),
        (
            "\r\nfeedback-type: Opt-Out-List (x)\r\nRemoval-Recipient: d@b.example\r\n",
            "opt-out-list",
            vec!["d@b.example"],
            true,
        ),
        ("Feedback-Type: virus\r\n\r\nOriginal-Rcpt-To: a@b.example\r\n", "virus", vec!["a@b.example"], true),
        ("Feedback-Type: not-spam\r\n", "not-spam", vec![], false),
        ("Feedback-Type: auth-failure\r\n", "auth-failure", vec![], false),
        ("Feedback-Type: ??\r\n", "other", vec![], true),
    ] {
        let part = format!("Content-Type: message/feedback-report\r\n\r\n{body}");
        let raw = report("feedback-report", &[HUMAN, &part, RETURNED]);
        let recipients = recipients.into_iter().map(|address| address.parse().unwrap()).collect();
        let expected = FeedbackReport { kind: kind.to_owned(), recipients };
        assert_eq!(expected.is_complaint(), complains);
        assert_eq!(read_report(&raw), Some(BounceReport::Feedback(expected)), "{body}");
    }
    let untyped = report("feedback-report", &["Content-Type: message/feedback-report\r\n\r\nVersion: 1\r\n"]);
    assert_eq!(read_report(&untyped), None);
}

#[test]
fn report_recipients_are_bounded() {
    let many = "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n\r\n".repeat(5000);
    assert_eq!(read_recipients(&dsn(&many)).len(), 1000);
    let merged = "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n".repeat(5000);
    assert_eq!(read_recipients(&dsn(&merged)).len(), 1000);
    let named = format!("X-Failed-Recipients: {}\r\n\r\n", "a@b.example, ".repeat(4000));
    assert_eq!(read_recipients(named.as_bytes()).len(), 1000);
}

#[test]
fn automatic_field_is_found_in_parsed_message() {
    let mail = parse(b"Return-Path: <bob@example.org>\r\nAuto-Submitted: auto-replied\r\n (vacation)\r\n\r\naway\r\n");
    assert_eq!(find_automatic_field(&mail.headers).as_deref(), Some("Auto-Submitted: auto-replied (vacation)"));
}

/// Generates fragments of reports in random order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static str> = vec![
        "\r\n",
        "\n",
        " ",
        ":",
        ";",
        "<",
        ">",
        "\\x{",
        "}",
        "5.",
        "5.1.1",
        "550 ",
        "--b\r\n",
        "--b--\r\n",
        "(",
        ")",
        "Content-Type: multipart/report; boundary=b\r\n\r\n",
        "Content-Type: message/delivery-status\r\n\r\n",
        "Content-Type: message/feedback-report\r\n\r\n",
        "Final-Recipient: rfc822; a@b.example\r\n",
        "Original-Recipient: ",
        "Action: failed\r\n",
        "Status: ",
        "Diagnostic-Code: smtp;",
        "Feedback-Type: abuse\r\n",
        "Original-Rcpt-To: ",
        "X-Failed-Recipients: a@b.example\r\n",
        "Hi. This is the\n\n<a@b.example>:\n",
        "Auto-Submitted: ",
        "é",
    ];
    vec(select(pieces), 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_accepted_as_report(raw in prop_oneof![vec(any::<u8>(), 0..600), fragments()]) {
        if let Some(BounceReport::Delivery(recipients)) = read_report(&raw) {
            for recipient in recipients {
                prop_assert!(recipient.addresses.len() <= 2);
                prop_assert!(matches!(recipient.status.get(..2), Some("2." | "4." | "5.")), "{}", recipient.status);
                prop_assert!(matches!(recipient.action, DeliveryAction::Failed | DeliveryAction::Delayed | DeliveryAction::Delivered | DeliveryAction::Relayed | DeliveryAction::Expanded));
            }
        }
        let _ = find_automatic_field(&parse(&raw).headers);
    }
}
