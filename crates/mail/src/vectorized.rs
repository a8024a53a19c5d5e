//! Tests of all bytes of a text. They read every byte without a stop at the first mismatch, so that the compiler
//! vectorizes them: most lines pass.

/// Returns true if all bytes pass a test.
pub(crate) fn all(text: &str, passes: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(true, |holds, byte| holds & passes(byte))
}

/// Returns true if each byte passes a test together with the next one.
pub(crate) fn all_pairs(text: &str, passes: impl Fn(u8, u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(next).fold(true, |holds, (byte, next)| holds & passes(*byte, *next))
}
