//! Links in outgoing text.

use inboxd_mail::EmailAddress;

use crate::rules::trust::folded;

/// Schemes of URLs without slashes.
const BARE_SCHEMES: [&str; 6] = ["http", "https", "ftp", "ftps", "mailto", "javascript"];
/// Beginnings of URLs that lead to a place in the message itself.
const INNER_URLS: [&str; 3] = ["#", "cid:", "data:"];

/// Returns whether a text contains a link: a URL of any scheme, or the name of a host with a path, which programs make a
/// link.
#[must_use]
pub fn contains_link(text: &str) -> bool {
    let text = folded(text).to_ascii_lowercase();
    text.contains("www.")
        || text.match_indices(':').any(|(at, _)| is_scheme(text.split_at(at)))
        || text.split(|c: char| c.is_whitespace() || "<>()[]\"',;".contains(c)).any(is_host_with_path)
}

/// Returns whether the URL of an attribute or of CSS leads out of the message.
#[must_use]
pub fn leads_out(url: &str) -> bool {
    !url.is_empty() && !INNER_URLS.iter().any(|begin| begins_with(url, begin))
}

/// Returns whether a URL has its content within itself.
#[must_use]
pub fn is_data_url(url: &str) -> bool {
    begins_with(url, "data:")
}

/// Returns the recipient that a request to a URL reaches: any mailbox of its host. `None` for a text that names no host.
#[must_use]
pub fn recipient_of_url(url: &str) -> Option<EmailAddress> {
    let url = url.trim().replace(['\t', '\n', '\r'], "");
    let (_, rest) = url.split_once(':')?;
    let authority = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let host = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let forms = [format!("url@{host}"), format!("url@[{bare}]"), format!("url@[IPv6:{bare}]")];
    forms.iter().find_map(|form| form.parse().ok())
}

fn begins_with(url: &str, begin: &str) -> bool {
    url.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin))
}

/// Returns whether a colon, which begins the second text, ends the scheme of a URL.
fn is_scheme((before, rest): (&str, &str)) -> bool {
    let start = before
        .rfind(|c: char| !c.is_ascii_alphanumeric())
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let scheme = before.get(start..).unwrap_or_default();
    let behind = rest.get(1..).unwrap_or_default();
    let is_bare = BARE_SCHEMES.contains(&scheme) && behind.starts_with(|c: char| !c.is_whitespace());
    let mut signs = behind.chars();
    let has_slashes = [signs.next(), signs.next()].iter().all(|sign| matches!(sign, Some('/' | '\\')));
    is_bare || (has_slashes && scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn is_host_with_path(word: &str) -> bool {
    let Some((host, _)) = word.split_once('/') else { return false };
    let Some((names, top)) = host.split(':').next().and_then(|host| host.rsplit_once('.')) else { return false };
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
    names.split('.').all(is_name) && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_any_form() {
        for (text, expected) in [
            ("see HTTPS://a.example", true),
            ("https:/a.example", true),
            ("https:\\\\a.example", true),
            ("ftp://a.example/x", true),
            ("git+ssh://a.example", true),
            ("<mailto:anna@a.example>", true),
            ("(file://x)", true),
            ("ｈｔｔｐ://a.example", true),
            ("ä:https://a.example", true),
            ("www.example.org", true),
            ("Log in at bank.example/login, please", true),
            ("(Bank.Example:8443/)", true),
            ("a.example", false),
            ("Note: see http: and C:\\\\Users at 10://", false),
            ("and/or, e.g./i.e., 3.5/4, 10.12.2026/11, ../src/lib.rs, src/lib.rs", false),
            ("", false),
        ] {
            assert_eq!(contains_link(text), expected, "{text}");
        }
    }

    #[test]
    fn request_to_a_url_reaches_its_host() {
        for (url, expected) in [
            ("https://files.example/a", Some("url@files.example")),
            ("HTTPS://anna@good.example:8443?x", Some("url@good.example")),
            ("https://evil.example\\@good.example/", Some("url@evil.example")),
            ("http://10.0.0.1:80/x", Some("url@[10.0.0.1]")),
            ("http://[::1]:80/x", Some("url@[IPv6:::1]")),
            ("no url", None),
            ("https://", None),
        ] {
            let found = recipient_of_url(url).map(|address| address.to_string());
            assert_eq!(found.as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn urls_lead_out_of_the_message_or_into_it() {
        for (url, expected) in
            [("x", true), ("//a.example", true), ("#top", false), ("CID:1@a", false), ("data:,x", false), ("", false)]
        {
            assert_eq!(leads_out(url), expected, "{url}");
        }
        assert!(is_data_url("Data:,x") && !is_data_url("x"));
    }
}
