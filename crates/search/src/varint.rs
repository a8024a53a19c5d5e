//! Numbers of few octets where they are small: seven bits an octet, the low ones first, the highest bit set while more
//! follow (LEB128).

use crate::SearchError;

/// How many octets a number of 32 bits takes at most.
const LONGEST: u32 = 5;

/// Writes a number.
pub(crate) fn write(octets: &mut Vec<u8>, number: u32) {
    let mut left = number;
    while left >= 0x80 {
        octets.push(low_octet(left) | 0x80);
        left >>= 7;
    }
    octets.push(low_octet(left));
}

/// How many octets [`write`] takes for a number.
pub(crate) fn length(number: u32) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

/// Takes a number from the front of the octets.
///
/// # Errors
/// [`SearchError::Corrupt`] where there is none of 32 bits.
pub(crate) fn take(octets: &mut &[u8]) -> Result<u32, SearchError> {
    let mut number = 0;
    for place in 0..LONGEST {
        let (octet, rest) = octets.split_first().ok_or(SearchError::Corrupt)?;
        *octets = rest;
        let bits = u32::from(octet & 0x7f);
        if bits << (7 * place) >> (7 * place) != bits {
            return Err(SearchError::Corrupt);
        }
        number |= bits << (7 * place);
        if octet & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(SearchError::Corrupt)
}

fn low_octet(number: u32) -> u8 {
    (number & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_read_as_written() {
        let around = |bits: u32| [(1_u32 << bits) - 1, 1 << bits, (1 << bits) + 1];
        for number in (0..32).flat_map(around).chain([u32::MAX]) {
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
        for mut octets in [[].as_slice(), &[0x80], &[0xff, 0xff, 0xff, 0xff, 0x1f], &[0x80; 6]] {
            assert_eq!(take(&mut octets), Err(SearchError::Corrupt));
        }
    }
}
