//! Composed messages and rejected ones.

use inboxd_mail::{
    AttachmentPart, ComposeError, Composition, Disposition, attachment_content, compose, header_values, parse,
};

fn mail() -> Composition {
    Composition {
        to: vec!["\"Müller, Anna\" <anna@example.org>".parse().unwrap()],
        subject: Some("Hello".to_owned()),
        text: Some("Hello\n".to_owned()),
        date: 1_767_603_600,
        ..Composition::new("Scout <scout@inboxd.example>".parse().unwrap(), "<1@inboxd.example>".to_owned())
    }
}

fn file(name: &str, content: &[u8]) -> AttachmentPart {
    AttachmentPart {
        filename: Some(name.to_owned()),
        content_type: None,
        disposition: Disposition::Attachment,
        content_id: None,
        content: content.to_vec(),
    }
}

fn picture() -> AttachmentPart {
    AttachmentPart {
        content_type: Some("image/png".to_owned()),
        disposition: Disposition::Inline,
        content_id: Some("<logo@x>".to_owned()),
        ..file("logo.png", b"\x89PNG")
    }
}

fn written(mail: &Composition) -> String {
    let raw = compose(mail).unwrap();
    let text = String::from_utf8(raw).unwrap();
    assert!(text.is_ascii(), "{text}");
    for line in text.split("\r\n") {
        assert!(line.len() <= 998 && !line.contains(['\r', '\n']), "{line:?}");
    }
    text
}

#[test]
fn plain_message_has_expected_bytes() {
    assert_eq!(
        written(&Composition { auto_submitted: true, ..mail() }),
        "From: \"Scout\" <scout@inboxd.example>\r\n\
         To: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>\r\n\
         Subject: Hello\r\n\
         Date: Mon, 5 Jan 2026 09:00:00 +0000\r\n\
         Message-ID: <1@inboxd.example>\r\n\
         Auto-Submitted: auto-generated\r\n\
         MIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=\"utf-8\"\r\n\
         Content-Transfer-Encoding: 7bit\r\n\r\n\
         Hello\r\n\r\n"
    );
}

#[test]
fn equal_compositions_yield_equal_bytes() {
    let mail = Composition { html: Some("<p>x</p>".to_owned()), attachments: vec![file("a", b"b")], ..mail() };
    assert_eq!(compose(&mail), compose(&mail));
}

#[test]
fn every_composed_field_parses_back() {
    let ids: Vec<String> = (0..60).map(|n| format!("<{n}.{}@example.org>", "x".repeat(40))).collect();
    let mail = Composition {
        reply_to: vec!["r@example.org".parse().unwrap()],
        cc: (0..50).map(|n| format!("Name {n} <c{n}@example.org>").parse().unwrap()).collect(),
        subject: Some("Größe: ".repeat(60).trim().to_owned()),
        headers: vec![
            ("X-Mailer".to_owned(), "inboxd".to_owned()),
            ("X-Ünicode".replace('Ü', "U"), "Grüße".repeat(30)),
            ("X-Long".to_owned(), "y".repeat(3000)),
        ],
        in_reply_to: Some("59@example.org".to_owned()),
        references: ids.clone(),
        ..mail()
    };
    let raw = written(&mail);
    let read = parse(raw.as_bytes());
    assert_eq!(read.from[0].to_string(), "Scout <scout@inboxd.example>");
    assert_eq!(read.to[0].to_string(), "Müller, Anna <anna@example.org>");
    assert_eq!(read.reply_to[0].address, "r@example.org");
    assert_eq!(read.cc.len(), 50);
    assert_eq!(read.subject, mail.subject);
    assert_eq!(read.date, Some(mail.date));
    assert_eq!(read.message_id.as_deref(), Some("<1@inboxd.example>"));
    assert_eq!(read.in_reply_to, ["<59@example.org>"]);
    assert_eq!(read.references, ids);
    for given in &mail.headers {
        assert!(read.headers.contains(given), "{given:?}");
    }
    assert!(read.bcc.is_empty());
}

#[test]
fn mime_structure_follows_content() {
    let html = Some("<img src=\"cid:logo@x\">".to_owned());
    for (name, mail, expected) in [
        ("text", mail(), &["text/plain"][..]),
        ("html", Composition { text: None, html: html.clone(), ..mail() }, &["text/html"]),
        ("neither", Composition { text: None, ..mail() }, &["text/plain"]),
        ("both", Composition { html: html.clone(), ..mail() }, &["multipart/alternative", "text/plain", "text/html"]),
        (
            "text with a file",
            Composition { attachments: vec![file("a", b"b")], ..mail() },
            &["multipart/mixed", "text/plain", "application/octet-stream"],
        ),
        (
            "a picture without html",
            Composition { attachments: vec![picture()], ..mail() },
            &["multipart/mixed", "text/plain", "image/png"],
        ),
        (
            "everything",
            Composition { html, attachments: vec![file("a", b"b"), picture()], ..mail() },
            &[
                "multipart/mixed",
                "multipart/alternative",
                "text/plain",
                "multipart/related",
                "text/html",
                "image/png",
                "application/octet-stream",
            ],
        ),
    ] {
        let raw = written(&mail);
        let types: Vec<&str> = raw
            .split("\r\n")
            .filter_map(|line| line.strip_prefix("Content-Type: "))
            .map(|value| value.split(';').next().unwrap())
            .collect();
        assert_eq!(types, expected, "{name}");
        let read = parse(raw.as_bytes());
        assert_eq!(read.html, mail.html, "{name}");
        assert_eq!(read.attachments.len(), mail.attachments.len(), "{name}");
    }
}

