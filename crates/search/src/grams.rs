//! Four characters that follow one another, as a number.
//!
//! Characters and not octets: three octets of Cyrillic are a letter and a half, which nearly every mail in Russian holds.
//! Four and not three: of the three-letter pieces of a rare word, each is in so many mails that one in two hundred holds
//! all of them without the word. A fifth would cost half as much again and keep out little more.

/// How many classes of characters there are.
const CLASSES: u32 = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 10;
/// Below this every character has a class of its own.
const ASCII: u32 = 0x80;
/// What stands behind the last character of a text.
const END: u32 = 0;

/// How many characters a gram has.
const LENGTH: usize = 4;
/// How many bits of the last one's class it has: enough to tell letters apart.
const LAST_BITS: u32 = 5;
/// How many bits a gram has.
pub(crate) const GRAM_BITS: u32 = 3 * CLASS_BITS + LAST_BITS;
/// How many grams of a long text are looked for: more of them would keep hardly anything more out.
const MAX_REQUIRED_GRAMS: usize = 6;

/// Four characters that follow one another: the classes of three, and the low bits of the class of the fourth.
///
/// Characters outside ASCII share classes, 896 code points apart, so that each of the small alphabets lies in classes of
/// its own. Grams are ordered by the first character, then the second, and so on: those that begin alike are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gram(pub(crate) u64);

/// Grams from `first` to `last`, both included.
///
/// In the blocks of a segment they are in the last block whose first gram is not behind `first`, and in all blocks whose
/// first gram lies behind `first` and not behind `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GramRange {
    /// The first.
    pub first: Gram,
    /// The last.
    pub last: Gram,
}

impl Gram {
    /// The gram as a number, below 2^35.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0.cast_signed()
    }
}

/// The grams of a text, one for each character; the last ones are filled up with nothing. So whatever the text holds begins
/// a gram, were it a single character.
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

/// What every text that holds `needle` holds: of each of these ranges one gram at least. Both are in lower case already.
/// Nothing for an empty needle, which every text holds.
#[must_use]
pub fn required_ranges(needle: &str) -> Vec<GramRange> {
    let characters = needle.chars().count();
    // What stands behind a needle that is shorter than a gram may be anything.
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
