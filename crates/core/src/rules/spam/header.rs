//! Spam checks of header and envelope.

use inboxd_mail::{EmailAddress, HeaderAddress};

use super::signal::SpamSignal;
use crate::ports::SuspectMail;

/// Providers of free addresses without proof of identity.
const FREE_MAIL: &[&str] = &[
    "gmail.com",
    "googlemail.com",
    "outlook.com",
    "hotmail.com",
    "live.com",
    "yahoo.com",
    "aol.com",
    "gmx.com",
    "gmx.net",
    "gmx.de",
    "web.de",
    "mail.ru",
    "yandex.ru",
    "yandex.com",
    "protonmail.com",
    "proton.me",
    "icloud.com",
    "mail.com",
    "zoho.com",
    "qq.com",
    "163.com",
    "126.com",
];
/// Minimum letters of a subject in capitals that counts as shouting.
const MIN_SHOUT_LETTERS: usize = 12;

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let parsed = mail.parsed;
    let from = parsed.from.first();
    let is_to_nobody = parsed.to.is_empty() && parsed.cc.is_empty();
    let has_name = mail.client.is_none_or(|(_, helo)| is_host_name(helo));
    [
        SpamSignal::when(from.is_none(), "NO_FROM", 2.0, "it has no sender"),
        SpamSignal::when(parsed.date.is_none(), "NO_DATE", 1.0, "it has no date"),
        SpamSignal::when(parsed.message_id.is_none(), "NO_MESSAGE_ID", 0.5, "it has no Message-ID"),
        SpamSignal::when(is_to_nobody, "TO_NOBODY", 0.5, "neither To nor Cc has an address"),
        SpamSignal::when(!has_name, "HELO_NO_NAME", 0.5, "its client gave no host name"),
        SpamSignal::when(
            from.is_some_and(claims_another),
            "FROM_CLAIMS_ANOTHER",
            2.5,
            "the name of its sender shows an address of another domain",
        ),
        SpamSignal::when(
            from.is_some_and(|from| parsed.reply_to.iter().any(|to| leads_to_free_mail(from, to))),
            "REPLY_TO_FREE_MAIL",
            1.5,
            "replies go to a free mailbox that is not its sender's",
        ),
        SpamSignal::when(
            parsed.subject.as_deref().is_some_and(is_shouted),
            "SHOUTED_SUBJECT",
            1.0,
            "its subject is in capitals",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns whether the HELO name is a host name or an address literal (RFC 5321, section 4.1.3).
fn is_host_name(helo: &str) -> bool {
    helo.starts_with('[') || (helo.contains('.') && helo.parse::<std::net::IpAddr>().is_err())
}

/// Returns whether the display name is an address of another domain: `"service@bank.example" <x@elsewhere.example>`.
fn claims_another(from: &HeaderAddress) -> bool {
    let Some(name) = &from.name else { return false };
    let own = domain_of(&from.address);
    name.split(|c: char| c.is_whitespace() || "<>()\"',;".contains(c))
        .filter_map(|word| word.parse::<EmailAddress>().ok())
        .any(|shown| !within(&shown.domain(), &own) && !within(&own, &shown.domain()))
}

fn leads_to_free_mail(from: &HeaderAddress, reply_to: &HeaderAddress) -> bool {
    let (from_domain, to_domain) = (domain_of(&from.address), domain_of(&reply_to.address));
    FREE_MAIL.contains(&to_domain.as_str())
        && !from.address.eq_ignore_ascii_case(&reply_to.address)
        // Two mailboxes at the same free provider usually belong to one person.
        && from_domain != to_domain
}

fn is_shouted(subject: &str) -> bool {
    let letters = subject.chars().filter(|c| c.is_alphabetic()).count();
    // Scripts without letter case cannot shout.
    letters >= MIN_SHOUT_LETTERS && subject.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
}

fn domain_of(address: &str) -> String {
    address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()).unwrap_or_default()
}

fn within(domain: &str, other: &str) -> bool {
    domain.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
