//! Which names callers may choose (`wire.md`, section 3, Inbox; section 1, `client_id`).

/// Mailbox names for common services, roles and functions (RFC 2142), and those that mail programs use themselves.
const RESERVED: [&str; 28] = [
    "abuse",
    "admin",
    "administrator",
    "billing",
    "bounce",
    "bounces",
    "ftp",
    "hostmaster",
    "info",
    "mailer-daemon",
    "marketing",
    "news",
    "no-reply",
    "nobody",
    "noc",
    "noreply",
    "postmaster",
    "root",
    "sales",
    "security",
    "ssladmin",
    "support",
    "trouble",
    "usenet",
    "uucp",
    "webmaster",
    "www",
    "daemon",
];

/// A username in its stored form.
///
/// # Errors
/// What is wrong with it.
pub fn username(text: &str) -> Result<String, String> {
    let name = text.to_lowercase();
    if name.is_empty() || name.len() > 64 {
        return Err("a username has 1 to 64 characters".to_owned());
    }
    if !name.bytes().all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-')) {
        return Err("a username holds letters a to z, digits, dots, hyphens and underscores only".to_owned());
    }
    if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
        return Err("a username neither begins nor ends with a dot, and has no two in a row".to_owned());
    }
    if RESERVED.contains(&name.as_str()) {
        return Err(format!("{name} is a reserved name (RFC 2142); choose another"));
    }
    Ok(name)
}

/// Checks the key of a repeatable send.
///
/// # Errors
/// What is wrong with it.
pub fn send_key(text: &str) -> Result<(), String> {
    if text.is_empty() || text.len() > 255 || !text.bytes().all(|c| c.is_ascii_graphic() || c == b' ') {
        return Err("a key has 1 to 255 printable ASCII characters".to_owned());
    }
    Ok(())
}

/// A username for an inbox whose maker chose none: ten letters and digits out of randomness.
#[must_use]
pub fn random_username(random: [u8; 32]) -> String {
    // Without vowels and look-alikes, so that no word and no misreading comes of it.
    const LETTERS: &[u8; 26] = b"bcdfghjkmnpqrstvwxyz234567";
    random
        .iter()
        .filter_map(|octet| LETTERS.get(usize::from(octet % 26)))
        .take(10)
        .map(|letter| char::from(*letter))
        .collect()
}

/// Checks a `client_id`.
///
/// # Errors
/// What is wrong with it.
pub fn client_id(text: &str) -> Result<(), String> {
    let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_' | b'~');
    if text.is_empty() || text.len() > 256 || !text.bytes().all(allowed) {
        return Err("a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`".to_owned());
    }
    Ok(())
}

/// Checks a name for people: of a key, a pod, an inbox.
///
/// # Errors
/// What is wrong with it.
pub fn display_name(text: &str) -> Result<(), String> {
    if text.trim().is_empty() || text.chars().count() > 200 {
        return Err("a name has 1 to 200 characters".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("a name holds no control characters".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames() {
        for (text, expected) in [("Scout", Some("scout")), ("a.b_c-9", Some("a.b_c-9"))] {
            assert_eq!(username(text).ok().as_deref(), expected, "{text}");
        }
        for text in ["", "a+b", "a b", "ü", ".a", "a.", "a..b", "Postmaster", &"a".repeat(65), "a@b"] {
            assert!(username(text).is_err(), "{text}");
        }
    }

    #[test]
    fn random_usernames_are_usernames() {
        for octet in 0..=255 {
            let name = random_username([octet; 32]);
            assert_eq!(username(&name), Ok(name));
        }
    }

    #[test]
    fn client_ids() {
        for text in ["a", "A-z.9_~", &"x".repeat(256)] {
            assert_eq!(client_id(text), Ok(()), "{text}");
        }
        for text in ["", "a b", "a/b", "é", &"x".repeat(257)] {
            assert!(client_id(text).is_err(), "{text}");
        }
    }
}
