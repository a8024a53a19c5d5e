//! Spam checks of links.

use std::net::Ipv4Addr;

use inboxd_mail::{HtmlLink, html_links};

use super::signal::{SpamSignal, beginning};
use crate::ports::SuspectMail;

/// Minimum letters of a message with pictures; with fewer it has no readable text.
const MIN_READABLE_LETTERS: usize = 20;

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let Some(html) = mail.parsed.html.as_deref().map(beginning) else { return Vec::new() };
    let links = html_links(html);
    let any = |asked: fn(&HtmlLink) -> bool| links.iter().any(asked);
    let letters = mail
        .parsed
        .text
        .as_deref()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_alphabetic())
        .take(MIN_READABLE_LETTERS);
    let is_wordless = letters.count() < MIN_READABLE_LETTERS && html.contains("<img");
    [
        SpamSignal::when(
            any(leads_elsewhere),
            "LINK_LEADS_ELSEWHERE",
            1.5,
            "a link shows one host and leads to another",
        ),
        SpamSignal::when(any(leads_to_address), "LINK_TO_ADDRESS", 1.5, "a link leads to a host without a name"),
        SpamSignal::when(any(has_user), "LINK_WITH_USER", 2.5, "a link hides its host behind a user name"),
        SpamSignal::when(any(is_disguised), "LINK_DISGUISED", 1.0, "a link leads to a name in foreign letters"),
        SpamSignal::when(any(is_program), "LINK_IS_PROGRAM", 2.0, "a link runs something"),
        SpamSignal::when(is_wordless, "ONLY_PICTURES", 1.0, "it has pictures and hardly a word"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the authority of a web link: user, host and port.
fn authority(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_web.then(|| rest.split(['/', '?', '#', '\\']).next().unwrap_or_default())
}

/// Returns the host of a web link in lower case.
fn host(target: &str) -> Option<String> {
    let authority = authority(target)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default();
    Some(host.trim_end_matches('.').to_lowercase()).filter(|host| !host.is_empty())
}

/// Returns whether the text of a link is a host name of another domain than its target.
fn leads_elsewhere(link: &HtmlLink) -> bool {
    let Some(leads_to) = host(&link.target) else { return false };
    let words = link.words.trim();
    if words.contains(char::is_whitespace) {
        return false;
    }
    let shown = if words.contains("://") { host(words) } else { host(&format!("http://{words}")) };
    let is_name = |shown: &String| {
        let last = shown.rsplit('.').next().unwrap_or_default();
        shown.contains('.') && !words.contains('@') && last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic())
    };
    shown.filter(is_name).is_some_and(|shown| base(&shown) != base(&leads_to))
}

/// Returns the last two labels of a name, which approximate the registered domain; the error is on the lenient side.
fn base(host: &str) -> String {
    let mut labels: Vec<&str> = host.rsplit('.').take(2).collect();
    labels.reverse();
    labels.join(".")
}

fn leads_to_address(link: &HtmlLink) -> bool {
    host(&link.target).is_some_and(|host| host.parse::<Ipv4Addr>().is_ok())
}

fn has_user(link: &HtmlLink) -> bool {
    authority(&link.target).is_some_and(|authority| authority.contains('@'))
}

fn is_disguised(link: &HtmlLink) -> bool {
    host(&link.target).is_some_and(|host| !host.is_ascii() || host.split('.').any(|label| label.starts_with("xn--")))
}

fn is_program(link: &HtmlLink) -> bool {
    let target = link.target.to_ascii_lowercase();
    target.starts_with("javascript:") || target.starts_with("data:") || target.starts_with("vbscript:")
}
