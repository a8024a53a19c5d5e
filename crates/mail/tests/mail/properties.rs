//! Properties of every message.

use inboxd_mail::{
    AttachmentPart, Composition, Disposition, EmailAddress, HeaderAddress, Mailbox, ParsedMail, attachment_content,
    attachment_contents, compose, extract_html, extract_text, forward_subject, parse, text_from_html,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

mod extraction;

/// Returns a message with most features, as a base for mutations.
fn sample() -> Vec<u8> {
    let part = |name: &str, cid: Option<&str>| AttachmentPart {
        filename: Some(name.to_owned()),
        content_type: Some("image/png; name=\"x\"".to_owned()),
        disposition: if cid.is_some() { Disposition::Inline } else { Disposition::Attachment },
        content_id: cid.map(str::to_owned),
        content: (0..200).collect(),
    };
    compose(&Composition {
        to: vec!["\"Müller, Anna\" <anna@example.org>".parse().unwrap()],
        subject: Some("Grüße aus München".repeat(5)),
        text: Some("Ja.\n\nOn 20 Nov 2026, Anna wrote:\n> Größe?\n".to_owned()),
        html: Some("<p>Ja.</p><blockquote type=\"cite\">Gr&ouml;&szlig;e?</blockquote>".to_owned()),
        attachments: vec![part("Grüße.png", None), part("a.png", Some("a@b"))],
        references: vec!["<a@b>".to_owned(), "<c@d>".to_owned()],
        ..Composition::new("Scout <scout@inboxd.example>".parse().unwrap(), "<1@b>".to_owned())
    })
    .unwrap()
}

/// Generates fragments of mail syntax in random order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"\t",
        b"--",
        b"--b",
        b"--b--",
        b"\r\n--b\r\n",
        b"\n--b--\n",
        b":",
        b";",
        b"=",
        b"\"",
        b"<",
        b">",
        b"@",
        b",",
        b"(",
        b")",
        b"\\",
        b"%",
        b"'",
        b"*",
        b"\0",
        b"\xff",
        b"\xc3",
        b"a",
        b"0",
        b"From",
        b"To",
        b"Subject",
        b"Date: Mon, 5 Jan",
        b"Content-Type: ",
        b"multipart/mixed; boundary=b",
        b"multipart/alternative; boundary=b",
        b"message/rfc822",
        b"multipart/",
        b"application/x=y",
        b"Content-ID: <",
        b"Content-ID: ",
        b"text/html",
        b"text/plain; charset=",
        b"utf-8",
        b"utf-7",
        b"iso-2022-jp",
        b"utf-16",
        b"Content-Transfer-Encoding: ",
        b"base64",
        b"quoted-printable",
        b"Content-Disposition: attachment; filename*0*=",
        b"filename=",
        b"=?utf-8?q?",
        b"=?x?b?",
        b"?=",
        b"=C3",
        b"<div class=gmail_quote>",
        b"</div>",
        b"<blockquote>",
        b"<!--",
        b"-->",
        b"&#",
        b"&amp;",
        b"<a href=\"",
        b"References: <a@b>",
        b"Message-ID: <",
        b"Received: ",
        b"application/ms-tnef; name=winmail.dat",
        b"\x78\x9f\x3e\x22\x01\x00",
        b"\x02\x02\x90\x06\x00\x00\x00\x00\x00\x00\x00",
        b"\x02\x0f\x80\x06\x00\x01\x00\x00\x00x\x00\x00",
        b"\x01\x03\x90\x06\x00\x0c\x00\x00\x00\x01\x00\x00\x00",
        b"\nbegin 644 a.txt\n#0V%T\n`\nend\n",
        b"x-uuencode",
        b"format=flowed; delsp=yes",
        b"\x1b$B",
        b"\x0e",
        b"~{",
        b"+AOk-",
        b"multipart/encrypted; boundary=b",
        b"multipart/related; start=\"<a>\"; boundary=b",
    ];
    vec(select(pieces), 0..120).prop_map(|pieces| pieces.concat())
}

/// Verifies the properties of a parsed message.
fn check(raw: &[u8]) {
    let mail = parse(raw);
    let texts = [&mail.text, &mail.html, &mail.extracted_text, &mail.extracted_html, &mail.preview, &mail.subject];
    for text in texts.into_iter().flatten() {
        assert!(!text.contains('\0'));
    }
    assert!(!mail.text.as_deref().unwrap_or_default().contains('\r'));
    for address in mail.from.iter().chain(&mail.to).chain(&mail.cc).chain(&mail.reply_to).chain(&mail.sender) {
        assert!(!address.to_string().contains(char::is_control), "{address:?}");
    }
    for (name, value) in &mail.headers {
        assert!(!name.contains(char::is_control) && !value.contains(char::is_control), "{name} {value}");
    }
    for attachment in &mail.attachments {
        let content = attachment_content(raw, attachment.part).unwrap();
        assert_eq!(content.len() as u64, attachment.size);
        if let Some(name) = &attachment.filename {
            assert!(
                !name.is_empty()
                    && name.len() <= 255
                    && !name.contains(['/', '\\'])
                    && !name.contains(char::is_control)
            );
        }
    }
    assert!(mail.attachments.len() <= 1000 && mail.headers.len() <= 500 && mail.references.len() <= 100);
    check_forward(raw, &mail);
}

