//! Verification codes.

/// A code that a mail hands over for typing in elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedCode {
    /// The code as it is typed in: without the spaces and dashes that only group it.
    pub code: String,
    /// How sure it is, in hundredths: 1 to 100.
    pub confidence: u8,
    /// The text around it, on one line, at most 200 characters.
    pub context: String,
}

/// The codes of a mail with this subject and this text, the surest first, at most 10.
#[must_use]
pub fn extract_codes(_subject: Option<&str>, _text: &str) -> Vec<ExtractedCode> {
    Vec::new()
}
