//! Texts that PostgreSQL can store.

use std::borrow::Cow;

/// Replaces NUL, the one character that PostgreSQL cannot store, by U+FFFD.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// Returns the owned form of [`storable`], for rows.
pub(crate) fn stored(text: &str) -> String {
    storable(text).into_owned()
}

/// Converts a text to lower case for filters. The database cannot do it, because collation C folds ASCII alone.
pub(crate) fn folded(text: &str) -> String {
    stored(&text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_replaced_at_any_position() {
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
        assert_eq!(folded("ÄB\0"), "äb\u{fffd}");
    }

    #[test]
    fn other_text_is_not_copied() {
        assert!(matches!(storable("plain"), Cow::Borrowed("plain")));
    }
}
