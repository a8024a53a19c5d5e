//! The codes that are mailed to people: six decimal digits.

/// How many codes there are.
const CODES: u64 = 1_000_000;

/// The code that these octets make, which are random or a signature. Of 2^64 values a remainder favours some codes by less
/// than one part in 10^13.
#[must_use]
pub fn make(octets: &[u8; 32]) -> String {
    let number = octets.iter().take(8).fold(0_u64, |number, octet| number << 8 | u64::from(*octet));
    format!("{:06}", number % CODES)
}

/// The digits of a code that somebody sends.
///
/// # Errors
/// What is wrong with something that is no code.
pub fn check(otp_code: &str) -> Result<&str, String> {
    let otp_code = otp_code.trim();
    if otp_code.len() != 6 || !otp_code.bytes().all(|c| c.is_ascii_digit()) {
        return Err("the code is the six digits that were mailed".to_owned());
    }
    Ok(otp_code)
}
