//! Multiparts of real programs: signed, encrypted, forwarded, with invitations, and broken ones.

use inboxd_mail::{ParsedMail, attachment_content, parse};

/// Builds a multipart of this type with boundary `bb` from parts with headers.
fn multipart(kind: &str, parts: &[&str]) -> String {
    let parts = parts.iter().fold(String::new(), |all, part| all + "--bb\r\n" + part + "\r\n");
    format!("Content-Type: multipart/{kind}; boundary=\"bb\"\r\n\r\n{parts}--bb--\r\n")
}

/// Returns name and type of each attachment.
fn files(mail: &ParsedMail) -> Vec<(&str, &str)> {
    let files = mail
        .attachments
        .iter()
        .map(|file| (file.filename.as_deref().unwrap_or("-"), file.content_type.as_deref().unwrap_or("-")));
    files.collect()
}

fn check(kind: &str, parts: &[&str], text: Option<&str>, expected: &[(&str, &str)]) {
    let mail = parse(multipart(kind, parts).as_bytes());
    assert_eq!(mail.text.as_deref(), text, "{kind}");
    assert_eq!(files(&mail), expected, "{kind}");
}

const TEXT: &str = "Content-Type: text/plain\r\n\r\nHello";

#[test]
fn signatures_and_encrypted_parts_are_attachments() {
    for (kind, parts, text, expected) in [
        (
            "signed; protocol=\"application/pgp-signature\"",
            &[TEXT, "Content-Type: application/pgp-signature\r\n\r\n-----BEGIN PGP SIGNATURE-----"][..],
            Some("Hello"),
            &[("signature.asc", "application/pgp-signature")][..],
        ),
        (
            "signed",
            &[TEXT, "Content-Type: application/pkcs7-signature\r\n\r\nx"],
            Some("Hello"),
            &[("smime.p7s", "application/pkcs7-signature")],
        ),
        (
            "encrypted",
            &[
                "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
                "Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----",
            ],
            None,
            &[("-", "application/pgp-encrypted"), ("encrypted.asc", "application/octet-stream")],
        ),
        (
            "encrypted",
            &[
                "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
                "Content-Type: application/octet-stream; name=\"a.asc\"\r\n\r\nx",
            ],
            None,
            &[("-", "application/pgp-encrypted"), ("a.asc", "application/octet-stream")],
        ),
        (
            "report",
            &[
                TEXT,
                "Content-Type: message/delivery-status\r\n\r\nStatus: 5.1.1",
                "Content-Type: message/rfc822\r\n\r\nSubject: lost\r\n\r\nx",
            ],
            Some("Hello"),
            &[("-", "message/delivery-status"), ("lost.eml", "message/rfc822")],
        ),
    ] {
        check(kind, parts, text, expected);
    }
}

#[test]
fn other_parts_are_attachments() {
    for (kind, parts, text, expected) in [
        (
            "mixed",
            &[
                TEXT,
                "Content-Type: message/partial; number=1; id=a@b\r\n\r\nx",
                "Content-Type: message/external-body; access-type=URL; URL=\"http://x/\"\r\n\r\nContent-Type: image/png\r\n\r\n",
            ][..],
            Some("Hello"),
            &[("-", "message/partial"), ("-", "message/external-body")][..],
        ),
        (
            "mixed",
            &[
                TEXT,
                "Content-Type: application/ics; name=\"meet.ics\"\r\n\r\nx",
                "Content-Type: text/vcard\r\n\r\nx",
                "Content-Type: application/mac-binhex40; name=a.hqx\r\n\r\nx",
            ],
            Some("Hello"),
            &[("meet.ics", "application/ics"), ("contact.vcf", "text/vcard"), ("a.hqx", "application/mac-binhex40")],
        ),
        (
            "appledouble",
            &[
                "Content-Type: application/applefile; name=\"a.pdf\"\r\n\r\nx",
                "Content-Type: application/pdf; name=\"a.pdf\"\r\n\r\nx",
            ],
            None,
            &[("a.pdf", "application/applefile"), ("a.pdf", "application/pdf")],
        ),
        (
            "alternative",
            &[
                TEXT,
                "Content-Type: text/html\r\n\r\n<p>Hello",
                "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR",
            ],
            Some("Hello"),
            &[("invite.ics", "text/calendar")],
        ),
        (
            "alternative",
            &[TEXT, "Content-Type: text/x-amp-html\r\n\r\n<html amp4email>", "Content-Type: text/html\r\n\r\n<p>Hello"],
            Some("Hello"),
            &[],
        ),
        (
            "mixed",
            &[
                TEXT,
                "Content-Type: image/jpeg; name=\"IMG_1.jpg\"\r\n\r\nx",
                "Content-Type: text/plain\r\n\r\nBye",
                "Content-Type: text/plain; name=notes.txt\r\n\r\nNotes",
            ],
            Some("Hello\nBye"),
            &[("IMG_1.jpg", "image/jpeg"), ("notes.txt", "text/plain")],
        ),
    ] {
        check(kind, parts, text, expected);
    }
}

