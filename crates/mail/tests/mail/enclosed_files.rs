//! Files in `winmail.dat` and in text.

use inboxd_mail::{Disposition, ParsedMail, attachment_content, attachment_contents, parse};

/// Builds an attribute of a TNEF stream.
fn attribute(level: u8, tag: u32, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    let sum = data.iter().fold(0_u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    [&[level][..], &tag.to_le_bytes(), &length.to_le_bytes(), data, &sum.to_le_bytes()].concat()
}

/// Builds a TNEF stream of these attributes.
fn stream(attributes: &[Vec<u8>]) -> Vec<u8> {
    let codepage = attribute(1, 0x0006_9007, &[0xe2, 0x04, 0, 0, 0, 0, 0, 0]);
    [&[0x78, 0x9f, 0x3e, 0x22, 1, 0][..], &codepage, &attributes.concat()].concat()
}

/// Builds a property of variable length.
fn property(kind: u16, id: u16, value: &[u8]) -> Vec<u8> {
    let mut name = Vec::new();
    if id >= 0x8000 {
        name = [&[7; 16][..], &1_u32.to_le_bytes(), &6_u32.to_le_bytes(), b"n\0a\0m\0\0\0"].concat();
    }
    let length = u32::try_from(value.len()).unwrap().to_le_bytes();
    let padding = vec![0; value.len().next_multiple_of(4) - value.len()];
    [&kind.to_le_bytes()[..], &id.to_le_bytes(), &name, &1_u32.to_le_bytes(), &length, value, &padding].concat()
}

fn unicode(id: u16, value: &str) -> Vec<u8> {
    let units: Vec<u8> = value.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    property(0x1f, id, &units)
}

fn properties(list: &[Vec<u8>]) -> Vec<u8> {
    let flag = [0x0b, 0, 0x01, 0x0e, 1, 0, 0, 0].to_vec();
    let numbers = [&[0x03, 0x10, 0x02, 0x0e][..], &2_u32.to_le_bytes(), &[0; 8]].concat();
    let count = u32::try_from(list.len() + 2).unwrap();
    [&count.to_le_bytes()[..], &flag, &numbers, &list.concat()].concat()
}

fn file(name: &[u8], content: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let mut all = attribute(2, 0x0006_9002, &[1, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]);
    all.extend(attribute(2, 0x0001_8010, &[name, b"\0"].concat()));
    if !content.is_empty() {
        all.extend(attribute(2, 0x0006_800f, content));
    }
    if !more.is_empty() {
        all.extend(attribute(2, 0x0006_9005, &properties(more)));
    }
    all
}

const MESSAGE: [u8; 16] = [7, 3, 2, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];
const STORAGE: [u8; 16] = [0x0b, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];

/// Builds a message with a text and a `winmail.dat`.
fn mail(text: &str, winmail: &[u8]) -> Vec<u8> {
    let bytes = winmail.iter().fold(String::new(), |all, byte| all + &format!("={byte:02X}=\r\n"));
    format!(
        "Content-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\nContent-Type: text/plain\r\n\r\n{text}\r\n--bb\r\n\
         Content-Type: application/ms-tnef; name=\"winmail.dat\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
         {bytes}\r\n--bb--\r\n"
    )
    .into_bytes()
}

/// Returns name, type and content of each attachment after the first `skip`.
fn files(raw: &[u8], mail: &ParsedMail, skip: usize) -> Vec<(String, String, Vec<u8>)> {
    let files = mail.attachments.iter().skip(skip).map(|file| {
        let content = attachment_content(raw, file.part).unwrap();
        assert_eq!(content.len() as u64, file.size);
        (file.filename.clone().unwrap_or_default(), file.content_type.clone().unwrap_or_default(), content)
    });
    files.collect()
}

fn expected(list: &[(&str, &str, &[u8])]) -> Vec<(String, String, Vec<u8>)> {
    list.iter().map(|(name, media, content)| ((*name).to_owned(), (*media).to_owned(), content.to_vec())).collect()
}

#[test]
fn winmail_files_are_attachments_beside_it() {
    let winmail = stream(&[
        attribute(1, 0x0002_800c, b"not this text\0"),
        file(b"REPORT~1.PDF", b"%PDF", &[unicode(0x3707, "R\u{e9}port 2026 \u{4f60}.pdf"), unicode(0x8001, "x")]),
        file(b"caf\xe9.txt", b"words", &[]),
        file(b"../../etc/passwd", b"root", &[]),
        file(
            b"IMG.BIN",
            b"",
            &[property(0x102, 0x3701, b"GIF89a"), unicode(0x370e, "Image/GIF"), unicode(0x3712, "<a@b>")],
        ),
        file(b"empty.txt", b"", &[]),
    ]);
    let raw = mail("Hello", &winmail);
    let mail = parse(&raw);
    assert_eq!(mail.text.as_deref(), Some("Hello"));
    let parts: Vec<usize> = mail.attachments.iter().map(|file| file.part).collect();
    assert_eq!(parts, [2, 3, 4, 5, 6]);
    assert_eq!(mail.attachments[0].filename.as_deref(), Some("winmail.dat"));
    assert_eq!(attachment_content(&raw, 2).unwrap(), winmail);
    assert_eq!(
        files(&raw, &mail, 1),
        expected(&[
            ("R\u{e9}port 2026 \u{4f60}.pdf", "application/pdf", b"%PDF"),
            ("caf\u{e9}.txt", "text/plain", b"words"),
            ("passwd", "", b"root"),
            ("IMG.BIN", "image/gif", b"GIF89a"),
        ])
    );
    assert_eq!(mail.attachments[4].content_id.as_deref(), Some("a@b"));
    assert_eq!(mail.attachments[4].disposition, Some(Disposition::Attachment));
    assert_eq!(attachment_content(&raw, 7), None);
}

#[test]
fn winmail_messages_and_documents_are_opened() {
    let inner = stream(&[file(b"inner.txt", b"deep", &[])]);
    let winmail = stream(&[
        file(b"Mail", b"", &[property(0x0d, 0x3701, &[&MESSAGE[..], &inner].concat())]),
        file(b"Sheet", b"", &[property(0x0d, 0x3701, &[&STORAGE[..], b"OLE"].concat())]),
        file(b"last.txt", b"x", &[]),
    ]);
    let raw = mail("Hello", &winmail);
    assert_eq!(
        files(&raw, &parse(&raw), 1),
        expected(&[
            ("Mail", "application/ms-tnef", &inner),
            ("Sheet", "", b"OLE"),
            ("last.txt", "text/plain", b"x"),
            ("inner.txt", "text/plain", b"deep"),
        ])
    );
}

#[test]
fn message_with_only_winmail_has_its_content() {
    let body = |list: &[Vec<u8>]| stream(&[attribute(1, 0x0006_9003, &properties(list))]);
    for (winmail, text, html) in [
        (stream(&[attribute(1, 0x0002_800c, b"caf\xe9\r\nBo\0")]), Some("caf\u{e9}\nBo"), None),
        (body(&[unicode(0x1000, "Gr\u{fc}\u{df}e\r\nBo")]), Some("Gr\u{fc}\u{df}e\nBo"), None),
        (body(&[property(0x1e, 0x1000, b"caf\xe9\0")]), Some("caf\u{e9}"), None),
        (
            stream(&[
                attribute(1, 0x0002_800c, b"kept\0"),
                attribute(1, 0x0006_9003, &properties(&[property(0x102, 0x1000, b"of an odd kind")])),
            ]),
            Some("kept"),
            None,
        ),
        (body(&[property(0x102, 0x1013, b"<p>caf\xe9")]), Some("caf\u{e9}"), Some("<p>caf\u{e9}")),
        (body(&[unicode(0x1013, "<p>a"), unicode(0x1000, "b")]), Some("b"), Some("<p>a")),
        (stream(&[]), Some(" "), None),
        (b"nothing of the kind".to_vec(), Some(" "), None),
    ] {
        let mail = parse(&mail(" ", &winmail));
        assert_eq!((mail.text.as_deref(), mail.html.as_deref()), (text, html));
        assert_eq!(mail.attachments.len(), 1);
    }
}

#[test]
fn truncated_winmail_yields_complete_files() {
    let winmail = stream(&[file(b"a.txt", b"first", &[]), file(b"b.txt", b"second", &[unicode(0x3707, "long.txt")])]);
    for end in 0..=winmail.len() {
        let raw = mail("Hello", &winmail[..end]);
        let read = parse(&raw);
        assert!((1..=3).contains(&read.attachments.len()), "{end}");
        assert_eq!(attachment_content(&raw, 2).unwrap(), &winmail[..end]);
        for (_, _, content) in files(&raw, &read, 1) {
            assert!(content == b"first" || content == b"second", "{end}");
        }
    }
}

#[test]
fn uuencoded_files_become_attachments_and_leave_text() {
    let raw =
        b"Subject: x\n\nSee below.\nbegin 644 a b.txt\n%:&5L;&\\\n`\nend\nBye\nbegin 755 ../c.sh\n#0V%T\n`\nend\n";
    let mail = parse(raw);
    assert_eq!(mail.text.as_deref(), Some("See below.\nBye"));
    assert_eq!(files(raw, &mail, 0), expected(&[("a b.txt", "text/plain", b"hello"), ("c.sh", "", b"Cat")]));
    let unfinished = b"Subject: x\n\nbegin 644 a.txt\n%:&5L;&\\\n";
    assert_eq!(parse(unfinished).text.as_deref(), Some("begin 644 a.txt\n%:&5L;&\\"));
    assert!(parse(unfinished).attachments.is_empty());
}

#[test]
fn uuencoded_parts_are_decoded() {
    for encoding in ["x-uuencode", "uuencode", "X-UUE"] {
        let raw = format!(
            "Content-Type: image/gif; name=a.gif\r\nContent-Transfer-Encoding: {encoding}\r\n\r\nbegin 644 a.gif\r\n#0V%T\r\n`\r\nend\r\n"
        );
        let mail = parse(raw.as_bytes());
        assert_eq!(files(raw.as_bytes(), &mail, 0), expected(&[("a.gif", "image/gif", b"Cat")]), "{encoding}");
    }
}

#[test]
fn messages_with_cr_line_endings_lose_no_files() {
    let raw = b"Subject: x\r\rSee below.\rbegin 644 a.txt\r%:&5L;&\\\r`\rend\rBye";
    let mail = parse(raw);
    assert_eq!(mail.text.as_deref(), Some("See below.\nBye"));
    assert_eq!(files(raw, &mail, 0), expected(&[("a.txt", "text/plain", b"hello")]));
    for (encoding, encoded, content) in [
        ("quoted-printable", "Gr=\r=FC=DFe", &b"Gr\xfc\xdfe"[..]),
        ("x-uuencode", "begin 644 a\r%:&5L;&\\\r`\rend", b"hello"),
        ("base64", "aGVs\rbG8=\r_____\rA list", b"hello"),
        ("binary", "a\rb", b"a\rb"),
    ] {
        let raw = format!("Content-Type: application/x-a; name=a\rContent-Transfer-Encoding: {encoding}\r\r{encoded}");
        assert_eq!(files(raw.as_bytes(), &parse(raw.as_bytes()), 0), expected(&[("a", "application/x-a", content)]));
    }
}

#[test]
fn attachment_contents_equal_single_reads() {
    let winmail = stream(&[file(b"a.txt", b"first", &[]), file(b"b.txt", b"second", &[])]);
    let raw = [&mail("Hello\r\nbegin 644 c.txt\r\n%:&5L;&\\\r\n`\r\nend", &winmail)[..], b"behind"].concat();
    let each: Vec<Option<Vec<u8>>> = (0..8).map(|part| attachment_content(&raw, part)).collect();
    let read = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let words = ["hello", "first", "second"].map(|word| Some(word.to_owned()));
    assert_eq!(each[3..6].iter().map(read).collect::<Vec<_>>(), words);
    assert_eq!((&each[0], &each[6], &each[7]), (&None, &None, &None));
    for numbers in [&[][..], &[3], &[5, 3, 4, 3], &[2, 7, 0, 1], &[7, 6, 5, 4, 3, 2, 1, 0], &[usize::MAX, 4]] {
        let expected: Vec<_> = numbers.iter().map(|number| each.get(*number).cloned().flatten()).collect();
        assert_eq!(attachment_contents(&raw, numbers), expected, "{numbers:?}");
    }
}
