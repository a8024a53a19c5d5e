//! Numbers of few octets where they are small: seven bits an octet, the low ones first, the highest bit set while more
//! follow (LEB128).

use crate::SearchError;

/// How many octets a number of 64 bits takes at most.
const LONGEST: u32 = 10;

/// Writes a number.
pub(crate) fn write(octets: &mut Vec<u8>, number: u64) {
    let mut left = number;
    while left >= 0x80 {
        octets.push(low_octet(left) | 0x80);
        left >>= 7;
    }
    octets.push(low_octet(left));
}

/// How many octets [`write`] takes for a number.
pub(crate) fn length(number: u64) -> usize {
    let bits = u64::BITS - (number | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Takes a number from the front of the octets.
///
/// # Errors
/// [`SearchError::Corrupt`] where there is none of 64 bits.
pub(crate) fn take(octets: &mut &[u8]) -> Result<u64, SearchError> {
    let mut number = 0;
    for place in 0..LONGEST {
        let (octet, rest) = octets.split_first().ok_or(SearchError::Corrupt)?;
        *octets = rest;
        let bits = u64::from(octet & 0x7f);
        let shifted = bits << (7 * place);
        if shifted >> (7 * place) != bits {
            return Err(SearchError::Corrupt);
        }
        number |= shifted;
        if octet & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(SearchError::Corrupt)
}

fn low_octet(number: u64) -> u8 {
    (number & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_read_as_written() {
        let around = |bits: u32| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1];
        for number in (0..64).flat_map(around).chain([u64::MAX]) {
            let mut octets = Vec::new();
            write(&mut octets, number);
            assert_eq!(octets.len(), length(number), "{number}");
            let mut rest = octets.as_slice();
            assert_eq!(take(&mut rest), Ok(number));
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn what_is_cut_off_or_too_large_is_refused() {
        for mut octets in
            [[].as_slice(), &[0x80], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03], &[0x80; 11]]
        {
            assert_eq!(take(&mut octets), Err(SearchError::Corrupt));
        }
    }
}
