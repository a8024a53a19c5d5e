//! Links whose text names another host than their target, as in phishing.

use super::hosts::base_domain;
use super::kinds::MisleadingLink;

/// Hosts that forward to a target, by their ending: trackers of mail programs, shorteners, checks of corporate mail.
const REDIRECTORS: &[&str] = &[
    "awstrack.me",
    "bit.ly",
    "google.com",
    "hs-sites.com",
    "hubspotlinks.com",
    "list-manage.com",
    "lnkd.in",
    "mailchi.mp",
    "mailgun.org",
    "mandrillapp.com",
    "mimecast.com",
    "mjt.lu",
    "outlook.com",
    "proofpoint.com",
    "rs6.net",
    "sendgrid.net",
    "t.co",
    "urldefense.com",
    "urldefense.us",
    "youtu.be",
];

/// Returns the finding for a link whose words name a host of another domain than its target.
pub(crate) fn misleading(target: &str, words: &str) -> Option<MisleadingLink> {
    let words = words.trim();
    // Only a host name without other words presents itself as the target.
    if words.contains(char::is_whitespace) || words.contains('@') || !words.contains('.') {
        return None;
    }
    let target_host = host(target)?;
    let has_scheme = words.contains("://");
    let shown_host = if has_scheme { host(words)? } else { host(&format!("http://{words}"))? };
    let is_name = is_host_name(&shown_host) && (has_scheme || is_address_like(words, &shown_host));
    let is_redirector = REDIRECTORS.iter().any(|known| is_below(&target_host, known));
    if !is_name || base_domain(&shown_host) == base_domain(&target_host) || is_redirector {
        return None;
    }
    Some(MisleadingLink { shown_host, target_host })
}

/// Returns the host of a web link in lower case.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_lowercase())
}

/// Returns true for a name below a top-level domain of letters.
fn is_host_name(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_top = (2..=24).contains(&top.len()) && top.bytes().all(|b| b.is_ascii_alphabetic());
    is_top && labels.next().is_some_and(|name| !name.is_empty()) && host.split('.').all(|label| !label.is_empty())
}

/// Returns true if words without a scheme name a web address, not a file or a piece of software.
fn is_address_like(words: &str, host: &str) -> bool {
    const FILES: [&str; 24] = [
        "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "csv", "zip", "png", "jpg", "jpeg", "gif", "html",
        "htm", "js", "ts", "py", "rs", "md", "json", "xml", "eml",
    ];
    let top = host.rsplit('.').next().unwrap_or_default();
    let is_lower = words.split('/').next().is_some_and(|name| !name.contains(|c: char| c.is_ascii_uppercase()));
    is_lower && !FILES.contains(&top) && host.contains(|c: char| c.is_ascii_alphabetic())
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
