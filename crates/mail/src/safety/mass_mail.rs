//! Marks of bulk and automatic mail in header fields.

use super::kinds::MassMailKind;
use crate::report::{field_words, find_automatic_field};

/// Returns the mark of a message by its header fields.
///
/// List fields come first (RFC 2919, RFC 2369): posts of a list have an author. Then come marks of programs (RFC 3834),
/// then those of newsletters.
pub(super) fn kind(headers: &[(String, String)]) -> Option<MassMailKind> {
    let value = |name: &str| headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let is_precedence = |words: &[&str]| {
        value("precedence").is_some_and(|value| words.iter().any(|word| value.trim().eq_ignore_ascii_case(word)))
    };
    let first_word = |name: &str| value(name).and_then(|value| field_words(value).next());
    // "NO" is the value of lists to which nobody posts (RFC 2369, section 3.4).
    let accepts_posts = value("list-post").is_some() && first_word("list-post").is_none_or(|word| word != "no");
    if accepts_posts || is_precedence(&["list"]) {
        return Some(MassMailKind::List);
    }
    let is_bulk = is_precedence(&["bulk", "junk"]);
    if first_word("auto-submitted").is_some_and(|word| word != "no") {
        return Some(MassMailKind::Automatic);
    }
    if is_bulk || value("list-unsubscribe").is_some() || value("list-id").is_some() {
        return Some(MassMailKind::Bulk);
    }
    find_automatic_field(headers).map(|_| MassMailKind::Automatic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_mark_bulk_and_automatic_mail() {
        use MassMailKind::{Automatic, Bulk, List};
        for (fields, expected) in [
            (&[("List-Id", "<a.example>"), ("List-Post", "<mailto:a@b.example>")][..], Some(List)),
            (&[("Precedence", "list"), ("List-Unsubscribe", "<https://a.example>")], Some(List)),
            (&[("List-Unsubscribe", "<https://a.example>")], Some(Bulk)),
            (&[("List-Id", "<a.example>")], Some(Bulk)),
            (&[("List-Id", "<a.example>"), ("List-Post", "NO (posting not allowed on this list)")], Some(Bulk)),
            (&[("Precedence", "bulk")], Some(Bulk)),
            (&[("Auto-Submitted", "auto-generated")], Some(Automatic)),
            (&[("Auto-Submitted", "auto-replied"), ("Precedence", "bulk")], Some(Automatic)),
            (&[("X-Autoreply", "yes")], Some(Automatic)),
            (&[("Return-Path", "<>")], Some(Automatic)),
            (&[("Auto-Submitted", "notification")], Some(Automatic)),
            (&[("Auto-Submitted", "no")], None),
            (&[("Auto-Submitted", "No (by hand)")], None),
            (&[("X-Priority", "1")], None),
            (&[], None),
        ] {
            let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(kind(&fields), expected, "{fields:?}");
        }
    }
}