#[test]
fn single_file_message_has_attachment() {
    for (field, expected) in [
        ("application/pkcs7-mime; smime-type=enveloped-data", ("smime.p7m", "application/pkcs7-mime")),
        ("application/x-pkcs7-mime; smime-type=signed-data; name=smime.p7m", ("smime.p7m", "application/x-pkcs7-mime")),
        ("text/calendar; method=REQUEST; charset=utf-8", ("invite.ics", "text/calendar")),
        ("message/rfc822", ("message.eml", "message/rfc822")),
        ("image/png", ("-", "image/png")),
    ] {
        let raw = format!("Subject: x\r\nContent-Type: {field}\r\n\r\nfrom here\r\n");
        let mail = parse(raw.as_bytes());
        assert_eq!(files(&mail), [expected]);
        assert_eq!(mail.text, None);
        assert_eq!(attachment_content(raw.as_bytes(), mail.attachments[0].part).unwrap(), b"from here\r\n");
    }
}

#[test]
fn inline_encrypted_text_remains_text() {
    let armor = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----";
    assert_eq!(parse(format!("Subject: x\n\n{armor}\n").as_bytes()).text.as_deref(), Some(armor));
}

#[test]
fn root_of_related_parts_is_text_at_any_position() {
    let picture = "Content-Type: image/png\r\nContent-ID: <i>\r\nContent-Disposition: inline\r\n\r\nx";
    let html = "Content-Type: text/html\r\nContent-ID: <root>\r\n\r\n<p>Hello";
    let both = "Content-Type: multipart/alternative; boundary=aa\r\n\r\n--aa\r\n\r\nHello\r\n--aa\r\nContent-Type: text/html\r\n\r\n<p>Hello\r\n--aa--";
    for (kind, parts) in [
        ("related", [html, picture]),
        ("related", [picture, html]),
        ("related; start=\"<root>\"", [picture, html]),
        ("related", [picture, both]),
        ("related", [both, picture]),
    ] {
        let mail = parse(multipart(kind, &parts).as_bytes());
        assert_eq!((mail.text.as_deref(), mail.html.as_deref()), (Some("Hello"), Some("<p>Hello")), "{kind}");
        assert_eq!(files(&mail), [("-", "image/png")]);
    }
}

#[test]
fn apple_mail_text_around_files_is_joined() {
    let inner = "Content-Type: multipart/mixed; boundary=mm\r\n\r\n--mm\r\nContent-Type: text/html\r\n\r\n<p>Above\r\n--mm\r\n\
                 Content-Type: application/pdf\r\nContent-Disposition: inline; filename=a.pdf\r\n\r\nx\r\n--mm\r\n\
                 Content-Type: text/html\r\n\r\n<p>Below\r\n--mm--";
    let plain = "Content-Type: text/plain\r\n\r\nAbove\nBelow";
    let mail = parse(multipart("alternative", &[plain, inner]).as_bytes());
    assert_eq!(mail.text.as_deref(), Some("Above\nBelow"));
    assert_eq!(mail.html.as_deref(), Some("<p>Above\n<p>Below"));
    assert_eq!(files(&mail), [("a.pdf", "application/pdf")]);
}

