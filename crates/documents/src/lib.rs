//! Text and Markdown of documents: PDF, office formats, RTF, tables, calendars, mails; archives are listed.
//!
//! This crate is pure: bytes in, text or a named refusal out. Every reader bounds what it reads and writes. The libraries
//! behind PDF have no bounds of time and memory: a process with limits calls [`extract`] (`inboxd-extractor`).

mod archive;
mod blocks;
mod content_lines;
mod detect;
mod document;
mod error;
mod mail;
mod office;
mod output;
mod pdf;
mod rtf;
mod table;
mod text;
mod xml;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use detect::DocumentKind;
pub use document::{Document, DocumentLimits, DocumentText, TextFormat};
pub use error::DocumentError;

use output::TextOutput;

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
