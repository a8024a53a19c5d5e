//! The child: reads a document from standard input and writes its text to standard output.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use inboxd_core::AttachmentTextRefusal;
use inboxd_core::ports::{AttachedDocument, ExtractedText, TextFormat};
use inboxd_documents::{Document, DocumentError, DocumentLimits, DocumentText};

use crate::limits::limit_process;
use crate::message::{MAX_TEXT_CHARS, read_request, response};

/// Runs the command `extract-text` of the program. It must run before other threads start, which no limit would bind.
#[must_use]
pub fn run_child() -> ExitCode {
    if let Err(error) = limit_process() {
        // The parent reads no standard error, but a person who runs the command by hand does.
        let _ = writeln!(std::io::stderr(), "extract-text: limits cannot be set: {error}");
        return ExitCode::FAILURE;
    }
    let mut request = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut request);
    let Some((document, format)) = read.ok().and_then(|_| read_request(&request)) else {
        return ExitCode::FAILURE;
    };
    drop(request);
    let response = response(extract(&document, format));
    let mut output = std::io::stdout().lock();
    match output.write_all(&response).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn extract(document: &AttachedDocument, format: TextFormat) -> Result<ExtractedText, AttachmentTextRefusal> {
    let AttachedDocument { content, content_type, filename } = document;
    let document = Document { content, content_type: content_type.as_deref(), filename: filename.as_deref() };
    let format = match format {
        TextFormat::Text => inboxd_documents::TextFormat::Plain,
        TextFormat::Markdown => inboxd_documents::TextFormat::Markdown,
    };
    let limits = DocumentLimits { max_chars: MAX_TEXT_CHARS, ..DocumentLimits::default() };
    match inboxd_documents::extract(&document, format, &limits) {
        Ok(DocumentText { text, is_cut }) => Ok(ExtractedText { text, is_cut }),
        Err(error) => Err(match error {
            DocumentError::Unsupported => AttachmentTextRefusal::Unsupported,
            DocumentError::NoText => AttachmentTextRefusal::NoText,
            DocumentError::Encrypted => AttachmentTextRefusal::Encrypted,
            DocumentError::TooLarge => AttachmentTextRefusal::TooLarge,
            DocumentError::Malformed => AttachmentTextRefusal::Failed,
        }),
    }
}
