//! Links whose text names another host than their target, as in phishing.

use super::hosts::{base_domain, has_common_top_level, unicode_host};
use super::kinds::MisleadingLink;
use crate::sanitize::is_invisible;

/// Hosts that forward to a target, by their ending: trackers of mail programs, shorteners, checks of corporate mail.
const REDIRECTORS: &[&str] = &[
    "avanan.click",
    "awstrack.me",
    "bit.ly",
    "cudasvc.com",
    "hs-sites.com",
    "hubspotlinks.com",
    "list-manage.com",
    "lnkd.in",
    "mailchi.mp",
    "mailgun.org",
    "mandrillapp.com",
    "mimecast.com",
    "mjt.lu",
    "proofpoint.com",
    "protection.sophos.com",
    "pstmrk.it",
    "rs6.net",
    "safelinks.protection.outlook.com",
    "secure-web.cisco.com",
    "sendgrid.net",
    "t.co",
    "urldefense.com",
    "urldefense.us",
    // Other hosts of the company have pages of anybody.
    "www.google.com",
    "youtu.be",
];

/// Returns the finding for a link whose words name a host of another domain than its target.
pub(crate) fn misleading(target: &str, words: &str) -> Option<MisleadingLink> {
    let words = words.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    // Only a host name without other words presents itself as the target.
    if words.contains(char::is_whitespace) || words.contains('@') || !words.contains('.') {
        return None;
    }
    let words: String = words.chars().filter(|c| !is_invisible(*c)).collect();
    let words = words.trim_matches(['(', ')', '[', ']', '<', '>', '"', '\'', ',', ';', '!', '«', '»', '“', '”', '„']);
    let target_host = host(target)?;
    let has_scheme = words.contains("://");
    let shown_host = if has_scheme { host(words)? } else { host(&format!("http://{words}"))? };
    let is_name = is_host_name(&shown_host) && (has_scheme || is_address_like(words, &shown_host));
    let is_redirector = || REDIRECTORS.iter().any(|known| is_below(&target_host, known));
    let matches_target = || unicode_host(base_domain(&shown_host)) == unicode_host(base_domain(&target_host));
    if !is_name || matches_target() || is_redirector() {
        return None;
    }
    Some(MisleadingLink { shown_host, target_host })
}

/// Returns the host of a web link in lower case.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    // Browsers accept any number of slashes, and backslashes too.
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// Returns true for a name below a top-level domain of letters.
fn is_host_name(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_top =
        (2..=24).contains(&top.chars().count()) && (top.chars().all(char::is_alphabetic) || top.starts_with("xn--"));
    is_top && labels.next().is_some_and(|name| !name.is_empty()) && host.split('.').all(|label| !label.is_empty())
}

/// Returns true if words without a scheme name a web address, not a file, a person or a piece of software.
fn is_address_like(words: &str, host: &str) -> bool {
    let is_lower = words.split('/').next().is_some_and(|name| !name.contains(char::is_uppercase));
    is_lower && (host.starts_with("www.") || has_common_top_level(host))
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_other_hosts_mislead() {
        let is_misleading = |target: &str, words: &str| misleading(target, words).is_some();
        for (target, words) in [
            ("http://evil.example/x", "https://www.bank.example/login"),
            ("https://bank.example.evil.test/x", "bank.example"),
            ("https://198.51.100.7/", "www.bank.example"),
            ("https://bank.example@evil.test/", "http://bank.example"),
            ("https://evil.test/a", "bank.example/login"),
            ("https://evil.test/?x=bank.example", "www.bank.example"),
            ("https://evil.test/bank.example/login", "https://bank.example/login"),
            ("https://evil.co.uk/", "bank.co.uk"),
            ("https:\\\\evil.test/", "www.bank.example"),
            ("https:evil.test", "bank.example"),
            ("https://evil.test/", "(bank.example)"),
            ("https://evil.test/", "www.ba\u{200b}nk.example"),
            ("https://evil.test/", "\u{200b} bank.example"),
            ("https://evil.test/", "www.bank.somewhere"),
            ("https://evil.test/", "https://пример.рф/"),
            ("https://evil.test/", "пример.рф"),
            ("https://sites.google.com/evil", "bank.example"),
            ("https://xn--mller-kva.example", "muller.example"),
        ] {
            assert!(is_misleading(target, words), "{target} {words}");
        }
        for (target, words) in [
            ("https://bank.example/x", "www.bank.example"),
            ("https://login.bank.example", "bank.example."),
            ("https://evil.test", "our shop at bank.example"),
            ("https://evil.test", "Bank"),
            ("https://evil.test", "report.v2.pdf"),
            ("https://evil.test", "Node.js"),
            ("https://evil.test", "3.14"),
            ("https://forge.test/anna", "anna.weber"),
            ("https://forge.test/blob/1", "main.go"),
            ("https://forge.test/blob/2", "app/models/user.rb"),
            ("https://forge.test/blob/3", "main.tf"),
            ("https://files.test/1", "minutes.odt"),
            ("https://files.test/2", "plan.dwg"),
            ("https://social.test/", "@anna.bank.example"),
            ("https://xn--mller-kva.example/", "www.müller.example"),
            ("https://müller.example/", "xn--mller-kva.example"),
            ("https://bank.example/", "www.bank\u{ad}.example"),
            ("https://evil.test", "me@bank.example"),
            ("mailto:me@evil.test", "bank.example"),
            ("https://eur03.safelinks.protection.outlook.com/?url=https%3A%2F%2Fbank.example", "https://bank.example"),
            ("https://www.google.com/url?q=https://bank.example/", "www.bank.example"),
            ("https://t.co/abc", "https://bank.example/news"),
        ] {
            assert!(!is_misleading(target, words), "{target} {words}");
        }
    }
}
