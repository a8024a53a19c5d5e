//! Validation of names from callers (`wire.md`, section 3, Inbox; section 1, `client_id`).

/// Reserved usernames on the service's own domains, without separators: mailboxes of RFC 2142, names that mail servers
/// use, addresses that certificate authorities write to, and names that look like the operator.
const RESERVED: [&str; 64] = [
    "abuse",
    "accounts",
    "account",
    "admin",
    "administration",
    "administrator",
    "admins",
    "auth",
    "authentication",
    "billing",
    "bounce",
    "bounces",
    "compliance",
    "confirm",
    "confirmation",
    "contact",
    "daemon",
    "dmarcreports",
    "ftp",
    "help",
    "helpdesk",
    "hostmaster",
    "info",
    "invitation",
    "invitations",
    "invite",
    "legal",
    "login",
    "mailer",
    "marketing",
    "news",
    "nobody",
    "noc",
    "notification",
    "notifications",
    "notify",
    "official",
    "operator",
    "operations",
    "password",
    "payment",
    "payments",
    "privacy",
    "registrar",
    "root",
    "sales",
    "security",
    "signin",
    "signup",
    "ssladmin",
    "ssladministrator",
    "sslwebmaster",
    "staff",
    "support",
    "sysadmin",
    "system",
    "tlsreports",
    "trouble",
    "usenet",
    "uucp",
    "verification",
    "verify",
    "webmaster",
    "www",
];

/// Words, without separators, that no username on the service's own domains contains: mail from such a name would pass
/// for mail of the service.
const RESERVED_WORDS: [&str; 8] =
    ["inboxd", "noreply", "donotreply", "dontreply", "notreply", "postmaster", "mailerdaemon", "customersupport"];

/// Characters around an address, and their look-alikes.
const ADDRESS_MARKS: &str = "@<>\u{fe6b}\u{ff20}\u{fe64}\u{fe65}\u{ff1c}\u{ff1e}\u{2039}\u{203a}\u{2329}\u{232a}\u{27e8}\u{27e9}\
    \u{3008}\u{3009}\u{276e}\u{276f}\u{2770}\u{2771}\u{02c2}\u{02c3}\u{1438}\u{1433}\u{227a}\u{227b}\u{e0040}\u{24d0}\u{24b6}";

/// Returns the stored form of a username on one of the service's own domains, which reserve some names.
///
/// # Errors
/// The reason, for an invalid or reserved username.
pub fn parse_username(text: &str) -> Result<String, String> {
    let name = parse_custom_username(text)?;
    if is_reserved(&name) {
        return Err(format!("{name} is a reserved name (RFC 2142, or one of the service); choose another"));
    }
    Ok(name)
}

/// Returns whether a name on the service's own domains is reserved. Separators and final digits are ignored.
pub(crate) fn is_reserved(name: &str) -> bool {
    let folded: String = name.chars().filter(|c| !matches!(c, '.' | '-' | '_')).collect();
    let folded = folded.trim_matches(|c: char| c.is_ascii_digit());
    RESERVED.contains(&folded) || RESERVED_WORDS.iter().any(|word| folded.contains(word))
}

/// Returns the stored form of a username on a custom domain, which reserves no names.
///
/// # Errors
/// The reason, for an invalid username.
pub fn parse_custom_username(text: &str) -> Result<String, String> {
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
    Ok(name)
}

/// Validates an idempotency key.
///
/// # Errors
/// The reason, for an invalid key.
pub fn validate_idempotency_key(text: &str) -> Result<(), String> {
    if text.is_empty() || text.len() > 255 || !text.bytes().all(|c| c.is_ascii_graphic() || c == b' ') {
        return Err("a key has 1 to 255 printable ASCII characters".to_owned());
    }
    Ok(())
}

/// Returns a random username of ten letters and digits for an inbox without a chosen one.
#[must_use]
pub fn random_username(random: [u8; 32]) -> String {
    // No vowels and no look-alikes, so that no words and no misreadings occur.
    const LETTERS: &[u8; 26] = b"bcdfghjkmnpqrstvwxyz234567";
    random
        .iter()
        .filter_map(|byte| LETTERS.get(usize::from(byte % 26)))
        .take(10)
        .map(|letter| char::from(*letter))
        .collect()
}

