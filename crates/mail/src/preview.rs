//! The line of text that lists show.

use crate::clean;

/// How many characters a preview has at most.
const CHARACTERS: usize = 200;

/// The first 200 characters of `text`, each run of white space one space, invisible padding left out.
#[must_use]
pub fn preview(text: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = !out.is_empty();
            continue;
        }
        if c.is_control() || (clean::is_invisible(c) && c != '\u{200d}') {
            continue;
        }
        let needed = if gap { 2 } else { 1 };
        if count + needed > CHARACTERS {
            break;
        }
        if gap {
            out.push(' ');
        }
        out.push(c);
        count += needed;
        gap = false;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_and_length_is_bounded() {
        assert_eq!(preview("  a\n\n b\t\tc\u{200b} \0"), "a b c");
        assert_eq!(preview(""), "");
        assert_eq!(preview(&"é".repeat(500)).chars().count(), 200);
        assert!(preview(&"a ".repeat(500)).chars().count() <= 200);
    }
}