/// Verifies that any received message can be replied to and forwarded: the composer accepts all parser output.
fn check_forward(raw: &[u8], mail: &ParsedMail) {
    let numbers: Vec<usize> = mail.attachments.iter().map(|attachment| attachment.part).collect();
    let contents = attachment_contents(raw, &numbers);
    let attachments = mail.attachments.iter().zip(contents).map(|(attachment, content)| AttachmentPart {
        filename: attachment.filename.clone(),
        content_type: attachment.content_type.clone(),
        disposition: attachment.disposition.unwrap_or(Disposition::Attachment),
        content_id: attachment.content_id.clone(),
        content: content.unwrap(),
    });
    let mailbox =
        |address: &HeaderAddress| Some(Mailbox { name: address.name.clone(), address: address.address.parse().ok()? });
    let forward = Composition {
        to: mail.from.iter().chain(&mail.to).chain(&mail.cc).chain(&mail.reply_to).filter_map(mailbox).collect(),
        subject: Some(forward_subject(mail.subject.as_deref())),
        text: mail.text.clone(),
        html: mail.html.clone(),
        attachments: attachments.collect(),
        in_reply_to: mail.message_id.clone(),
        references: mail.references.clone(),
        ..Composition::new("scout@inboxd.example".parse().unwrap(), "<1@b>".to_owned())
    };
    let written = compose(&forward).unwrap();
    // The content of a file inside a part is found again.
    assert!(parse(&written).attachments.len() >= forward.attachments.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_a_message(raw in vec(any::<u8>(), 0..2000)) {
        check(&raw);
    }

    #[test]
    fn arbitrary_syntax_is_a_message(raw in fragments()) {
        check(&raw);
    }

    #[test]
    fn mutated_message_is_a_message(edits in vec((any::<Index>(), 0_usize..40, vec(any::<u8>(), 0..8)), 1..12)) {
        let mut raw = sample();
        for (at, remove, insert) in edits {
            let start = at.index(raw.len() + 1);
            let end = (start + remove).min(raw.len());
            raw.splice(start..end, insert);
        }
        check(&raw);
    }

    #[test]
    fn message_spliced_with_syntax_is_a_message(at in any::<Index>(), piece in fragments()) {
        let mut raw = sample();
        let start = at.index(raw.len());
        raw.splice(start..start, piece);
        check(&raw);
    }

    #[test]
    fn any_part_can_be_forwarded(
        media in "[ -~]{0,20}|[a-z]{1,9}/[!-~]{0,140}|multipart/[a-z]{0,9}(; boundary=[a-z ]{0,9})?",
        id in "<?(\\PC|[ -~]){0,40}>?|[a-z]{499,502}",
        name in "\\PC{0,40}",
    ) {
        let field = format!("Content-Type: {media}\r\nContent-ID: {id}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n");
        check(format!("{field}\r\nx").as_bytes());
        check(format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{field}\r\nx\r\n--b--\r\n").as_bytes());
    }

    #[test]
    fn composed_message_parses_back(
        name in option::of("[\\PC&&[^\u{ad}\u{34f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}]]{1,60}"),
        local in "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]{1,30}",
        subject in "\\PC{1,200}",
        text in option::of("(\\PC|\n|\t){0,400}"),
        html in option::of("(\\PC|\n|\t){0,400}"),
        files in vec(("[\\PC&&[^:<>\"|?*/\\\\\u{2028}\u{2029}\u{ad}\u{34f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}]]{1,60}", vec(any::<u8>(), 0..300), any::<bool>()), 0..4),
    ) {
        let address: EmailAddress = format!("{local}@Example.org").parse().unwrap();
        let name = name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|name| !name.is_empty());
        let subject = subject.trim().to_owned();
        let mail = Composition {
            to: vec![Mailbox { name: name.clone(), address: address.clone() }],
            subject: Some(subject.clone()),
            text: text.clone(),
            html: html.clone(),
            attachments: files.iter().map(|(filename, content, inline)| AttachmentPart {
                filename: Some(filename.clone()),
                content_type: None,
                disposition: if *inline { Disposition::Inline } else { Disposition::Attachment },
                content_id: inline.then(|| "a@b".to_owned()),
                content: content.clone(),
            }).collect(),
            ..Composition::new("scout@inboxd.example".parse().unwrap(), "<1@b>".to_owned())
        };
        let raw = compose(&mail).unwrap();
        prop_assert!(raw.is_ascii());
        prop_assert!(raw.split(|b| *b == b'\n').all(|line| line.len() <= 999));
        prop_assert!(!raw.windows(2).any(|pair| (pair[0] == b'\r') != (pair[1] == b'\n')));
        let read = parse(&raw);
        prop_assert_eq!(&read.to[0].name, &name);
        prop_assert_eq!(&read.to[0].address, address.as_str());
        prop_assert_eq!(read.subject.unwrap_or_default(), subject);
        match &text {
            Some(text) if !text.trim().is_empty() || html.is_none() => prop_assert_eq!(read.text.as_ref(), Some(text)),
            _ => {}
        }
        prop_assert_eq!(read.html.as_ref(), html.as_ref());
        prop_assert_eq!(read.attachments.len(), files.len());
        for (filename, content, inline) in &files {
            let disposition = if *inline { Disposition::Inline } else { Disposition::Attachment };
            let trimmed = filename.trim().trim_end_matches(|c: char| c == '.' || c.is_whitespace());
            let same = read.attachments.iter().any(|found| {
                found.disposition == Some(disposition)
                    && (trimmed.is_empty() || found.filename.as_deref() == Some(trimmed))
                    && attachment_content(&raw, found.part).as_ref() == Some(content)
            });
            prop_assert!(same, "{:?} is not among {:?}", filename, read.attachments);
        }
    }

    #[test]
    fn any_charset_is_decoded(
        name in select(vec![
            "utf-8", "utf-7", "utf-16", "utf-16le", "utf-16be", "iso-2022-jp", "shift_jis", "euc-jp", "euc-kr", "gb18030", "gbk",
            "gb2312", "big5", "iso-8859-2", "iso-8859-8", "iso-8859-15", "windows-1251", "windows-874", "koi8-u", "ibm866", "850",
            "macintosh", "x-mac-cyrillic", "x-user-defined", "replacement", "tis-620", "hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "utf-32", "cp437", "us-ascii",
            "nonsense",
        ]),
        body in vec(any::<u8>(), 0..40),
    ) {
        check(&[format!("Content-Type: text/plain; charset={name}\r\n\r\n").as_bytes(), &body].concat());
        let hex = body.iter().fold(String::new(), |hex, b| hex + &format!("={b:02X}"));
        check(format!("Subject: =?{name}?q?{hex}?=\r\nFrom: =?{name}?q?{hex}?= <a@b.c>\r\n\r\n").as_bytes());
    }

    #[test]
    fn any_tnef_stream_is_accepted(
        attributes in vec((1_u8..3, select(vec![0x0006_9002_u32, 0x0001_8010, 0x0006_800f, 0x0006_9005, 0x0006_9003, 0x0002_800c, 0x0006_9007]), vec(any::<u8>(), 0..40), any::<bool>()), 0..12),
    ) {
        let mut raw = b"Content-Type: application/ms-tnef\r\n\r\n\x78\x9f\x3e\x22\x01\x00".to_vec();
        for (level, tag, data, is_object) in attributes {
            let property = [&b"\x01\0\0\0\x0d\0\x01\x37\x01\0\0\0"[..], &u32::try_from(data.len()).unwrap().to_le_bytes()].concat();
            let data = if is_object { [property, data].concat() } else { data };
            raw.push(level);
            raw.extend(tag.to_le_bytes());
            raw.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            raw.extend(&data);
            raw.extend([0, 0]);
        }
        check(&raw);
    }

    #[test]
    fn any_text_is_accepted_as_html(html in "(\\PC|<|>|&|\"|'|=|/|!|-|\n|div|style|blockquote type=cite| ){0,200}") {
        let text = text_from_html(&html);
        prop_assert!(!text.contains('\0'));
        prop_assert!(extract_html(&html).len() <= html.len());
    }

    #[test]
    fn addresses_survive_round_trip(text in "\\PC{1,40}@[a-z0-9.-]{1,20}") {
        if let Ok(address) = text.parse::<EmailAddress>() {
            prop_assert_eq!(&address.to_string().parse::<EmailAddress>().unwrap(), &address);
            prop_assert_eq!(address.normalized().parse::<EmailAddress>().unwrap(), address, "as it is stored");
        }
    }

    #[test]
    fn mailboxes_survive_round_trip(name in "[\\PC&&[^<>\",;]]{0,40}") {
        if let Ok(mailbox) = format!("{name} <a@b.c>").parse::<Mailbox>() {
            prop_assert_eq!(mailbox.to_string().parse::<Mailbox>().unwrap(), mailbox);
        }
    }
}