#[test]
fn attachments_survive_byte_for_byte() {
    let all: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let inner = b"Subject: inner\r\n\r\n--=_mixed_0\r\nbody\r\n".to_vec();
    let mail = Composition {
        attachments: vec![
            file("Grüße 你好.bin", &all),
            AttachmentPart {
                content_type: Some("text/csv; charset=utf-8; header=\"a b\"".to_owned()),
                ..file("a \"quoted\", name.csv", b"a,b\nc,d\r\n\n")
            },
            AttachmentPart { content_type: Some("message/rfc822".to_owned()), filename: None, ..file("", &inner) },
            AttachmentPart {
                content_type: Some("message/rfc822".to_owned()),
                ..file("8bit.eml", b"Subject: \xe9\n\nx")
            },
            picture(),
            file("empty", b""),
        ],
        ..mail()
    };
    let raw = written(&mail).into_bytes();
    let read = parse(&raw);
    assert_eq!(read.attachments.len(), mail.attachments.len());
    for (found, given) in read.attachments.iter().zip(&mail.attachments) {
        assert_eq!(attachment_content(&raw, found.part).unwrap(), given.content, "{:?}", given.filename);
        assert_eq!(found.size, given.content.len() as u64);
        assert_eq!(found.disposition, Some(given.disposition));
    }
    assert_eq!(read.attachments[0].filename.as_deref(), Some("Grüße 你好.bin"));
    assert_eq!(read.attachments[1].filename.as_deref(), Some("a -quoted-, name.csv"));
    assert_eq!(read.attachments[1].content_type.as_deref(), Some("text/csv"));
    assert_eq!(read.attachments[2].filename.as_deref(), Some("inner.eml"));
    assert_eq!(read.attachments[4].content_id.as_deref(), Some("logo@x"));
}

#[test]
fn addresses_beyond_ascii_stay_unencoded() {
    let mail = Composition { to: vec!["用户@例子.example".parse().unwrap()], ..mail() };
    let raw = compose(&mail).unwrap();
    assert_eq!(header_values(&raw, "To"), ["<用户@例子.example>"]);
    assert_eq!(parse(&raw).to[0].address, "用户@例子.example");
}

#[test]
fn header_injection_is_rejected_with_field() {
    let evil = "x\r\nBcc: victim@example.org";
    for bad in [evil, "a\nb", "a\rb", "a\0b"] {
        let named_field = format!("headers.{bad}");
        let named = |name: &str| inboxd_mail::Mailbox { name: Some(name.to_owned()), ..mail().from };
        for (mail, expected) in [
            (Composition { subject: Some(bad.to_owned()), ..mail() }, "subject"),
            (Composition { from: named(bad), ..mail() }, "from"),
            (Composition { to: vec![mail().from, named(bad)], ..mail() }, "to[1]"),
            (Composition { cc: vec![named(bad)], ..mail() }, "cc[0]"),
            (Composition { reply_to: vec![named(bad)], ..mail() }, "reply_to[0]"),
            (Composition { headers: vec![("X-A".to_owned(), bad.to_owned())], ..mail() }, "headers.X-A"),
            (Composition { headers: vec![(bad.to_owned(), "x".to_owned())], ..mail() }, named_field.as_str()),
            (Composition { message_id: format!("<{bad}@b>"), ..mail() }, "message_id"),
            (Composition { in_reply_to: Some(bad.to_owned()), ..mail() }, "in_reply_to"),
            (Composition { references: vec!["<a@b>".to_owned(), bad.to_owned()], ..mail() }, "references[1]"),
            (Composition { attachments: vec![file(bad, b"")], ..mail() }, "attachments[0].filename"),
            (
                Composition {
                    attachments: vec![AttachmentPart { content_type: Some(bad.to_owned()), ..picture() }],
                    ..mail()
                },
                "attachments[0].content_type",
            ),
            (
                Composition {
                    attachments: vec![AttachmentPart { content_id: Some(bad.to_owned()), ..picture() }],
                    ..mail()
                },
                "attachments[0].content_id",
            ),
        ] {
            let error = refused(&mail);
            assert_eq!(error, ComposeError::HeaderInjection { field: expected.to_owned() });
            assert_eq!(error.field(), expected);
        }
    }
}

