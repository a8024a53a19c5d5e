//! Codes mailed to people: six decimal digits.

/// Number of different codes.
const CODE_COUNT: u64 = 1_000_000;

/// Derives a code from random bytes or a signature. The remainder of 2^64 values favours some codes by less than one
/// part in 10^13.
#[must_use]
pub fn derive(bytes: &[u8; 32]) -> String {
    let number = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{:06}", number % CODE_COUNT)
}

/// Returns the digits of a submitted code without white space around them.
///
/// # Errors
/// The reason, for a text that is no code.
pub fn parse(otp_code: &str) -> Result<&str, String> {
    let otp_code = otp_code.trim();
    if otp_code.len() != 6 || !otp_code.bytes().all(|c| c.is_ascii_digit()) {
        return Err("the code is the six digits that were mailed".to_owned());
    }
    Ok(otp_code)
}
