//! Documents that are made to exhaust their reader end in text or a named refusal.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use inboxd_documents::{Document, DocumentError, DocumentLimits, DocumentText, TextFormat, extract};

/// Time within which each of these ends in a debug build.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn read(content: &[u8], filename: &str) -> Result<DocumentText, DocumentError> {
    let start = Instant::now();
    let document = Document { content, content_type: None, filename: Some(filename) };
    let read = extract(&document, TextFormat::Markdown, &DocumentLimits::default());
    assert!(start.elapsed() < TIME_LIMIT, "{filename}: {:?}", start.elapsed());
    read
}

/// Packs parts as a ZIP with deflated entries; `mimetype` is stored, as ODF demands.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let is_stored = *name == "mimetype";
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).unwrap();
        let packed = if is_stored { content.to_vec() } else { packed.finish().unwrap() };
        let method = if is_stored { b"\0\0" } else { b"\x08\0" };
        let sizes = [packed.len(), content.len()].map(|size| u32::try_from(size).unwrap().to_le_bytes()).concat();
        let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
        let start = u32::try_from(file.len()).unwrap().to_le_bytes();
        let common = [&b"\x14\0\0\0"[..], method, &[0; 8], &sizes, &name_length, b"\0\0"].concat();
        file.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), &packed].concat());
        let entry = [&b"PK\x01\x02\x14\0"[..], &common, &[0; 10], &start, name.as_bytes()].concat();
        directory.extend(entry);
    }
    let start = u32::try_from(file.len()).unwrap().to_le_bytes();
    file.extend(directory);
    file.extend([&b"PK\x05\x06"[..], &[0; 12], &start, &[0; 2]].concat());
    file
}

const TYPES: (&str, &[u8]) = ("[Content_Types].xml", b"<Types/>");

#[test]
fn zip_bombs_are_too_large() {
    let zeros = vec![b' '; 70 * 1024 * 1024];
    assert_eq!(read(&zip(&[TYPES, ("word/document.xml", &zeros)]), "bomb.docx"), Err(DocumentError::TooLarge));
    // Parts count together.
    let half = zeros.get(..40 * 1024 * 1024).unwrap();
    let parts =
        [TYPES, ("xl/workbook.xml", b"<w/>".as_slice()), ("xl/sharedStrings.xml", half), ("xl/styles.xml", half)];
    assert_eq!(read(&zip(&parts), "bomb.xlsx"), Err(DocumentError::TooLarge));
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&zeros).unwrap();
    assert_eq!(read(&packed.finish().unwrap(), "bomb.gz"), Err(DocumentError::TooLarge));
}

