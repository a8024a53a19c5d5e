//! Parts, attachments and their names.

use std::fmt::Write as _;

use inboxd_mail::{Disposition, attachment_content, parse};

/// Builds a mixed message of parts with headers.
fn mixed(parts: &[&str]) -> Vec<u8> {
    multipart("mixed", parts)
}

fn multipart(kind: &str, parts: &[&str]) -> Vec<u8> {
    let mut raw = format!("Content-Type: multipart/{kind}; boundary=\"bb\"\r\n\r\npreamble\r\n");
    for part in parts {
        raw.extend(["--bb\r\n", part, "\r\n"]);
    }
    (raw + "--bb--\r\nepilogue\r\n").into_bytes()
}

#[test]
fn text_and_html_come_from_their_parts() {
    let mail = parse(&multipart(
        "alternative",
        &["Content-Type: text/plain\r\n\r\nplain", "Content-Type: text/html\r\n\r\n<p>rich</p>"],
    ));
    assert_eq!(mail.text.as_deref(), Some("plain"));
    assert_eq!(mail.html.as_deref(), Some("<p>rich</p>"));
    assert!(mail.attachments.is_empty());
}

#[test]
fn empty_text_part_is_derived_from_html() {
    let mail = parse(&multipart(
        "alternative",
        &["Content-Type: text/plain\r\n\r\n \r\n", "Content-Type: text/html\r\n\r\n<p>rich</p>"],
    ));
    assert_eq!(mail.text.as_deref(), Some("rich"));
}

#[test]
fn attachments_are_listed_and_fetched_by_number() {
    let raw = mixed(&[
        "\r\nhello",
        "Content-Type: application/octet-stream; name=\"a.bin\"\r\nContent-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=\"a.bin\"\r\n\r\nAAEC/w==",
        "Content-Type: text/csv\r\nContent-Disposition: attachment; filename=b.csv\r\n\r\nx,y\r\n1,2",
    ]);
    let mail = parse(&raw);
    assert_eq!(mail.text.as_deref(), Some("hello"));
    let [bin, csv] = mail.attachments.as_slice() else {
        panic!("two attachments, not {:?}", mail.attachments);
    };
    assert_eq!(attachment_content(&raw, bin.part).unwrap(), [0, 1, 2, 255]);
    assert_eq!((bin.size, bin.content_type.as_deref()), (4, Some("application/octet-stream")));
    assert_eq!(attachment_content(&raw, csv.part).unwrap(), b"x,y\r\n1,2");
    assert_eq!(csv.filename.as_deref(), Some("b.csv"));
    assert_eq!(attachment_content(&raw, 0), None, "the multipart itself has no content");
    assert_eq!(attachment_content(&raw, 99), None);
}

#[test]
fn inline_pictures_have_content_id() {
    let raw = multipart(
        "related",
        &[
            "Content-Type: text/html\r\n\r\n<img src=\"cid:logo@x\">",
            "Content-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Disposition: inline\r\n\
             Content-Transfer-Encoding: base64\r\n\r\niVBO",
        ],
    );
    let mail = parse(&raw);
    assert_eq!(mail.html.as_deref(), Some("<img src=\"cid:logo@x\">"));
    let picture = &mail.attachments[0];
    assert_eq!(picture.content_id.as_deref(), Some("logo@x"));
    assert_eq!(picture.disposition, Some(Disposition::Inline));
    assert_eq!(picture.filename, None);
}

#[test]
fn attached_messages_are_raw_attachments() {
    let inner = "Subject: =?utf-8?q?Pl=C3=A4ne/2026?=\r\nContent-Type: multipart/mixed; boundary=cc\r\n\r\n--cc\r\n\r\nin\r\n--cc--";
    let part = format!("Content-Type: message/rfc822\r\n\r\n{inner}");
    let raw = mixed(&["\r\nsee below", &part, "Content-Type: message/rfc822\r\n\r\nno header"]);
    let mail = parse(&raw);
    assert_eq!(mail.text.as_deref(), Some("see below"));
    assert_eq!(mail.attachments[0].filename.as_deref(), Some("Pläne-2026.eml"));
    assert_eq!(attachment_content(&raw, mail.attachments[0].part).unwrap(), inner.as_bytes());
    assert_eq!(mail.attachments[1].filename.as_deref(), Some("message.eml"));
}

