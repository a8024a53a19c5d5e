//! Variable-length integers (LEB128).
//!
//! Each byte has seven bits, the low ones first; the highest bit is set while more bytes follow.

use crate::SearchError;

/// Maximum length in bytes of a 64-bit number.
const MAX_VARINT_BYTES: u32 = 10;

/// Writes a number.
pub(crate) fn write(bytes: &mut Vec<u8>, number: u64) {
    let mut remaining = number;
    while remaining >= 0x80 {
        bytes.push(low_byte(remaining) | 0x80);
        remaining >>= 7;
    }
    bytes.push(low_byte(remaining));
}

/// Returns the length of a number in bytes.
pub(crate) fn length(number: u64) -> usize {
    let bits = u64::BITS - (number | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Takes a number from the front of the bytes.
///
/// # Errors
///
/// [`SearchError::Corrupt`] without a 64-bit number there.
pub(crate) fn take(bytes: &mut &[u8]) -> Result<u64, SearchError> {
    let mut number = 0;
    for index in 0..MAX_VARINT_BYTES {
        let (byte, rest) = bytes.split_first().ok_or(SearchError::Corrupt)?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        let shifted = bits << (7 * index);
        if shifted >> (7 * index) != bits {
            return Err(SearchError::Corrupt);
        }
        number |= shifted;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(SearchError::Corrupt)
}

fn low_byte(number: u64) -> u8 {
    (number & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_survives_round_trip() {
        let around = |bits: u32| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1];
        for number in (0..64).flat_map(around).chain([u64::MAX]) {
            let mut bytes = Vec::new();
            write(&mut bytes, number);
            assert_eq!(bytes.len(), length(number), "{number}");
            let mut rest = bytes.as_slice();
            assert_eq!(take(&mut rest), Ok(number));
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn truncated_or_oversized_number_is_rejected() {
        for mut bytes in
            [[].as_slice(), &[0x80], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03], &[0x80; 11]]
        {
            assert_eq!(take(&mut bytes), Err(SearchError::Corrupt));
        }
    }
}
