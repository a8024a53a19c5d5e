//! Status codes (RFC 3463) in server replies.

/// Returns the first status code of a text, for instance `5.1.1`. Versions and host addresses have another number of
/// components.
pub(super) fn enhanced(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.')).map(|word| word.trim_end_matches('.')).find(|word| {
        let mut numbers = word.split('.');
        let class = numbers.next().is_some_and(|class| matches!(class, "2" | "4" | "5"));
        let mut number = || numbers.next().is_some_and(|number| (1..=3).contains(&number.len()));
        class && number() && number() && numbers.next().is_none()
    })
}

/// Returns the status of a negative server reply: its enhanced code, or the class of its reply code.
pub(super) fn of_reply(text: &str) -> Option<String> {
    if let Some(status) = enhanced(text).filter(|status| is_refusal(status)) {
        return Some(status.to_owned());
    }
    let code = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".:".contains(c))).find_map(reply_code)?;
    // A full mailbox does not mean a dead address (RFC 5321, section 4.2.3).
    if code == "552" {
        return Some("5.2.2".to_owned());
    }
    code.get(..1).map(|class| format!("{class}.0.0"))
}

/// Returns the reply code in a word: `550`, `550:`, `smtp:550`. Numbers between dots or several colons belong to
/// addresses.
fn reply_code(word: &str) -> Option<&str> {
    if word.matches(':').count() > 1 {
        return None;
    }
    let is_code = |part: &&str| part.len() == 3 && is_refusal(part) && part.bytes().all(|byte| byte.is_ascii_digit());
    word.split(':').map(|part| part.trim_end_matches('.')).find(is_code)
}

/// Returns true for a permanent or temporary failure.
fn is_refusal(code: &str) -> bool {
    code.starts_with(['4', '5'])
}

/// Chooses between the reported status and that of the server reply.
///
/// `5.0.0` has no reason, and many programs write it for any reply. Its class remains, because it is their
/// interpretation of the reply.
pub(super) fn choose(reported: Option<&str>, diagnostic: Option<&str>) -> Option<String> {
    let reported = reported.and_then(enhanced);
    let diagnostic = diagnostic.and_then(of_reply);
    match reported {
        Some(status) if !status.ends_with(".0.0") => Some(status.to_owned()),
        Some(status) => diagnostic
            .filter(|reply_status| reply_status.get(..1) == status.get(..1))
            .or_else(|| Some(status.to_owned())),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_status_is_chosen() {
        for (reported, diagnostic, expected) in [
            (Some("5.1.1"), None, Some("5.1.1")),
            (Some("5.1.1 (bad destination mailbox address)"), None, Some("5.1.1")),
            (Some(" 4.4.7"), Some("smtp; 550 5.1.1 no"), Some("4.4.7")),
            (Some("5.0.0"), Some("smtp; 550-5.7.1 [192.0.2.1] blocked\n550 5.7.1 see"), Some("5.7.1")),
            (Some("5.0.0"), Some("smtp; 451 try later"), Some("5.0.0")),
            (Some("4.0.0"), Some("smtp; 550 5.1.1 no"), Some("4.0.0")),
            (Some("2.0.0"), Some("smtp; 550 5.1.1 no"), Some("2.0.0")),
            (Some("5.0.0"), Some("Postfix 2.5.1; 550 no"), Some("5.0.0")),
            (None, Some("smtp; host 198.51.100.220 said: 550 User unknown"), Some("5.0.0")),
            (None, Some("smtp; host 220.51.100.198[220.51.100.198]: 550: User unknown"), Some("5.0.0")),
            (None, Some("smtp; [2001:db8:451::1] said: 550 User unknown"), Some("5.0.0")),
            (None, Some("smtp; id 250. Later 452."), Some("4.0.0")),
            (None, Some("smtp; 250 ok"), None),
            (None, Some("smtp; 192.0.2.450 451x x550 is 5.5 of 0.550"), None),
            (Some("5.0.0"), Some("x-unix; user unknown"), Some("5.0.0")),
            (None, Some("smtp;550 #5.1.0 Address rejected."), Some("5.1.0")),
            (None, Some("smtp; 550 User unknown"), Some("5.0.0")),
            (None, Some("smtp; 552-5.2.2 full"), Some("5.2.2")),
            (Some("5.0.0"), Some("smtp; 552 mailbox is full"), Some("5.2.2")),
            (None, Some("host 192.0.2.1 said nothing, version 5.12"), None),
            (Some("failed"), None, None),
            (None, None, None),
        ] {
            assert_eq!(choose(reported, diagnostic).as_deref(), expected, "{reported:?} {diagnostic:?}");
        }
    }

    #[test]
    fn similar_numbers_are_not_a_status() {
        for text in ["5.1", "5.1.1.1", "3.1.1", "15.1.1", "5.1.1234", "5..1", "", "."] {
            assert_eq!(enhanced(text), None, "{text}");
        }
        assert_eq!(enhanced("said (5.1.10)."), Some("5.1.10"));
    }
}