#[test]
fn file_names_are_decoded_and_safe() {
    for (disposition, expected) in [
        ("attachment; filename=\"report.pdf\"", Some("report.pdf")),
        ("attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf", Some("Grüße.pdf")),
        ("attachment; filename*0*=utf-8''Gr%C3%BC;\r\n filename*1=\"sse.pdf\"", Some("Grüsse.pdf")),
        ("attachment; filename=\"=?utf-8?B?R3LDvMOfZS5wZGY=?=\"", Some("Grüße.pdf")),
        ("attachment;\r\n filename=\r\n \"fold.pdf\"", Some("fold.pdf")),
        ("attachment; filename\r\n =fold.pdf", Some("fold.pdf")),
        ("attachment; filename=\"two\r\n words.pdf\"", Some("two words.pdf")),
        ("attachment; filename=\"../../etc/passwd\"", Some("passwd")),
        ("attachment; filename=\"C:\\\\Temp\\\\a.txt\"", Some("a.txt")),
        ("attachment; filename=\"..\"", None),
        ("attachment", None),
    ] {
        let part = format!("Content-Type: application/pdf\r\nContent-Disposition: {disposition}\r\n\r\nx");
        let mail = parse(&mixed(&["\r\ntext", &part]));
        assert_eq!(mail.attachments[0].filename.as_deref(), expected, "{disposition:?}");
    }
}

#[test]
fn folded_boundary_parameter_loses_nothing() {
    for parameter in [
        "boundary=\"bb\"",
        "\r\n boundary=bb",
        "boundary=\r\n \"bb\"",
        "boundary\r\n =\"bb\"",
        "boundary =\r\n\tbb",
        "charset=x;\r\n\tBOUNDARY=\"bb\" (comment)",
        "boundary*=us-ascii''bb",
        "(comment) boundary=bb",
        "boundary*0=b; boundary*1=b",
    ] {
        let raw = format!("Content-Type: multipart/mixed; {parameter}\r\n\r\n--bb\r\n\r\nfound\r\n--bb--\r\n");
        assert_eq!(parse(raw.as_bytes()).text.as_deref(), Some("found"), "{parameter:?}");
    }
}

#[test]
fn boundary_with_inner_fold_is_found() {
    let raw = "Content-Type: multipart/mixed; boundary=\"b\r\n b\"\r\n\r\n--b b\r\n\r\nfound\r\n--b b--\r\n";
    assert_eq!(parse(raw.as_bytes()).text.as_deref(), Some("found"));
}

#[test]
fn truncated_multipart_yields_received_parts() {
    let whole = String::from_utf8(mixed(&[
        "Content-Type: text/plain\r\n\r\nhello world",
        "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQ=",
    ]))
    .unwrap();
    for end in 0..=whole.len() {
        let mail = parse(&whole.as_bytes()[..end]);
        let hello = whole.find("hello world").unwrap() + "hello world".len();
        if end >= hello {
            let text = mail.text.unwrap();
            assert!(text.starts_with("hello world"), "cut at {end}: {text:?}");
        }
    }
}

#[test]
fn multipart_without_parts_is_text() {
    let mail = parse(b"Content-Type: multipart/mixed; boundary=x\r\n\r\nno parts here\r\n");
    assert_eq!(mail.text.as_deref(), Some("no parts here"));
    let mail = parse(b"Content-Type: multipart/mixed\r\n\r\nno boundary\r\n");
    assert_eq!(mail.text.as_deref(), Some("no boundary"));
}

#[test]
fn unclosed_inner_multipart_ends_at_outer_boundary() {
    let raw = "Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: multipart/alternative; boundary=in\n\n\
               --in\n\nplain\n--out\nContent-Type: image/png\n\nx\n--out--\n";
    let mail = parse(raw.as_bytes());
    assert_eq!(mail.text.as_deref(), Some("plain"));
    assert_eq!(mail.attachments.len(), 1);
}

#[test]
fn nested_multiparts_with_equal_boundary_are_distinguished() {
    let raw = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative; boundary=b\n\n\
               --b\n\nplain\n--b--\n--b\nContent-Type: image/png\n\nx\n--b--\n";
    let mail = parse(raw.as_bytes());
    assert_eq!(mail.text.as_deref(), Some("plain"));
    assert_eq!(mail.attachments.len(), 1);
}

#[test]
fn texts_between_pictures_are_joined() {
    let mail = parse(&mixed(&[
        "Content-Type: text/plain\r\n\r\nabove",
        "Content-Type: image/png\r\nContent-Disposition: inline\r\n\r\nx",
        "Content-Type: text/plain\r\n\r\nbelow",
    ]));
    assert_eq!(mail.text.as_deref(), Some("above\nbelow"));
    assert_eq!(mail.attachments.len(), 1);
}

#[test]
fn a_list_footer_joins_text_and_html() {
    let mail =
        parse(&mixed(&["Content-Type: text/html\r\n\r\n<p>News</p>", "Content-Type: text/plain\r\n\r\n<list> footer"]));
    assert_eq!(mail.text.as_deref(), Some("News\n<list> footer"));
    assert!(mail.html.unwrap().contains("&lt;list&gt; footer"));
}

