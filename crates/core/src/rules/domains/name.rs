//! Validation of custom domain names.

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use crate::model::DomainName;

/// Maximum length of a domain in bytes. With the longest prefix of its records it is still a valid name (RFC 1035,
/// section 2.3.4), and with the longest username a valid address (RFC 5321, section 4.5.3.1).
pub const MAX_DOMAIN_BYTES: usize = 180;

/// Parses a domain name into its stored form: lower case, internationalized labels as A-labels (RFC 5890).
///
/// # Errors
/// The reason, for a text that is no domain name.
pub fn parse(text: &str) -> Result<DomainName, String> {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    let ascii = Uts46::new()
        .to_ascii(text.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify)
        .map_err(|_| "must be a domain name such as example.org".to_owned())?;
    if ascii.len() > MAX_DOMAIN_BYTES {
        return Err(format!("a domain has at most {MAX_DOMAIN_BYTES} characters in its ASCII form"));
    }
    let Some((_, top)) = ascii.rsplit_once('.') else {
        return Err("must be a whole domain name such as example.org".to_owned());
    };
    // No top-level domain is numeric; such a name is an IP address (RFC 3696, section 2).
    if top.bytes().all(|c| c.is_ascii_digit()) {
        return Err("must be a domain name, not an IP address".to_owned());
    }
    Ok(DomainName::stored(ascii.into_owned()))
}

/// Parses a custom domain name, which must not be one of the service's own domains or below one.
///
/// # Errors
/// The reason, for a name that cannot be a custom domain.
pub fn custom(text: &str, hosted: &[&str]) -> Result<DomainName, String> {
    let name = parse(text)?;
    match hosted.iter().find(|own| name.is_within(own)) {
        Some(own) => Err(format!("{own} is the service's own; bring a domain of yours")),
        None => Ok(name),
    }
}

/// Special-use names without an owner on the Internet (RFC 6761, RFC 6762).
const LOCAL: [&str; 4] = ["localhost", "local", "test", "invalid"];

/// Returns whether a domain can only be resolved on this machine or network.
#[must_use]
pub fn is_local(domain: &str) -> bool {
    domain.rsplit_once('.').is_none_or(|(_, top)| LOCAL.contains(&top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stored_in_one_form() {
        for (text, stored) in [
            ("example.org", "example.org"),
            (" Mail.EXAMPLE.org. ", "mail.example.org"),
            ("münchen.example", "xn--mnchen-3ya.example"),
            ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
            ("bücher.例え.jp", "xn--bcher-kva.xn--r8jz45g.jp"),
            ("r3---sn.example.org", "r3---sn.example.org"),
            ("1.2.3.example", "1.2.3.example"),
        ] {
            assert_eq!(parse(text).as_ref().map(DomainName::as_str), Ok(stored), "{text}");
        }
    }

    #[test]
    fn invalid_domain_name_is_refused() {
        let long_label = format!("{}.example", "a".repeat(64));
        let long_name = format!("{}example.org", "a23456789.".repeat(17));
        for text in [
            "",
            ".",
            "org",
            "localhost",
            "192.0.2.1",
            "[192.0.2.1]",
            "2001:db8::1",
            "a..b.org",
            ".example.org",
            "-a.org",
            "a-.org",
            "a b.org",
            "a_b.org",
            "*.example.org",
            "example.org/",
            "user@example.org",
            "xn--a.org",
            "a.org\0",
            "a.org\nMX",
            &long_label,
            &long_name,
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn own_domain_or_subdomain_is_refused() {
        let hosted = ["inboxd.example", "signup.inboxd.example"];
        for text in ["inboxd.example", "INBOXD.example.", "signup.inboxd.example", "a.b.inboxd.example"] {
            assert!(custom(text, &hosted).is_err(), "{text}");
        }
        for text in ["notinboxd.example", "inboxd.example.org", "example.org"] {
            assert!(custom(text, &hosted).is_ok(), "{text}");
        }
    }

    #[test]
    fn local_domain_is_recognized() {
        for domain in ["inboxd.localhost", "signup.inboxd.localhost", "localhost", "mail.local", "a.test", "box"] {
            assert!(is_local(domain), "{domain}");
        }
        for domain in ["example.org", "localhost.example.org", "mail.latest"] {
            assert!(!is_local(domain), "{domain}");
        }
    }

    #[test]
    fn parents_are_named_nearest_first() -> Result<(), String> {
        let names = parse("a.b.example.org")?.with_parents();
        let names: Vec<&str> = names.iter().map(DomainName::as_str).collect();
        assert_eq!(names, ["a.b.example.org", "b.example.org", "example.org"]);
        Ok(())
    }
}
