//! Detection of automatic and bulk messages by their header fields.

use crate::sanitize;

/// Maximum length of a returned value in bytes.
const MAX_INDICATOR_BYTES: usize = 100;

/// Returns the field that marks a message as automatic reply or bulk mail, to which no automatic reply must be sent.
///
/// `Auto-Submitted: no` and `auto-generated` do not count: an `auto-generated` message starts a conversation and
/// permits a reply (RFC 3834, section 5). Posts of mailing lists permit replies too, although they have many
/// recipients.
///
/// `headers` are the fields of a received message in order, with unfolded values. Of several Return-Path fields the
/// first counts, which the last delivery added.
#[must_use]
pub fn find_automatic_field(headers: &[(String, String)]) -> Option<String> {
    let is_list =
        headers.iter().any(|(name, _)| ["list-id", "list-post"].iter().any(|of| name.eq_ignore_ascii_case(of)));
    let return_path = headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("return-path"));
    let found = headers.iter().enumerate().find(|(place, (name, value))| {
        let words = || field_words(value);
        match name.to_ascii_lowercase().as_str() {
            "return-path" => Some(*place) == return_path && value.trim() == "<>",
            "auto-submitted" => words().next().is_some_and(|word| word != "no" && word != "auto-generated"),
            "precedence" => {
                words().any(|word| word == "auto_reply" || (!is_list && matches!(word.as_str(), "bulk" | "junk")))
            }
            "x-auto-response-suppress" => {
                !is_list && words().any(|word| matches!(word.as_str(), "all" | "autoreply" | "oof"))
            }
            "x-autoreply" | "x-autorespond" | "x-autoresponder" | "x-autoreply-from" => {
                !matches!(words().next().as_deref(), None | Some("no" | "false" | "none"))
            }
            _ => false,
        }
    });
    found.map(|(_, (name, value))| format!("{name}: {}", sanitize::truncate(value.trim(), MAX_INDICATOR_BYTES)))
}

/// Iterates over the words of a value in lower case, without comments, up to its parameters.
pub(crate) fn field_words(value: &str) -> impl Iterator<Item = String> {
    let mut depth = 0_u32;
    let mut bare = String::new();
    for c in value.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => break,
            c if depth == 0 => bare.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    let words: Vec<String> = bare
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(fields: &[(&str, &str)]) -> Option<String> {
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        find_automatic_field(&fields)
    }

    #[test]
    fn automatic_replies_and_bulk_messages_are_detected() {
        for (name, value) in [
            ("Auto-Submitted", "auto-replied"),
            ("auto-submitted", "Auto-Replied (vacation); owner=\"x\""),
            ("Auto-Submitted", "(a (nested) comment) auto-notified; type=x"),
            ("Auto-Submitted", "x-unheard-of"),
            ("Return-Path", "<>"),
            ("Return-Path", " <> "),
            ("Precedence", "bulk"),
            ("Precedence", "Junk"),
            ("Precedence", "auto_reply"),
            ("X-Auto-Response-Suppress", "DR, RN, NRN, OOF, AutoReply"),
            ("X-Auto-Response-Suppress", "All"),
            ("X-Autoreply", "yes"),
            ("X-Autorespond", "Out of office"),
        ] {
            assert_eq!(sign(&[(name, value)]), Some(format!("{name}: {}", value.trim())));
        }
    }

    #[test]
    fn other_messages_have_no_automatic_field() {
        for (name, value) in [
            ("Auto-Submitted", "no"),
            ("Auto-Submitted", "no (a person wrote this: auto-replied)"),
            ("Auto-Submitted", "auto-generated"),
            ("Auto-Submitted", ""),
            ("Return-Path", "<bob@example.org>"),
            ("Precedence", "list"),
            ("Precedence", "first-class"),
            ("X-Auto-Response-Suppress", "DR, RN"),
            ("X-Autoreply", "no"),
            ("X-Autoreply", ""),
            ("List-Id", "<list.example.org>"),
            ("List-Unsubscribe", "<mailto:out@example.org>"),
            ("Feedback-ID", "1:2:3:x"),
            ("Subject", "Automatic reply"),
        ] {
            assert_eq!(sign(&[(name, value)]), None, "{name}: {value}");
        }
    }

    #[test]
    fn list_post_is_not_bulk_mail() {
        assert_eq!(sign(&[("Precedence", "bulk"), ("List-Id", "<list.example.org>")]), None);
        let away = sign(&[("List-Id", "<list.example.org>"), ("Auto-Submitted", "auto-replied")]);
        assert_eq!(away.as_deref(), Some("Auto-Submitted: auto-replied"));
    }

    #[test]
    fn first_return_path_field_counts() {
        assert_eq!(sign(&[("Return-Path", "<bob@example.org>"), ("Return-Path", "<>")]), None);
        assert!(sign(&[("Return-Path", "<>"), ("Return-Path", "<bob@example.org>")]).is_some());
    }

    #[test]
    fn automatic_field_is_truncated() {
        let long = "x".repeat(1000);
        assert_eq!(
            sign(&[("X-Autoreply", &long)]).map(|sign| sign.len()),
            Some("X-Autoreply: ".len() + MAX_INDICATOR_BYTES)
        );
    }
}