#[test]
fn html_alternative_with_pictures_is_html() {
    let related = "Content-Type: multipart/related; boundary=rr\r\n\r\n--rr\r\nContent-Type: text/html\r\n\r\n<b>rich</b>\r\n\
                   --rr\r\nContent-Type: image/png\r\nContent-ID: <i>\r\n\r\nx\r\n--rr--";
    let mail = parse(&multipart("alternative", &["Content-Type: text/plain\r\n\r\nplain", related]));
    assert_eq!(mail.text.as_deref(), Some("plain"));
    assert_eq!(mail.html.as_deref(), Some("<b>rich</b>"));
    assert_eq!(mail.attachments.len(), 1);
}

#[test]
fn digest_parts_are_messages() {
    let raw = multipart("digest", &["\r\nSubject: one\r\n\r\nx", "Content-Type: text/plain\r\n\r\nwords"]);
    let mail = parse(&raw);
    assert_eq!(mail.text.as_deref(), Some("words"));
    assert_eq!(mail.attachments[0].filename.as_deref(), Some("one.eml"));
}

#[test]
fn missing_semicolon_before_boundary_is_accepted() {
    let raw = "Content-Type: multipart/mixed\r\n\tboundary=\"bb\"\r\n\r\n--bb\r\n\r\nfound\r\n--bb--\r\n";
    assert_eq!(parse(raw.as_bytes()).text.as_deref(), Some("found"));
}

#[test]
fn invitations_are_attachments() {
    let mail = parse(&multipart(
        "alternative",
        &["Content-Type: text/plain\r\n\r\ncome", "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR"],
    ));
    assert_eq!(mail.text.as_deref(), Some("come"));
    assert_eq!(mail.html, None);
    assert_eq!(mail.attachments[0].content_type.as_deref(), Some("text/calendar"));
}

#[test]
fn parts_without_an_empty_line_before_the_boundary_are_parts() {
    let mail = parse(&mixed(&["Content-Type: text/plain", "Content-Type: text/plain\r\n\r\nsecond"]));
    assert_eq!(mail.text.as_deref(), Some("second"));
}

#[test]
fn empty_content_ids_are_omitted() {
    let long = "x".repeat(2_000);
    for (given, expected) in [
        ("<logo@a.b>", Some("logo@a.b")),
        ("logo", Some("logo")),
        ("<a b c>", None),
        ("<>", None),
        ("<gr\u{fc}n@a.b>", None),
        ("<a<b@c>", None),
        (long.as_str(), None),
    ] {
        let mail = parse(&mixed(&[&format!("Content-Type: image/png\r\nContent-ID: {given}\r\n\r\nx")]));
        assert_eq!(mail.attachments[0].content_id.as_deref(), expected, "{given}");
    }
}

#[test]
fn unusable_types_are_omitted() {
    for (given, expected) in [
        ("image/png", Some("image/png")),
        ("image/x=y", None),
        ("image", None),
        ("multipart/mixed", Some("application/octet-stream")),
    ] {
        let part = format!("Content-Type: {given}\r\nContent-Disposition: attachment; filename=a.bin\r\n\r\nx");
        assert_eq!(parse(&mixed(&[&part])).attachments[0].content_type.as_deref(), expected, "{given}");
    }
}

#[test]
fn too_deep_multipart_is_binary_attachment() {
    let mut raw = String::new();
    for level in 0..320 {
        write!(raw, "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n").unwrap();
    }
    raw.push_str("Content-Type: text/plain\r\n\r\ndeep\r\n");
    let mail = parse(raw.as_bytes());
    let types: Vec<_> = mail.attachments.iter().map(|attachment| attachment.content_type.as_deref()).collect();
    assert_eq!(types, [Some("application/octet-stream")]);
    let content = attachment_content(raw.as_bytes(), mail.attachments[0].part).unwrap();
    assert!(String::from_utf8(content).unwrap().contains("deep"));
}

#[test]
fn attachment_texts_are_bounded_without_losing_attachments() {
    let part = format!(
        "Content-Type: image/png\r\nContent-ID: <{}>\r\nContent-Disposition: attachment; filename={}\r\n\r\nx",
        "i".repeat(500),
        "n".repeat(250)
    );
    let mail = parse(&mixed(&vec![part.as_str(); 900]));
    assert_eq!(mail.attachments.len(), 900);
    let words = mail.attachments.iter().flat_map(|one| [&one.filename, &one.content_type, &one.content_id]);
    let bytes: usize = words.flatten().map(String::len).sum();
    assert!((60 * 1024..=64 * 1024).contains(&bytes), "{bytes}");
    assert_eq!(mail.attachments[0].filename.as_deref().map(str::len), Some(250));
    assert!(mail.attachments[899].size == 1 && mail.attachments[899].filename.is_none());
}
