//! Characters of words, their boundaries and their letter case.

/// Folded form of capital, small and final sigma.
pub(super) const SIGMA: char = 'σ';
const FINAL_SIGMA: char = 'ς';

/// Returns whether a character is part of a word: a letter, a digit, or a mark on one.
pub(super) fn is_word(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_alphanumeric()
    } else {
        character.is_alphanumeric() || is_mark(character)
    }
}

/// Returns whether a word may begin at a character after another one, or at the beginning of a text.
pub(super) fn is_boundary(previous: Option<char>, next: Option<char>) -> bool {
    let (Some(previous), Some(next)) = (previous, next) else { return true };
    !is_word(previous) || !is_word(next) || is_unspaced(previous) || is_unspaced(next)
}

/// Iterates over the lower-case form of a character. All forms of sigma are equal.
pub(super) fn folded(character: char) -> impl Iterator<Item = char> {
    character.to_lowercase().map(|lower| if lower == FINAL_SIGMA { SIGMA } else { lower })
}

/// Returns whether a mark belongs to the character before it, besides those that count as letters.
fn is_mark(character: char) -> bool {
    let code = u32::from(character);
    // Variation selectors and half marks, and Indian scripts with their vowel killers and dots.
    let is_in_range = matches!(code,
        0x0300..=0x036f | 0x0483..=0x0489 | 0x0591..=0x05bd | 0x0900..=0x0dff | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f);
    // Indian full stops and the sign of abbreviation.
    is_in_range && !matches!(code, 0x0964 | 0x0965 | 0x0970)
}

/// Returns whether a character belongs to a script without spaces between words, where every character may begin one.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        // Thai, Lao, Burmese, Khmer.
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff
        // Kana and Han, with their extensions and half-width forms.
        | 0x3005..=0x3007 | 0x3040..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xf900..=0xfaff | 0xff66..=0xff9f | 0x1b000..=0x1b16f | 0x20000..=0x3ffff)
}
