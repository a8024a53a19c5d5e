//! Text and Markdown of documents: PDF, office formats, RTF, tables, calendars, mails; archives are listed.
//!
//! This crate is pure: bytes in, text or a named refusal out. Every reader bounds what it reads and writes. The libraries
//! behind PDF have no bounds of time and memory: a process with limits calls [`extract`] (`inboxd-extractor`).

mod archive;
mod blocks;
mod content_lines;
mod detect;
mod error;
mod mail;
mod office;
mod output;
mod pdf;
mod rtf;
mod table;
mod text;
mod xml;
mod zip;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use detect::DocumentKind;
pub use error::DocumentError;

use output::TextOutput;

/// Form of extracted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// Plain text; tabs separate the cells of tables.
    Plain,
    /// Markdown with headings, lists, links and tables (GitHub Flavored Markdown).
    Markdown,
}

/// Bounds on what is read from a document and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Characters of text; more are cut.
    pub max_chars: usize,
    /// Unpacked bytes of the parts of a packed document together.
    pub max_unpacked_bytes: usize,
    /// Files of an archive or an office document.
    pub max_entries: usize,
    /// Pages, slides and sheets; more are cut.
    pub max_pages: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self { max_chars: 1_000_000, max_unpacked_bytes: 64 * 1024 * 1024, max_entries: 10_000, max_pages: 2_000 }
    }
}

/// A document with what its sender says about it.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Content bytes.
    pub content: &'a [u8],
    /// Media type as sent.
    pub content_type: Option<&'a str>,
    /// File name as sent.
    pub filename: Option<&'a str>,
}

/// Text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentText {
    /// Text or Markdown, without control characters except line breaks and tabs.
    pub text: String,
    /// True if characters or pages beyond a limit are missing.
    pub is_cut: bool,
}

/// Extracts the text of a document.
///
/// # Errors
/// [`DocumentError`] names why there is none.
pub fn extract(
    document: &Document<'_>,
    format: TextFormat,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    let kind = DocumentKind::detect(document)?;
    let mut output = TextOutput::new(format, limits.max_chars);
    // Readers of foreign formats may panic on what their authors did not expect. The output is not used then.
    let read = catch_unwind(AssertUnwindSafe(|| read(kind, document, limits, &mut output)));
    read.unwrap_or(Err(DocumentError::Malformed))?;
    let text = output.finish();
    if text.text.is_empty() { Err(DocumentError::NoText) } else { Ok(text) }
}

fn read(
    kind: DocumentKind,
    document: &Document<'_>,
    limits: &DocumentLimits,
    output: &mut TextOutput,
) -> Result<(), DocumentError> {
    let content = document.content;
    match kind {
        DocumentKind::Archive => archive::read(content, limits, output)?,
        DocumentKind::Calendar => content_lines::read(content, content_lines::Vocabulary::Calendar, output)?,
        DocumentKind::ContactCard => content_lines::read(content, content_lines::Vocabulary::ContactCard, output)?,
        DocumentKind::Html => text::read_html(document, output),
        DocumentKind::Mail => mail::read(content, output),
        DocumentKind::OpenDocument => office::open_document::read(content, limits, output)?,
        DocumentKind::Pdf => pdf::read(content, limits, output)?,
        DocumentKind::Plain => text::read_plain(document, output),
        DocumentKind::Presentation => office::presentation::read(content, limits, output)?,
        DocumentKind::Rtf => rtf::read(content, output),
        DocumentKind::Spreadsheet => office::spreadsheet::read(content, limits, output)?,
        DocumentKind::Table => table::read(document, output),
        DocumentKind::WordProcessing => office::word::read(content, limits, output)?,
    }
    Ok(())
}
