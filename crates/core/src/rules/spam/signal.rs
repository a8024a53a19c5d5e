//! Signal of a spam check, and the text that checks read.

/// A signal of a spam check.
pub(super) struct SpamSignal {
    pub(super) name: &'static str,
    pub(super) score: f64,
    pub(super) description: &'static str,
}

impl SpamSignal {
    /// Returns the signal if the condition holds.
    pub(super) fn when(holds: bool, name: &'static str, score: f64, description: &'static str) -> Option<Self> {
        holds.then_some(Self { name, score, description })
    }
}

/// Returns the beginning of a text that the checks read; spam states its purpose there.
pub(super) fn beginning(text: &str) -> &str {
    const MAX_BYTES: usize = 128 * 1024;
    &text[..text.floor_char_boundary(MAX_BYTES)]
}