#[test]
fn unnamed_boundary_is_found() {
    let parts =
        "--bb\r\nContent-Type: text/plain\r\n\r\nHello\r\n--bb\r\nContent-Type: image/png\r\n\r\nx\r\n--bb--\r\n";
    for field in [
        "multipart/mixed",
        "multipart/mixed; boundary=",
        "multipart/mixed; boundary=\"\"",
        "multipart/mixed; boundary=\"other\"",
        "multipart/mixed; boundary=\"bb \"",
        "multipart/mixed; boundary=bb;",
        "multipart/mixed; boundary='bb'",
        "Multipart/Mixed; BOUNDARY=bb",
        "multipart/mixed boundary=bb",
        "multipart/mixed, boundary=bb",
        "multipart/mixed;\r\n\tboundary=\"bb\";\r\n\ttype=\"text/html\"",
        "multipart/mixed; boundary=\"bb",
        "multipart/mixed; boundary=\"--bb\"",
    ] {
        for preamble in ["", "This is a multi-part message in MIME format.\r\n"] {
            let raw = format!("Content-Type: {field}\r\n\r\n{preamble}{parts}");
            let mail = parse(raw.as_bytes());
            assert_eq!(mail.text.as_deref(), Some("Hello"), "{field}");
            assert_eq!(files(&mail), [("-", "image/png")], "{field}");
        }
    }
}

#[test]
fn malformed_types_are_interpreted() {
    for (field, body, text) in [
        ("text", "Hello", Some("Hello")),
        ("text/", "Hello", Some("Hello")),
        ("text; charset=utf-8", "Hello", Some("Hello")),
        ("plain", "Hello", Some("Hello")),
        ("html", "<p>Hello", Some("Hello")),
        ("TEXT/HTML;charset=\"utf-8\"", "<p>Hello", Some("Hello")),
        ("text/html charset=utf-8", "<p>Hello", Some("Hello")),
        ("text/plain; charset=utf-8; format", "Hello", Some("Hello")),
        ("text/plain; charset=\"utf-8", "Hello", Some("Hello")),
        ("text/plain;; charset=utf-8", "Hello", Some("Hello")),
        ("text/plain: charset=utf-8", "Hello", Some("Hello")),
        ("text/plain\r\nContent-Type: image/png", "Hello", Some("Hello")),
        ("application/pdf name=x.pdf", "x", None),
        ("image/jpg", "x", None),
    ] {
        let mail = parse(format!("Content-Type: {field}\r\n\r\n{body}\r\n").as_bytes());
        assert_eq!(mail.text.as_deref(), text, "{field}");
        assert_eq!(mail.attachments.len(), usize::from(text.is_none()), "{field}");
    }
}

#[test]
fn other_line_endings_are_parsed() {
    for raw in [
        "From a@example.org Mon Jan  5 10:00:00 2026\nSubject: Hi\n\nHello\nthere",
        ">From a@example.org Mon Jan  5 10:00:00 2026\nSubject: Hi\n\nHello\nthere",
        "Subject: Hi\r\rHello\rthere\r",
        "\u{feff}Subject: Hi\r\n\r\nHello\r\nthere\r\n",
    ] {
        let mail = parse(raw.as_bytes());
        assert_eq!(mail.subject.as_deref(), Some("Hi"), "{raw:?}");
        assert_eq!(mail.text.as_deref(), Some("Hello\nthere"), "{raw:?}");
    }
    let old_mac =
        "Content-Type: multipart/mixed; boundary=bb\r\r--bb\r\rHello\r--bb\rContent-Type: image/png\r\rx\ry\r--bb--\r";
    let mail = parse(old_mac.as_bytes());
    assert_eq!(mail.text.as_deref(), Some("Hello"));
    assert_eq!(attachment_content(old_mac.as_bytes(), mail.attachments[0].part).unwrap(), b"x\ry");
}
