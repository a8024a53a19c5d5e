//! Three characters that follow one another, as a number.
//!
//! Characters and not octets: three octets of Cyrillic are a letter and a half, which nearly every mail in Russian holds.

/// How many classes of characters there are.
const CLASSES: u32 = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 10;
/// Below this every character has a class of its own.
const ASCII: u32 = 0x80;
/// What stands behind the last character of a text.
const END: u32 = 0;
/// How many grams of a long text are looked for: more of them would keep hardly anything more out.
const MOST_WANTED: usize = 8;

/// Three characters that follow one another, ten bits each: their classes.
///
/// Characters outside ASCII share classes, 896 code points apart, so that each of the small alphabets lies in classes of
/// its own. Grams are ordered by the first character, then the second, then the third: those that begin alike are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gram(pub(crate) u32);

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
    /// The gram as a number below 2^30.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The grams of a text, one for each character; the last two are filled up with nothing. So whatever the text holds
/// begins a gram, were it a single character.
pub(crate) fn grams(text: &str) -> impl Iterator<Item = Gram> {
    let mut last_three = 0;
    let classes = text.chars().map(class).chain([END, END]);
    classes
        .map(move |class| {
            last_three = ((last_three << CLASS_BITS) | class) & ((1 << (3 * CLASS_BITS)) - 1);
            Gram(last_three)
        })
        .skip(2)
}

/// What every text that holds `needle` holds: of each of these ranges one gram at least. Both are in lower case already.
/// Nothing for an empty needle, which every text holds.
#[must_use]
pub fn wanted(needle: &str) -> Vec<GramRange> {
    let classes: Vec<u32> = needle.chars().take(3).map(class).collect();
    match *classes.as_slice() {
        [] => Vec::new(),
        [one] => vec![beginning(one, 2)],
        [one, two] => vec![beginning((one << CLASS_BITS) | two, 1)],
        _ => spread(needle),
    }
}

/// The grams that begin with these classes and end with any `free` others.
fn beginning(classes: u32, free: u32) -> GramRange {
    let first = classes << (free * CLASS_BITS);
    GramRange { first: Gram(first), last: Gram(first | ((1 << (free * CLASS_BITS)) - 1)) }
}

/// Different grams of a needle of three characters or more, from its beginning to its end.
fn spread(needle: &str) -> Vec<GramRange> {
    let whole = needle.chars().count().saturating_sub(2);
    let step = whole.div_ceil(MOST_WANTED).max(1);
    let mut chosen: Vec<Gram> = grams(needle).take(whole).step_by(step).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|gram| GramRange { first: gram, last: gram }).collect()
}

fn class(character: char) -> u32 {
    let code = u32::from(character);
    if code < ASCII { code } else { ASCII + code % (CLASSES - ASCII) }
}