#[test]
fn archives_of_many_files_are_cut() {
    let names: Vec<String> = (0..10_050).map(|n| format!("{n}.txt")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    let listed = read(&zip(&parts), "many.zip").unwrap();
    assert!(listed.is_cut && listed.text.lines().count() == 10_002, "{}", listed.text.lines().count());
}

#[test]
fn archive_in_itself_is_listed_once() {
    let inner = zip(&[("a.zip", &zip(&[("a.txt", b"words")]))]);
    assert_eq!(
        read(&inner, "a.zip").unwrap().text,
        format!("# Files in the archive\n\n- a.zip ({} bytes)", inner_size())
    );
}

fn inner_size() -> usize {
    zip(&[("a.txt", b"words")]).len()
}

#[test]
fn deep_and_wide_markup_is_bounded() {
    let deep = format!("<a>{}", "<p><tbl><tr><tc>".repeat(200_000));
    assert_eq!(read(&zip(&[TYPES, ("word/document.xml", deep.as_bytes())]), "deep.docx"), Err(DocumentError::NoText));
    let laughs = format!(
        "<!DOCTYPE a [{}]><a><p><t>&l9;.</t></p></a>",
        (1..10)
            .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
            .collect::<Vec<_>>()
            .concat()
    );
    assert_eq!(read(&zip(&[TYPES, ("word/document.xml", laughs.as_bytes())]), "laughs.docx").unwrap().text, ".");
    let cell = r#"<table-cell number-columns-repeated="999999999"><p>x</p></table-cell>"#;
    let row = format!("<table-row number-rows-repeated=\"1048576\">{cell}{cell}{cell}</table-row>");
    let sheet = format!("<a><table name=\"s\">{}</table></a>", row.repeat(10_000));
    let parts =
        [("mimetype", b"application/vnd.oasis.opendocument.spreadsheet".as_slice()), ("content.xml", sheet.as_bytes())];
    let wide = read(&zip(&parts), "wide.ods").unwrap();
    assert!(wide.is_cut && wide.text.chars().count() <= 1_000_000);
    let groups = format!("{{\\rtf1 {}x", "{".repeat(1_000_000));
    assert_eq!(read(groups.as_bytes(), "deep.rtf").unwrap().text, "x");
    let references = format!("<a>{}</a>", "<row><c r=\"ZZZ1\" t=\"s\"><v>0</v></c></row>".repeat(100_000));
    let strings = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(100_000));
    let relation = b"<r><Relationship Id=\"r1\" Target=\"s.xml\"/></r>".as_slice();
    let parts = [
        TYPES,
        ("xl/workbook.xml", b"<w xmlns:r=\"r\"><sheet name=\"s\" r:id=\"r1\"/></w>".as_slice()),
        ("xl/_rels/workbook.xml.rels", relation),
        ("xl/s.xml", references.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
    ];
    let wide = read(&zip(&parts), "wide.xlsx").unwrap();
    assert!(wide.is_cut && wide.text.chars().count() <= 1_000_000);
}

/// Writes a PDF of objects in order, from 1; the first is the catalog.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    for (at, object) in objects.iter().enumerate() {
        file.extend(format!("{} 0 obj\n", at + 1).as_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    file.extend(format!("trailer << /Root 1 0 R /Size {} >>\n%%EOF", objects.len() + 1).as_bytes());
    file
}

fn stream(dict: &str, content: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content).unwrap();
    let packed = packed.finish().unwrap();
    let head = format!("<< {dict} /Filter /FlateDecode /Length {} >>\nstream\n", packed.len());
    [head.as_bytes(), &packed, b"\nendstream"].concat()
}

const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

#[test]
fn pdf_forms_in_themselves_end() {
    let resources = "/Resources << /Font << /F 4 0 R >> /XObject << /X 5 0 R >> >>";
    let page = format!("<< /Type /Page /Parent 2 0 R {resources} /Contents 6 0 R >>");
    let form = stream(&format!("/Type /XObject /Subtype /Form {resources}"), &b"/X Do ".repeat(50));
    let file = pdf(&[
        CATALOG.into(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        FONT.into(),
        form,
        stream("", b"BT /F 12 Tf (Words) Tj ET /X Do"),
    ]);
    assert_eq!(read(&file, "forms.pdf").unwrap().text, "Words");
}

#[test]
fn pdf_of_endless_pages_is_bounded() {
    let kids = (5..3005).map(|n| format!("{n} 0 R ")).collect::<Vec<_>>().concat();
    let page = "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents 4 0 R >>";
    let mut objects = vec![
        CATALOG.into(),
        format!("<< /Type /Pages /Kids [{kids} 2 0 R] /Count 99999999 >>").into_bytes(),
        FONT.into(),
        stream("", b"BT /F 12 Tf (Page) Tj ET"),
    ];
    objects.extend(vec![page.as_bytes().to_vec(); 3000]);
    let file = pdf(&objects);
    let pages = read(&file, "pages.pdf").unwrap();
    assert!(pages.is_cut && pages.text.matches("Page").count() == 2000, "{}", pages.text.len());
}

#[test]
fn damaged_pdf_never_panics() {
    let whole = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/invoice.pdf")).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        let _ = read(&damaged, "damaged.pdf");
        let _ = read(whole.get(..at).unwrap_or_default(), "cut.pdf");
    }
}
