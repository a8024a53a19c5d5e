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
pub fn random(octets: [u8; 32]) -> String {
    let [first, second, high, low, ..] = octets;
    let word = |words: &[&'static str; 16], octet: u8| words.get(usize::from(octet % 16)).copied().unwrap_or_default();
    let number = u16::from_be_bytes([high, low]) % 900 + 100;
    format!("{} {} {number}", word(&FIRST, first), word(&SECOND, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::names;

    #[test]
    fn a_made_up_name_is_readable_and_a_name_that_a_caller_may_choose() {
        for octet in 0..=255 {
            let name = random([octet; 32]);
            assert_eq!(names::display_name(&name), Ok(()));
            assert!(name.split(' ').count() == 3 && name.is_ascii(), "{name}");
        }
        assert_ne!(random([0; 32]), random([1; 32]));
    }
}
