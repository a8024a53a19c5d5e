//! PDF (ISO 32000): the words of the pages in the order in which they are drawn.

mod encoding;
mod font;
mod interpreter;
mod layout;
mod matrix;

use std::sync::Arc;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::output::TextOutput;
use crate::{DocumentError, DocumentLimits};
use interpreter::PageInterpreter;

/// Writes the words of all pages.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    let pdf = Pdf::new(Arc::new(content.to_vec())).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm) => {
            DocumentError::Encrypted
        }
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => DocumentError::Malformed,
    })?;
    let mut interpreter = PageInterpreter::default();
    for (at, page) in pdf.pages().iter().enumerate() {
        if at >= limits.max_pages {
            output.cut();
        }
        if at >= limits.max_pages || output.is_full() {
            break;
        }
        output.paragraph(&interpreter.read(page));
    }
    Ok(())
}
