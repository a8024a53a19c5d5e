//! Text and Markdown of documents made by common programs (`samples/make.py`).

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::path::Path;

use inboxd_documents::{Document, DocumentError, DocumentLimits, DocumentText, TextFormat, extract};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)).unwrap()
}

fn read_bytes(content: &[u8], filename: &str, format: TextFormat) -> Result<DocumentText, DocumentError> {
    let document = Document { content, content_type: None, filename: Some(filename) };
    extract(&document, format, &DocumentLimits::default())
}

fn read(name: &str, format: TextFormat) -> Result<DocumentText, DocumentError> {
    read_bytes(&sample(name), name, format)
}

#[test]
fn samples_have_text() {
    let names = [
        "deck.pptx",
        "files.tar.gz",
        "files.zip",
        "groff.pdf",
        "invoice.pdf",
        "python.docx",
        "report.docx",
        "report.html",
        "report.odt",
        "report.rtf",
        "stock.ods",
        "table.xlsx",
    ];
    for name in names {
        for format in [TextFormat::Plain, TextFormat::Markdown] {
            let DocumentText { text, is_cut } = read(name, format).unwrap();
            assert!(!is_cut, "{name}");
            insta::assert_snapshot!(format!("{name}_{format:?}"), text);
        }
    }
}

#[test]
fn packed_and_restricted_pdf_have_text_of_plain_one() {
    let plain = read("invoice.pdf", TextFormat::Plain);
    assert_eq!(read("packed.pdf", TextFormat::Plain), plain);
    assert_eq!(read("restricted.pdf", TextFormat::Plain), plain);
}

#[test]
fn documents_without_text_are_refused_with_reason() {
    assert_eq!(read("locked.pdf", TextFormat::Plain), Err(DocumentError::Encrypted));
    assert_eq!(read("scan.pdf", TextFormat::Plain), Err(DocumentError::NoText));
    let cut = sample("report.docx").get(..4000).unwrap().to_vec();
    assert_eq!(read_bytes(&cut, "report.docx", TextFormat::Plain), Err(DocumentError::Malformed));
    for (content, expected) in [
        (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], DocumentError::Unsupported),
        (b"", DocumentError::NoText),
        (b"%PDF-1.7 nothing", DocumentError::Malformed),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 W\0o\0r\0d\0", DocumentError::Unsupported),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0", DocumentError::Encrypted),
    ] {
        assert_eq!(read_bytes(content, "file", TextFormat::Plain), Err(expected), "{content:?}");
    }
}

#[test]
fn text_formats_are_read_by_type_and_name() {
    let event = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\n\
        BEGIN:VEVENT\r\nSUMMARY:Lunch\\, late\r\nDTSTART;TZID=Europe/Berlin:20261201T123000\r\nDTEND:20261201T1\r\n 33000Z\r\n\
        ORGANIZER;CN=\"Anna: B\":mailto:anna@example.com\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let shown = "Event\n\n- Summary: Lunch, late\n- Start: 2026-12-01 12:30 (Europe/Berlin)\n- End: 2026-12-01 13:30 UTC\n\
        - Organizer: Anna: B <anna@example.com>";
    let card = "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=\n=BCller\n\
        item1.TEL;TYPE=CELL:+49 30 1\nADR:;;Street 1;Berlin;;10115;\nPHOTO;ENCODING=b:AAAA\nEND:VCARD\n";
    let mail = "From: Anna <a@example.com>\r\nTo: b@example.com\r\nSubject: Hi\r\nDate: Mon, 30 Nov 2026 09:00:00 +0000\r\n\
        \r\nWords.\r\n";
    for (name, content, expected) in [
        ("invite.ics", event.as_bytes(), format!("- Method: REQUEST\n\n{shown}")),
        ("a.vcf", card.as_bytes(), "Contact\n\n- Name: Müller\n- Telephone: +49 30 1\n- Address: Street 1, Berlin, 10115".into()),
        ("a.eml", mail.as_bytes(), "From: Anna <a@example.com>\nTo: b@example.com\nDate: Mon, 30 Nov 2026 09:00:00 +0000\nSubject: Hi\n\nWords.".into()),
        ("a.csv", b"a;\"b;c\"\r\n1;2", "a;\"b;c\"\n1;2".into()),
        ("a.txt", b"Gr\xfc\xdfe aus M\xfcnchen", "Grüße aus München".into()),
        ("a.txt", b"\xff\xfeH\0i\0", "Hi".into()),
        ("a.json", b"{\"a\": 1}\x07", "{\"a\": 1}".into()),
        ("a.rtf", br"{\rtf1\ansi\ansicpg1251 {\fonttbl{\f0 Arial;}}\'cf\'f0\'e8\'e2\'e5\'f2 \u8364? {\v hidden}{\*\x no}\par next}", "Привет €\n\nnext".into()),
    ] {
        assert_eq!(read_bytes(content, name, TextFormat::Plain).unwrap().text, expected, "{name}");
    }
    let table = read_bytes(b"a;\"b;c|d\"\r\n1;2", "a.csv", TextFormat::Markdown).unwrap().text;
    assert_eq!(table, "| a | b;c\\|d |\n| --- | --- |\n| 1 | 2 |");
}

#[test]
fn hidden_and_deleted_words_are_omitted() {
    let read = read("python.docx", TextFormat::Plain).unwrap().text;
    assert!(read.contains("Visible words.") && !read.contains("Ignore"), "{read}");
}
