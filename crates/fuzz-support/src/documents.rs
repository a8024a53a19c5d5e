//! Properties of the text of documents.

use inboxd_documents::{Document, DocumentLimits, TextFormat, extract};

/// Media types whose readers content alone does not choose.
const TYPES: [Option<&str>; 6] = [
    None,
    Some("text/calendar"),
    Some("text/vcard"),
    Some("text/csv"),
    Some("message/rfc822"),
    Some("text/html; charset=iso-2022-jp"),
];

/// Limits that the corpus reaches.
const LIMITS: DocumentLimits =
    DocumentLimits { max_chars: 20_000, max_unpacked_bytes: 8 * 1024 * 1024, max_entries: 200, max_pages: 50 };

/// Extracts text and Markdown with every reader that accepts the bytes.
pub fn documents(bytes: &[u8]) {
    for content_type in TYPES {
        for format in [TextFormat::Plain, TextFormat::Markdown] {
            let document = Document { content: bytes, content_type, filename: None };
            let Ok(read) = extract(&document, format, &LIMITS) else { continue };
            assert!(read.text.chars().count() <= LIMITS.max_chars, "text is bounded");
            assert!(!read.text.is_empty(), "text has words");
            let is_forbidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
            assert!(!read.text.contains(is_forbidden), "text has no control characters");
        }
    }
}
