//! N-grams of four characters as numbers.
//!
//! Characters rather than bytes: three bytes of Cyrillic are one and a half letters, which occur in nearly every
//! Russian message. Four rather than three: the trigrams of a rare word are so common that one message in two hundred
//! contains all of them without the word. Five would cost half as much again and exclude little more.

/// Number of character classes.
const CLASSES: u32 = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 10;
/// Limit below which every character has its own class.
const ASCII: u32 = 0x80;
/// Class after the last character of a text.
const END: u32 = 0;

/// Number of characters of a gram.
const LENGTH: usize = 4;
/// Number of bits of the last character's class in a gram; enough to distinguish letters.
const LAST_BITS: u32 = 5;
/// Number of bits of a gram.
pub(crate) const GRAM_BITS: u32 = 3 * CLASS_BITS + LAST_BITS;
/// Maximum number of grams required for a long text; more would exclude hardly anything else.
const MAX_REQUIRED_GRAMS: usize = 6;

/// Four consecutive characters: the classes of three, and the low bits of the class of the fourth.
///
/// Characters outside ASCII share classes at a distance of 896 code points, so each small alphabet has classes of its
/// own. Grams are ordered by the first character, then the second, and so on. Grams with a common prefix are
/// neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gram(pub(crate) u64);

/// Grams from `first` to `last`, inclusive.
///
/// In a segment they are in the last block with a first gram up to `first`, and in all blocks with a first gram after
/// `first` and up to `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GramRange {
    /// First gram of the range.
    pub first: Gram,
    /// Last gram of the range.
    pub last: Gram,
}

impl Gram {
    /// Returns the gram as a number below 2^35.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0.cast_signed()
    }
}

/// Iterates over the grams of a text, one for each character, with padding at the end. Every substring begins a gram,
/// even a single character.
pub(crate) fn grams(text: &str) -> impl Iterator<Item = Gram> {
    let mut last_four = 0_u64;
    let classes = text.chars().map(class).chain([END; LENGTH - 1]);
    let grams = classes.map(move |class| {
        last_four = (last_four << CLASS_BITS) | u64::from(class);
        let three = (last_four >> CLASS_BITS) & ((1 << (3 * CLASS_BITS)) - 1);
        Gram((three << LAST_BITS) | (last_four & ((1 << LAST_BITS) - 1)))
    });
    grams.skip(LENGTH - 1)
}

/// Returns the gram ranges of `needle`: each text with this substring contains at least one gram of every range.
///
/// Text and needle are in lower case. An empty needle has no ranges, because every text contains it.
#[must_use]
pub fn required_ranges(needle: &str) -> Vec<GramRange> {
    let characters = needle.chars().count();
    // Any characters may follow a needle shorter than a gram.
    let free_bits = match characters {
        0 => return Vec::new(),
        1 => 2 * CLASS_BITS + LAST_BITS,
        2 => CLASS_BITS + LAST_BITS,
        3 => LAST_BITS,
        _ => 0,
    };
    let complete = characters.saturating_sub(LENGTH - 1).max(1);
    let mut chosen: Vec<Gram> = grams(needle).take(complete).step_by(complete.div_ceil(MAX_REQUIRED_GRAMS)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let range = |gram: Gram| GramRange { first: gram, last: Gram(gram.0 | ((1 << free_bits) - 1)) };
    chosen.into_iter().map(range).collect()
}

fn class(character: char) -> u32 {
    let code = u32::from(character);
    if code < ASCII { code } else { ASCII + code % (CLASSES - ASCII) }
}
