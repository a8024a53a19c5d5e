//! Headers and single-part messages.

use inboxd_mail::{Composition, Disposition, HeaderAddress, ParsedMail, compose, forward_subject, parse};

fn header(lines: &str) -> ParsedMail {
    parse(format!("{lines}\r\n\r\nbody\r\n").as_bytes())
}

fn shown(list: &[HeaderAddress]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn plain_message_is_parsed() {
    let mail = parse(
        b"Received: from a by b\r\nReceived: from c by d\r\nFrom: Anna <anna@example.org>\r\nSender: s@example.org\r\n\
          Reply-To: r@example.org\r\nTo: scout@inboxd.example\r\nCc: c@example.org\r\nBcc: b@example.org\r\n\
          Subject: Hello\r\nDate: Mon, 5 Jan 2026 10:00:00 +0100\r\nMessage-ID: <1@example.org>\r\n\
          In-Reply-To: <0@example.org>\r\nReferences: <a@example.org>\r\n <0@example.org>\r\n\r\nHello\r\nScout\r\n",
    );
    assert_eq!(shown(&mail.from), ["Anna <anna@example.org>"]);
    assert_eq!(mail.sender.unwrap().address, "s@example.org");
    assert_eq!(shown(&mail.reply_to), ["r@example.org"]);
    assert_eq!(shown(&mail.to), ["scout@inboxd.example"]);
    assert_eq!(shown(&mail.cc), ["c@example.org"]);
    assert_eq!(shown(&mail.bcc), ["b@example.org"]);
    assert_eq!(mail.subject.as_deref(), Some("Hello"));
    assert_eq!(mail.date, Some(1_767_603_600));
    assert_eq!(mail.message_id.as_deref(), Some("<1@example.org>"));
    assert_eq!(mail.in_reply_to, ["<0@example.org>"]);
    assert_eq!(mail.references, ["<a@example.org>", "<0@example.org>"]);
    assert_eq!(mail.received_count, 2);
    assert_eq!(mail.headers.len(), 13);
    assert_eq!(mail.headers[0], ("Received".to_owned(), "from a by b".to_owned()));
    assert_eq!(mail.text.as_deref(), Some("Hello\nScout"));
    assert_eq!(mail.html, None);
    assert_eq!(mail.extracted_text.as_deref(), Some("Hello\nScout"));
    assert_eq!(mail.extracted_html, None);
    assert_eq!(mail.preview.as_deref(), Some("Hello Scout"));
    assert!(mail.attachments.is_empty());
}

#[test]
fn empty_input_is_a_message() {
    let mail = parse(b"");
    assert_eq!(mail.text.as_deref(), Some(""));
    assert_eq!(mail.preview, None);
    assert_eq!(ParsedMail { text: None, extracted_text: None, ..mail }, ParsedMail::default());
}

#[test]
fn input_without_header_is_text() {
    let mail = parse(b"just some words\nand more\n");
    assert_eq!(mail.text.as_deref(), Some("just some words\nand more"));
    assert!(mail.headers.is_empty());
}

#[test]
fn header_without_body_is_a_message() {
    for raw in ["Subject: x", "Subject: x\r\n", "Subject: x\r\n\r\n"] {
        let mail = parse(raw.as_bytes());
        assert_eq!(mail.subject.as_deref(), Some("x"), "{raw:?}");
        assert_eq!(mail.text.as_deref(), Some(""), "{raw:?}");
    }
}

#[test]
fn bare_line_feeds_end_lines() {
    let mail = parse(b"Subject: a\n b\n\nx\ny\n");
    assert_eq!(mail.subject.as_deref(), Some("a b"));
    assert_eq!(mail.text.as_deref(), Some("x\ny"));
}

#[test]
fn subjects_are_decoded() {
    for (raw, expected) in [
        (&b"Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?="[..], Some("Grüße")),
        (b"Subject: =?utf-8?B?R3LD?=\r\n =?utf-8?B?vMOfZQ==?=", Some("Grüße")),
        (b"Subject: =?iso-8859-1?q?caf=E9?= au lait", Some("café au lait")),
        (b"Subject: =?gb2312?B?xOPK?=\r\n\t=?gb2312?B?xw==?=", Some("你是")),
        (b"Subject: caf\xe9", Some("café")),
        (b"Subject: caf\xc3\xa9", Some("café")),
        (b"subject : x", Some("x")),
        (b"SUBJECT:x\r\nSubject: second", Some("x")),
        (b"Subject: a\0b", Some("ab")),
        (b"Subject: =?utf-8?q?a=0D=0ABcc:_x=00?=", Some("a  Bcc: x")),
        (b"Subject:", None),
        (b"Subject: \r\n ", None),
        (b"X: y", None),
    ] {
        let raw = [raw, b"\r\n\r\n"].concat();
        assert_eq!(parse(&raw).subject.as_deref(), expected, "{}", String::from_utf8_lossy(&raw));
    }
}

#[test]
fn header_addresses_are_parsed_leniently() {
    for (value, expected) in [
        ("a@b.c", &["a@b.c"][..]),
        ("<a@b.c>", &["a@b.c"]),
        ("Anna <a@b.c>, d@e.f", &["Anna <a@b.c>", "d@e.f"]),
        ("\"Müller, Anna\" <a@b.c>", &["Müller, Anna <a@b.c>"]),
        ("=?utf-8?q?M=C3=BCller=2C_Anna?= <a@b.c>", &["Müller, Anna <a@b.c>"]),
        ("\"=?utf-8?q?M=C3=BCller?=\" <a@b.c>", &["Müller <a@b.c>"]),
        ("=?utf-8?q?M=C3=BC?=\r\n =?utf-8?q?ller?= <a@b.c>", &["Müller <a@b.c>"]),
        ("=?utf-8?q?M=C3=BCller,_Anna?= <a@b.c>", &["Müller, Anna <a@b.c>"]),
        ("=?utf-8?q?Anna_(Sales)_<x>?= <a@b.c>, d@e.f", &["Anna (Sales) <x> <a@b.c>", "d@e.f"]),
        ("=?utf-8?q?M=C3=BCller, Anna <a@b.c>", &["Müller", "Anna <a@b.c>"]),
        ("=?utf-8?q?M=C3=BCller?=<a@b.c>", &["Müller <a@b.c>"]),
        ("\"=?utf-8?q?M=C3=BCller?= (Sales)\" <a@b.c>", &["Müller (Sales) <a@b.c>"]),
        ("=?utf-8?q?Team_M=C3=BC?=: =?utf-8?q?M=C3=BC?= <a@b.c>, d@e.f;", &["Mü <a@b.c>", "d@e.f"]),
        ("a@b.c (=?utf-8?q?M=C3=BCller?=)", &["Müller <a@b.c>"]),
        ("a@b.c (Anna (of) B)", &["Anna (of) B <a@b.c>"]),
        ("Friends: a@b.c, Bo <d@e.f>;, g@h.i", &["a@b.c", "Bo <d@e.f>", "g@h.i"]),
        ("undisclosed-recipients:;", &[]),
        ("<@relay.example:a@b.c>", &["a@b.c"]),
        ("\"a b\"@c.d", &["\"a b\"@c.d"]),
        ("Anna a@b.c", &["Anna <a@b.c>"]),
        ("Anna", &["Anna"]),
        ("\"A \\\"B\\\"\" <a@b.c>", &["A \"B\" <a@b.c>"]),
        ("Anna <a@b.c", &["Anna <a@b.c>"]),
        ("\"Anna <a@b.c>", &["\"Anna <a@b.c>"]),
        ("a@b.c,,;, ,d@e.f", &["a@b.c", "d@e.f"]),
        ("Bad\u{7} <a\u{0}@b.c>", &["Bad <a@b.c>"]),
        ("", &[]),
    ] {
        assert_eq!(shown(&header(&format!("To: {value}")).to), expected, "{value:?}");
    }
}

#[test]
fn all_from_fields_are_joined() {
    let mail = header("From: a@b.c\r\nTo: x@y.z\r\nFrom: d@e.f\r\nTo: v@w.x");
    assert_eq!(shown(&mail.from), ["a@b.c", "d@e.f"]);
    assert_eq!(shown(&mail.to), ["x@y.z", "v@w.x"]);
}

#[test]
fn message_ids_are_well_formed_or_absent() {
    let long = format!("<{}@b>", "a".repeat(520));
    for (value, expected) in [
        ("<a@b>", Some("<a@b>")),
        ("<a@b> (added by relay)", Some("<a@b>")),
        ("a@b", None),
        ("<a b@c>", None),
        ("<ab>", None),
        ("<>", None),
        ("<a@b", None),
        (long.as_str(), None),
        ("", None),
    ] {
        let mail = header(&format!("Message-ID: {value}"));
        assert_eq!(mail.message_id.as_deref(), expected, "{value:?}");
    }
}

#[test]
fn last_hundred_references_are_stored() {
    let ids: Vec<String> = (0..300).map(|n| format!("<{n}@b>")).collect();
    let mail = header(&format!("References: {}", ids.join("\r\n ")));
    assert_eq!(mail.references, ids[200..]);
}

#[test]
fn dates_are_parsed_with_zone() {
    for (value, expected) in [
        ("Thu, 1 Jan 1970 00:00:00 +0000", Some(0)),
        ("Mon, 5 Jan 2026 10:00:00 +0100", Some(1_767_603_600)),
        ("5 Jan 26 10:00 GMT", Some(1_767_607_200)),
        ("Mon, 5 Jan 2026 04:00:00 -0500 (EST)", Some(1_767_603_600)),
        ("Mon, 45 Jan 2026 10:00:00 +0100", None),
        ("Sun, 29 Feb 2026 10:00:00 +0000", None),
        ("Thu, 29 Feb 2024 10:00:00 +0000", Some(1_709_200_800)),
        ("5-Jan-2026 09:00:00", Some(1_767_603_600)),
        ("Mon, 5 Jan 2026 01:00:00 PST", Some(1_767_603_600)),
        ("Fri, 31 Dec 1999 23:59:60 -0000", Some(946_684_799)),
        ("Mon, 5 Jan 2026 25:00:00 +0100", None),
        ("Mon, 5 Jan 2026 10:00:00 +99999999999999999999", None),
        ("Mon, 99999999999999999999 Jan 2026 10:00:00", None),
        ("yesterday", None),
        ("", None),
    ] {
        assert_eq!(header(&format!("Date: {value}")).date, expected, "{value:?}");
    }
}

#[test]
fn charsets_and_transfer_encodings_are_decoded() {
    for (fields, body, expected) in [
        ("Content-Type: text/plain; charset=utf-8", "Grüße".as_bytes(), "Grüße"),
        ("Content-Type: text/plain; charset=iso-8859-1", b"Gr\xfc\xdfe", "Grüße"),
        ("Content-Type: text/plain; charset=utf-8", b"Gr\xfc\xdfe", "Grüße"),
        ("Content-Type: text/plain; charset=us-ascii", "Grüße".as_bytes(), "Grüße"),
        ("Content-Type: text/plain; charset=x-nonsense", b"Gr\xfc\xdfe", "Grüße"),
        ("Content-Type: text/plain; charset=\"iso-2022-jp\"", b"\x1b$B$\"\x1b(B", "あ"),
        ("Content-Type: text/plain; charset=shift_jis", b"\x82\xa0", "あ"),
        ("Content-Type: text/plain; charset=utf-16le", b"h\0i\0", "hi"),
        ("X: y", b"Gr\xfc\xdfe", "Grüße"),
        ("Content-Type: garbage", b"words", "words"),
        ("Content-Type: text/plain\r\nContent-Transfer-Encoding: BASE64 ", b"R3LDvMOfZQ==", "Grüße"),
        ("Content-Transfer-Encoding: quoted-printable", b"Gr=C3=BC=\r\n=C3=9Fe", "Grüße"),
        ("Content-Transfer-Encoding: 8bit", b"a\0b", "ab"),
        ("Content-Type: text/markdown", b"# Title", "# Title"),
        ("Content-Type: text/html", b"<meta charset='koi8-r'><p>\xc1", "а"),
        ("Content-Type: text/html", b"<META content=\"text/html; charset=gb2312\"><p>\xc4\xe3", "你"),
        ("Content-Type: text/html; charset=utf-8", b"<meta charset=koi8-r><p>\xc3\xa9", "é"),
    ] {
        let raw = [fields.as_bytes(), b"\r\n\r\n", body].concat();
        assert_eq!(parse(&raw).text.as_deref(), Some(expected), "{fields}");
    }
}

#[test]
fn flowed_paragraphs_are_joined() {
    let mail = parse(b"Content-Type: text/plain; format=flowed\r\n\r\none \r\ntwo\r\n\r\n> old \r\n> words\r\n");
    assert_eq!(mail.text.as_deref(), Some("one two\n\n> old words"));
    assert_eq!(mail.extracted_text.as_deref(), Some("one two"));
}

#[test]
fn html_alone_yields_text() {
    let mail = parse(
        b"Content-Type: text/html; charset=utf-8\r\n\r\n<html><head><title>no</title></head><body><p>Hello&nbsp;Scout,</p>\
          <ul><li>one</li><li>two</li></ul><a href=\"https://example.org/x\">verify</a></body></html>",
    );
    assert_eq!(mail.text.as_deref(), Some("Hello Scout,\n\n- one\n- two\n\nverify (https://example.org/x)"));
    assert_eq!(mail.preview.as_deref(), Some("Hello Scout, - one - two verify"));
    assert!(mail.html.unwrap().starts_with("<html>"));
}

#[test]
fn html_alone_yields_new_text() {
    let mail = parse(
        b"Content-Type: text/html\n\n<div>Yes.</div><div class=\"gmail_quote\"><div class=\"gmail_attr\">On Monday Anna \
          wrote:</div><blockquote>Shall we?</blockquote></div>",
    );
    assert_eq!(mail.extracted_text.as_deref(), Some("Yes."));
    assert_eq!(mail.extracted_html.as_deref(), Some("<div>Yes.</div>"));
    assert_eq!(mail.preview.as_deref(), Some("Yes."));
    assert!(mail.text.unwrap().contains("Shall we?"));
}

#[test]
fn forward_is_entirely_new() {
    let body = "FYI\n\nFrom: Anna\nSent: Monday\nTo: Bo\nSubject: Plan\n\nThe plan.";
    let forward = parse(format!("Subject: FW: Plan\n\n{body}").as_bytes());
    assert_eq!(forward.extracted_text.as_deref(), Some(body));
    let reply = parse(format!("Subject: RE: Plan\n\n{body}").as_bytes());
    assert_eq!(reply.extracted_text.as_deref(), Some("FYI"));
}

#[test]
fn single_file_is_attachment() {
    let mail =
        parse(b"Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n");
    assert_eq!(mail.text, None);
    assert_eq!(mail.attachments.len(), 1);
    assert_eq!(mail.attachments[0].filename.as_deref(), Some("a.pdf"));
    assert_eq!(mail.attachments[0].size, 4);
    let text = parse(b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhi");
    assert_eq!(text.text, None);
    assert_eq!(text.attachments[0].disposition, Some(Disposition::Attachment));
}

#[test]
fn subject_is_truncated_so_that_reply_fits() {
    let mail = parse(format!("Subject: {}\r\n\r\n", "\u{fc}".repeat(30_000)).as_bytes());
    let subject = mail.subject.unwrap();
    assert_eq!(subject.len(), 16_376);
    let answer = Composition {
        subject: Some(forward_subject(Some(&subject))),
        ..Composition::new("a@b.c".parse().unwrap(), "<1@b>".to_owned())
    };
    assert!(compose(&answer).is_ok());
}