#[test]
fn reserved_headers_are_rejected() {
    for name in [
        "From",
        "to",
        "CC",
        "Bcc",
        "Subject",
        "Date",
        "Message-ID",
        "In-Reply-To",
        "References",
        "Reply-To",
        "Sender",
        "MIME-Version",
        "Content-Type",
        "content-transfer-encoding",
        "Received",
        "Return-Path",
        "DKIM-Signature",
        "Auto-Submitted",
        "Authentication-Results",
        "Resent-To",
    ] {
        let mail = Composition { headers: vec![(name.to_owned(), "x".to_owned())], ..mail() };
        let error = refused(&mail);
        assert_eq!(error.field(), format!("headers.{name}"));
        assert!(matches!(&error, ComposeError::ReservedHeader { name: given, .. } if given == name), "{error}");
    }
}

const CONTENT_ID: &str = "attachments[0].content_id is not a content id: at most 500 visible ASCII characters";

#[test]
fn unencodable_values_are_rejected() {
    let with = |part: AttachmentPart| Composition { attachments: vec![part], ..mail() };
    let typed = |text: &str| with(AttachmentPart { content_type: Some(text.to_owned()), ..picture() });
    let cid = |text: &str| with(AttachmentPart { content_id: Some(text.to_owned()), ..picture() });
    for (mail, expected) in [
        (Composition { text: Some("a\0".to_owned()), ..mail() }, "text contains NUL"),
        (Composition { html: Some("\0".to_owned()), ..mail() }, "html contains NUL"),
        (typed("png"), "attachments[0].content_type is not a media type such as text/plain"),
        (typed("multipart/mixed"), "attachments[0].content_type is not a media type such as text/plain"),
        (typed("a b/c"), "attachments[0].content_type is not a media type such as text/plain"),
        (typed("text/plain; a b=c"), "attachments[0].content_type is not a media type such as text/plain"),
        (cid(""), CONTENT_ID),
        (cid("a b"), CONTENT_ID),
        (cid("a>b"), CONTENT_ID),
        (
            Composition { headers: vec![("X A".to_owned(), String::new())], ..mail() },
            "headers.X A names \"X A\", which is not a header name",
        ),
        (
            Composition { headers: vec![(String::new(), String::new())], ..mail() },
            "headers. names \"\", which is not a header name",
        ),
        (
            Composition { message_id: "abc".to_owned(), ..mail() },
            "message_id is not a message id of the form <left@right>",
        ),
        (Composition { subject: Some("x".repeat(20_000)), ..mail() }, "subject exceeds 16384 bytes"),
    ] {
        assert_eq!(refused(&mail).to_string(), expected);
    }
}

/// Returns the only error of a message.
fn refused(mail: &Composition) -> ComposeError {
    let mut errors = compose(mail).unwrap_err().into_iter();
    let error = errors.next().unwrap();
    assert_eq!(errors.next(), None);
    error
}

#[test]
fn all_errors_are_returned_together() {
    let bad = Composition {
        subject: Some("a\nb".to_owned()),
        text: Some("\0".to_owned()),
        headers: [("Bad Name", "x"), ("Bcc", "x"), ("X-Fine", "x"), ("X-Break", "a\r\nb")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        attachments: vec![AttachmentPart {
            filename: Some("a\nb".to_owned()),
            content_type: Some("png".to_owned()),
            content_id: Some("a b".to_owned()),
            ..picture()
        }],
        message_id: "none".to_owned(),
        ..mail()
    };
    let errors = compose(&bad).unwrap_err();
    let told = errors.to_string();
    let fields: Vec<String> = errors.into_iter().map(|error| error.field().to_owned()).collect();
    assert_eq!(
        fields,
        [
            "subject",
            "text",
            "headers.Bad Name",
            "headers.Bcc",
            "headers.X-Break",
            "attachments[0].filename",
            "attachments[0].content_type",
            "attachments[0].content_id",
            "message_id",
        ]
    );
    assert!(fields.iter().all(|field| told.contains(field.as_str())), "{told}");
}

#[test]
fn caller_headers_keep_their_structure() {
    let url = format!("https://lists.example.org/out?token={}&x=%3D", "a".repeat(400));
    let given = [
        ("List-Unsubscribe", format!("<mailto:out@example.org?subject=out>, <{url}>")),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()),
        ("List-Id", "Offers of \"Spring\" <offers.example.org>".to_owned()),
        ("Precedence", "bulk".to_owned()),
        ("X-Campaign", "a=b; c=\"d e\"; ".repeat(20).trim_end().to_owned()),
    ];
    let headers: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let from = "scout@inboxd.example".parse().unwrap();
    let raw = compose(&Composition { headers, ..Composition::new(from, "<1@b>".to_owned()) }).unwrap();
    let text = String::from_utf8(raw.clone()).unwrap();
    assert!(!text.contains("=?"), "{text}");
    assert!(text.contains(&format!("<{url}>")), "a link is never broken: {text}");
    assert!(text.lines().all(|line| line.len() <= 998));
    for (name, value) in given {
        assert_eq!(inboxd_mail::header_values(&raw, name), [value], "{name}");
    }
}
