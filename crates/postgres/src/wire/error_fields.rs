//! Fields of an error message: its SQLSTATE and its text.

use super::frames::{HEADER_BYTES, LENGTH_BYTES};

/// Types of fields: the SQLSTATE and the text.
const CODE: u8 = b'C';
const MESSAGE: u8 = b'M';

/// Returns the fields of an error: the type of each, where its value begins, and the value.
fn fields(error: &[u8]) -> impl Iterator<Item = (u8, usize, &[u8])> {
    let mut at = usize::from(HEADER_BYTES);
    std::iter::from_fn(move || {
        let (kind, rest) = error.get(at..)?.split_first()?;
        let value = rest.split(|byte| *byte == 0).next().filter(|value| value.len() < rest.len())?;
        let begins = at + 1;
        at = begins + value.len() + 1;
        Some((*kind, begins, value))
    })
}

/// Returns the SQLSTATE of an error.
pub(super) fn code(error: &[u8]) -> Option<&[u8]> {
    fields(error).find(|(kind, ..)| *kind == CODE).map(|(.., value)| value)
}

/// Returns an error with its SQLSTATE before its text, as `psql` shows it with `VERBOSITY verbose`.
pub(super) fn with_code(error: &[u8]) -> Vec<u8> {
    let text = fields(error).find(|(kind, ..)| *kind == MESSAGE).map(|(_, begins, _)| begins);
    let (Some(code), Some(begins)) = (code(error), text) else { return error.to_vec() };
    let (before, after) = error.split_at(begins);
    let mut whole = [before, code, b": ", after].concat();
    let length = u32::try_from(whole.len() - 1).unwrap_or(u32::MAX).to_be_bytes();
    if let Some(place) = whole.get_mut(1..=LENGTH_BYTES) {
        place.copy_from_slice(&length);
    }
    whole
}
