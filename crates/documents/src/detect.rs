//! Detection of the format by content first, then by media type and file name.

use crate::{Document, DocumentError};

/// Format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// ZIP, tar or gzip, which is listed.
    Archive,
    /// iCalendar (RFC 5545).
    Calendar,
    /// vCard (RFC 6350 and earlier).
    ContactCard,
    /// HTML.
    Html,
    /// A mail (RFC 5322).
    Mail,
    /// Text, spreadsheet or presentation of ODF 1.3.
    OpenDocument,
    /// PDF.
    Pdf,
    /// Text, and formats that are text, such as JSON.
    Plain,
    /// PPTX (ECMA-376).
    Presentation,
    /// RTF 1.9.
    Rtf,
    /// XLSX (ECMA-376).
    Spreadsheet,
    /// CSV (RFC 4180) and its relatives.
    Table,
    /// DOCX (ECMA-376).
    WordProcessing,
}

/// Bytes in which PDF readers accept the mark of a PDF (ISO 32000, annex H.3.4).
const PDF_MARK_WITHIN: usize = 1024;
/// Bytes that are searched for the kind of an office document or for a binary file.
const SAMPLE_BYTES: usize = 4096;

/// Media types and file extensions with their format.
const NAMES: &[(DocumentKind, &[&str], &[&str])] = &[
    (DocumentKind::Calendar, &["text/calendar", "application/ics"], &["ics", "ical", "ifb"]),
    (DocumentKind::ContactCard, &["text/vcard", "text/x-vcard", "text/directory"], &["vcf", "vcard"]),
    (DocumentKind::Html, &["text/html", "application/xhtml+xml"], &["html", "htm", "xhtml"]),
    (DocumentKind::Mail, &["message/rfc822", "message/global"], &["eml"]),
    (
        DocumentKind::Table,
        &["text/csv", "text/tab-separated-values", "application/csv", "text/x-csv", "text/comma-separated-values"],
        &["csv", "tsv", "tab"],
    ),
    (DocumentKind::Rtf, &["application/rtf", "text/rtf"], &["rtf"]),
    (
        DocumentKind::Plain,
        &["application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml"],
        &["txt", "text", "md", "markdown", "json", "xml", "yaml", "yml", "toml", "log", "ini", "diff", "patch"],
    ),
];

impl DocumentKind {
    /// Returns the format of a document.
    ///
    /// # Errors
    /// [`DocumentError::Unsupported`], [`DocumentError::Encrypted`], [`DocumentError::NoText`] for an empty file.
    pub fn detect(document: &Document<'_>) -> Result<Self, DocumentError> {
        let content = document.content;
        if content.is_empty() {
            return Err(DocumentError::NoText);
        }
        let start = content.get(..PDF_MARK_WITHIN).unwrap_or(content);
        if start.windows(5).any(|window| window == b"%PDF-") {
            return Ok(Self::Pdf);
        }
        if content.starts_with(b"{\\rtf") {
            return Ok(Self::Rtf);
        }
        if content.starts_with(b"PK\x03\x04") || content.starts_with(b"PK\x05\x06") {
            return Ok(packed_kind(content));
        }
        if content.starts_with(b"\x1f\x8b") || content.get(257..262) == Some(b"ustar") {
            return Ok(Self::Archive);
        }
        if content.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
            return Err(compound_refusal(content));
        }
        let named = by_name(document);
        if is_binary(content) {
            return Err(DocumentError::Unsupported);
        }
        let is_text = document.content_type.is_some_and(|kind| media_type(kind).starts_with("text/"));
        named.or(is_text.then_some(Self::Plain)).or_else(|| by_start(content)).ok_or(DocumentError::Unsupported)
    }
}

/// Returns the kind of a ZIP by the names in it, which need not be packed in a fixed order.
fn packed_kind(content: &[u8]) -> DocumentKind {
    let has = |name: &[u8]| content.windows(name.len()).any(|window| window == name);
    if content.get(30..).is_some_and(|rest| rest.starts_with(b"mimetypeapplication/vnd.oasis.opendocument")) {
        DocumentKind::OpenDocument
    } else if !has(b"[Content_Types].xml") {
        DocumentKind::Archive
    } else if has(b"word/document") {
        DocumentKind::WordProcessing
    } else if has(b"xl/workbook") {
        DocumentKind::Spreadsheet
    } else if has(b"ppt/presentation") {
        DocumentKind::Presentation
    } else {
        DocumentKind::Archive
    }
}

/// Office programs wrap an encrypted document in a compound file with a stream `EncryptedPackage` (MS-OFFCRYPTO).
fn compound_refusal(content: &[u8]) -> DocumentError {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let is_encrypted = content.windows(name.len()).any(|window| window == name);
    if is_encrypted { DocumentError::Encrypted } else { DocumentError::Unsupported }
}

/// Returns a media type in lower case without parameters.
pub(crate) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn by_name(document: &Document<'_>) -> Option<DocumentKind> {
    let kind = document.content_type.map(media_type).unwrap_or_default();
    let extension = document.filename.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    let by_type = NAMES.iter().find(|(_, types, _)| types.contains(&kind.as_str()));
    let by_type = by_type.map(|(kind, _, _)| *kind);
    let by_suffix = (kind.ends_with("+json") || kind.ends_with("+xml")).then_some(DocumentKind::Plain);
    by_type.or(by_suffix).or_else(|| {
        let extension = extension?;
        NAMES.iter().find(|(_, _, extensions)| extensions.contains(&extension.as_str())).map(|(kind, _, _)| *kind)
    })
}

fn by_start(content: &[u8]) -> Option<DocumentKind> {
    let start = String::from_utf8_lossy(content.get(..256).unwrap_or(content)).trim_start().to_ascii_lowercase();
    if start.starts_with("begin:vcalendar") {
        Some(DocumentKind::Calendar)
    } else if start.starts_with("begin:vcard") {
        Some(DocumentKind::ContactCard)
    } else if start.starts_with("<!doctype html") || start.starts_with("<html") {
        Some(DocumentKind::Html)
    } else {
        None
    }
}

/// Returns true for content with NUL bytes that is not UTF-16.
fn is_binary(content: &[u8]) -> bool {
    let sample = content.get(..SAMPLE_BYTES).unwrap_or(content);
    let has_mark = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    !has_mark && sample.contains(&0)
}