/// Validates a `client_id`.
///
/// # Errors
/// The reason, for an invalid `client_id`.
pub fn validate_client_id(text: &str) -> Result<(), String> {
    let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_' | b'~');
    if text.is_empty() || text.len() > 256 || !text.bytes().all(allowed) {
        return Err("a client_id has 1 to 256 characters of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`".to_owned());
    }
    Ok(())
}

/// Validates a display name of an inbox or member. It must contain nothing that reads like an address, because many
/// mail clients show the name alone.
///
/// # Errors
/// The reason, for an invalid display name.
pub fn validate_display_name(text: &str) -> Result<(), String> {
    validate_label(text)?;
    if text.chars().any(|c| ADDRESS_MARKS.contains(c)) {
        return Err("a display name must not contain `@`, `<`, `>` or characters that look like them".to_owned());
    }
    if text.chars().any(is_format) {
        return Err("a name in front of an address holds no invisible characters".to_owned());
    }
    Ok(())
}

/// Returns whether a character shows nothing of its own and can change or hide its neighbours. Joiners, which shape
/// letters, and single variation selectors are not among them.
#[must_use]
pub fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Validates a human-readable name of a key or pod.
///
/// # Errors
/// The reason, for an invalid name.
pub fn validate_label(text: &str) -> Result<(), String> {
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
    fn username_is_normalized_or_refused() {
        for (text, expected) in [("Scout", Some("scout")), ("a.b_c-9", Some("a.b_c-9"))] {
            assert_eq!(parse_username(text).ok().as_deref(), expected, "{text}");
        }
        for text in ["", "a+b", "a b", "ü", ".a", "a.", "a..b", "Postmaster", &"a".repeat(65), "a@b"] {
            assert!(parse_username(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reserved_name_in_any_spelling_is_refused_on_own_domains() {
        let refused = [
            "no-reply",
            "noreply",
            "no.reply",
            "no_reply",
            "n.o.r.e.p.l.y",
            "No-Reply-2",
            "do-not-reply",
            "donotreply",
            "inboxd",
            "in-box.d",
            "inboxd-support",
            "verify",
            "verification",
            "ver.ify",
            "help",
            "Help_Desk",
            "security",
            "support",
            "support-1",
            "billing",
            "admin",
            "ad-min",
            "postmaster",
            "post.master",
            "abuse",
            "hostmaster",
            "mailer-daemon",
            "mailer_daemon",
            "webmaster",
            "1admin",
            "-admin",
            "noreply-codes",
        ];
        for text in refused {
            assert!(parse_username(text).is_err(), "{text}");
            assert!(parse_custom_username(text).is_ok(), "{text}");
        }
        for text in ["scout", "support-agent", "helper", "newsletter", "sales-bot", "my.admin.bot", "info-desk", "ada"]
        {
            assert_eq!(parse_username(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn display_name_with_address_is_refused() {
        let refused = [
            "no-reply@inboxd.example",
            "Scout <no-reply@x>",
            "a<b",
            "a>b",
            "inboxd \u{ff20} example",
            "\u{ff1c}x\u{ff1e}",
            "\u{fe64}x",
            "a\u{202e}b",
            "a\u{200b}b",
            "a\u{3164}b",
            "a\u{e0101}b",
            "a\nb",
            "a\0b",
            " ",
            "",
        ];
        for text in refused {
            assert!(validate_display_name(text).is_err(), "{text:?}");
        }
        for text in ["Scout", "Ada Lovelace (Büro)", "R&D, \"Team\" 1", "\u{1f469}\u{200d}\u{1f4bb} Ada"] {
            assert_eq!(validate_display_name(text), Ok(()), "{text:?}");
        }
        assert_eq!(validate_label("deploy <ci@example.org>"), Ok(()));
    }

    #[test]
    fn random_usernames_are_usernames() {
        for byte in 0..=255 {
            let name = random_username([byte; 32]);
            assert_eq!(parse_username(&name), Ok(name));
        }
    }

    #[test]
    fn client_ids() {
        for text in ["a", "A-z.9_~", &"x".repeat(256)] {
            assert_eq!(validate_client_id(text), Ok(()), "{text}");
        }
        for text in ["", "a b", "a/b", "é", &"x".repeat(257)] {
            assert!(validate_client_id(text).is_err(), "{text}");
        }
    }
}
