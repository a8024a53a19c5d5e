//! Marks of bulk and automatic mail in header fields.

use super::kinds::MassMailKind;
use crate::report::find_automatic_field;

/// Returns the mark of a message by its header fields.
///
/// List fields come first (RFC 2919, RFC 2369): posts of a list have an author. Then come marks of programs (RFC 3834),
/// then those of newsletters.
pub(super) fn kind(headers: &[(String, String)]) -> Option<MassMailKind> {
    let value = |name: &str| headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let is_precedence = |words: &[&str]| {
        value("precedence").is_some_and(|value| words.iter().any(|word| value.trim().eq_ignore_ascii_case(word)))
    };
    if value("list-post").is_some() || is_precedence(&["list"]) {
        return Some(MassMailKind::List);
    }
    let is_bulk = is_precedence(&["bulk", "junk"]);
    let submitted = value("auto-submitted").map(|value| value.trim().to_ascii_lowercase());
    if submitted.is_some_and(|value| !value.is_empty() && !value.starts_with("no")) {
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
            (&[("Precedence", "bulk")], Some(Bulk)),
            (&[("Auto-Submitted", "auto-generated")], Some(Automatic)),
            (&[("Auto-Submitted", "auto-replied"), ("Precedence", "bulk")], Some(Automatic)),
            (&[("X-Autoreply", "yes")], Some(Automatic)),
            (&[("Return-Path", "<>")], Some(Automatic)),
            (&[("Auto-Submitted", "no")], None),
            (&[("X-Priority", "1")], None),
            (&[], None),
        ] {
            let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(kind(&fields), expected, "{fields:?}");
        }
    }
}
