//! Default names of pods.

const FIRST: [&str; 16] = [
    "Amber", "Bright", "Calm", "Clear", "Copper", "Early", "Gentle", "Golden", "Green", "Hidden", "Northern", "Quiet",
    "Silver", "Steady", "Swift", "Western",
];
const SECOND: [&str; 16] = [
    "Bay", "Bridge", "Brook", "Cove", "Field", "Forest", "Garden", "Harbor", "Hill", "Island", "Lake", "Meadow",
    "Orchard", "Ridge", "River", "Valley",
];

/// Returns a random name of two words and a number: readable and seldom repeated.
#[must_use]
pub fn random_name(bytes: [u8; 32]) -> String {
    let [first, second, high, low, ..] = bytes;
    let word = |words: &[&'static str; 16], byte: u8| words.get(usize::from(byte % 16)).copied().unwrap_or_default();
    let number = u16::from_be_bytes([high, low]) % 900 + 100;
    format!("{} {} {number}", word(&FIRST, first), word(&SECOND, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::names;

    #[test]
    fn random_name_is_a_valid_display_name() {
        for byte in 0..=255 {
            let name = random_name([byte; 32]);
            assert_eq!(names::validate_display_name(&name), Ok(()));
            assert!(name.split(' ').count() == 3 && name.is_ascii(), "{name}");
        }
        assert_ne!(random_name([0; 32]), random_name([1; 32]));
    }
}
