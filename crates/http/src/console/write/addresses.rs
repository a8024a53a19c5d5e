//! Lists of addresses as a person types them: `Anna <anna@example.org>, ben@example.org`.

use inboxd_mail::Mailbox;

use crate::console::text::shown;

/// Maximum number of characters of a display name.
const MAX_NAME_CHARS: usize = 200;

/// Parses a list, separated by commas, semicolons or line ends.
///
/// # Errors
/// The first entry that is no address, and the reason.
pub(super) fn parse(text: &str) -> Result<Vec<Mailbox>, String> {
    split(text)
        .into_iter()
        .filter(|entry| !entry.trim().is_empty())
        .map(|entry| {
            let refuse = |error| format!("“{}” is no address: {error}.", shown(entry, 100));
            entry.trim().parse().map_err(refuse)
        })
        .collect()
}

/// Splits a list at its separators outside of quoted names.
fn split(text: &str) -> Vec<&str> {
    let (mut entries, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (place, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' | ';' | '\n' if !is_quoted => {
                entries.extend(text.get(start..place));
                start = place + 1;
            }
            _ => {}
        }
    }
    entries.extend(text.get(start..));
    entries
}

/// Returns stored addresses, `Name <address>` with a plain name, as [`parse`] reads them.
pub(super) fn typed(stored: &[String]) -> String {
    let entries: Vec<String> = stored.iter().map(|text| typed_one(text)).collect();
    entries.join(", ")
}

fn typed_one(text: &str) -> String {
    let Some((name, address)) = text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) else {
        return text.to_owned();
    };
    let name = shown(name, MAX_NAME_CHARS);
    if name.is_empty() {
        address.to_owned()
    } else if name.contains([',', ';', '<', '>', '"', '\\']) {
        format!("\"{}\" <{address}>", name.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("{name} <{address}>")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    #[test]
    fn list_is_split_outside_of_names() {
        for (text, expected) in [
            ("", &[][..]),
            (" , ;\n", &[]),
            ("a@b.example", &["a@b.example"]),
            ("a@b.example, Anna <c@d.example>;e@f.example\n", &["a@b.example", "Anna <c@d.example>", "e@f.example"]),
            (
                "\"Müller, \\\"An;na\\\"\" <a@b.example>, c@d.example",
                &["Müller, \"An;na\" <a@b.example>", "c@d.example"],
            ),
        ] {
            let parsed: Vec<String> = parse(text).unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(parsed, expected, "{text}");
        }
    }

    #[test]
    fn refusal_names_the_entry() {
        let refused = parse("a@b.example, nobody, c@d.example").unwrap_err();
        assert!(refused.starts_with("“nobody” is no address: "), "{refused}");
    }

    #[test]
    fn stored_addresses_are_read_again() {
        let stored = ["a@b.example", "Anna <c@d.example>", "Müller, \"An\\na\" <e@f.example>"].map(str::to_owned);
        let parsed: Vec<String> = parse(&typed(&stored)).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(parsed, stored);
    }
}
