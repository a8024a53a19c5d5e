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

/// Status of a reply that names a dead mailbox.
const DEAD_MAILBOX: &str = "5.0.0";
/// Status of a full mailbox, which is not a dead address (RFC 5321, section 4.2.3).
const FULL_MAILBOX: &str = "5.2.2";
/// Status of a refusal because of the sender or a policy.
const POLICY_REFUSAL: &str = "5.7.1";

/// Words of replies about a dead mailbox, in lower case.
const MAILBOX_WORDS: [&str; 23] = [
    "user unknown",
    "unknown user",
    "mailbox unknown",
    "unknown mailbox",
    "recipient unknown",
    "unknown recipient",
    "account unknown",
    "unknown account",
    "no such",
    "no mailbox",
    "not exist",
    "doesn't exist",
    "not found",
    "mailbox unavailable",
    "invalid mailbox",
    "invalid recipient",
    "invalid address",
    "bad destination mailbox",
    "inactive",
    "disabled",
    "no longer available",
    "unrouteable",
    "unroutable",
];

/// Words of replies about the sender, in lower case. They decide, because such replies may also name a mailbox: a server
/// may look up the mailbox of the sender.
const SENDER_WORDS: [&str; 17] = [
    "sender",
    "spam",
    "block",
    "blacklist",
    "listed",
    "reputation",
    "relay",
    "policy",
    "your ip",
    "dns",
    "rbl",
    "spf",
    "dkim",
    "dmarc",
    "helo",
    "reverse",
    "ptr",
];

/// Returns the status of a permanent refusal of a recipient without an enhanced code.
///
/// Most of these replies concern the address of the server, the sender or the content. The recipient must not be suppressed
/// for them, so the address counts as dead only if the text says so. Addresses in the text are not read.
#[must_use]
pub fn refusal_status(code: u16, text: &str) -> &'static str {
    if code == 552 {
        return FULL_MAILBOX;
    }
    let words: Vec<&str> = text.split_whitespace().filter(|word| !word.contains('@')).collect();
    let text = words.join(" ").to_ascii_lowercase();
    let names_any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_dead = matches!(code, 550 | 551 | 553) && names_any(&MAILBOX_WORDS) && !names_any(&SENDER_WORDS);
    if is_dead { DEAD_MAILBOX } else { POLICY_REFUSAL }
}

/// Returns the status of a negative server reply: its enhanced code, or the status that its reply code and text mean.
pub(super) fn of_reply(text: &str) -> Option<String> {
    if let Some(status) = enhanced(text).filter(|status| is_refusal(status)) {
        return Some(status.to_owned());
    }
    let (code, reply) = find_reply(text)?;
    if code.starts_with('4') {
        return Some("4.0.0".to_owned());
    }
    Some(refusal_status(code.parse().ok()?, reply).to_owned())
}

/// Returns the reply code of a text, and the text from its word on. Names of hosts before it say nothing about the reason.
fn find_reply(text: &str) -> Option<(&str, &str)> {
    let is_separator = |c: char| !(c.is_ascii_alphanumeric() || ".:".contains(c));
    let mut rest = text;
    while !rest.is_empty() {
        let (word, behind) = rest.split_once(is_separator).unwrap_or((rest, ""));
        if let Some(code) = reply_code(word) {
            return Some((code, rest));
        }
        rest = behind;
    }
    None
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
            (Some("5.0.0"), Some("Postfix 2.5.1; 550 no"), Some("5.7.1")),
            (Some("5.0.0"), Some("smtp; 550 Your IP 192.0.2.1 is listed"), Some("5.7.1")),
            (Some("5.0.0"), Some("smtp; 554 Transaction failed"), Some("5.7.1")),
            (Some("5.0.0"), Some("smtp; 550 No such user here"), Some("5.0.0")),
            (Some("5.1.1"), Some("smtp; 550 Your IP 192.0.2.1 is listed"), Some("5.1.1")),
            (Some("5.0.0"), Some("smtp; 550 5.1.1 blocked"), Some("5.1.1")),
            (None, Some("smtp; host mx.spamfilter.example said: 550 User unknown"), Some("5.0.0")),
            (None, Some("smtp; 550:User unknown"), Some("5.0.0")),
            (None, Some("smtp; 550-Requested action not taken\n550 No such mailbox"), Some("5.0.0")),
            (None, Some("smtp; unknown user, host said: 550 no"), Some("5.7.1")),
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
    fn only_text_about_dead_mailbox_blames_recipient() {
        for (code, text, expected) in [
            (550, "User unknown", "5.0.0"),
            (550, "No such user here", "5.0.0"),
            (550, "<relay@outside.example>: Recipient address rejected: User unknown in virtual table", "5.0.0"),
            (550, "Requested action not taken: mailbox unavailable", "5.0.0"),
            (550, "Unrouteable address", "5.0.0"),
            (551, "unknown user", "5.0.0"),
            (553, "bad destination mailbox address", "5.0.0"),
            (553, "mailbox name not allowed", "5.7.1"),
            (550, "Your IP 192.0.2.1 is listed at Spamhaus", "5.7.1"),
            (550, "rejected by our Policy", "5.7.1"),
            (550, "Relay access denied", "5.7.1"),
            (550, "Administrative prohibition", "5.7.1"),
            (550, "Sender verify failed", "5.7.1"),
            (550, "Verification failed for <a@b.example>\n550-Unrouteable address\n550 Sender verify failed", "5.7.1"),
            (550, "Reverse DNS not found", "5.7.1"),
            (550, "<disabled@outside.example>: rejected", "5.7.1"),
            (550, "no", "5.7.1"),
            (554, "Transaction failed", "5.7.1"),
            (554, "User unknown", "5.7.1"),
            (501, "syntax", "5.7.1"),
            (552, "mailbox is full", "5.2.2"),
        ] {
            assert_eq!(refusal_status(code, text), expected, "{code} {text}");
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
