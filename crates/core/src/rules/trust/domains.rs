//! Domains that resemble another one.

pub use inboxd_mail::base_domain;
use inboxd_mail::unicode_host;

use super::confusables::skeleton;
use super::reason::Resemblance;

/// Minimum length in letters of a name that may be one edit from another one; shorter names are often neighbours.
const MIN_EDITED_LETTERS: usize = 6;
/// Minimum length in letters of a name with two exchanged letters.
const MIN_EXCHANGED_LETTERS: usize = 5;
/// Minimum length in letters of a name that may look like another one.
const MIN_CONFUSED_LETTERS: usize = 4;
/// The same for a name with letters outside ASCII.
const MIN_FOREIGN_LETTERS: usize = 3;
/// Mail providers and names that are neighbours of one another without intent.
const WELL_KNOWN: &[&str] = &[
    "aol",
    "email",
    "fastmail",
    "gmail",
    "gmx",
    "googlemail",
    "hotmail",
    "icloud",
    "live",
    "mail",
    "outlook",
    "proton",
    "protonmail",
    "rocketmail",
    "yahoo",
    "yandex",
    "ymail",
    "zohomail",
];

/// Registered domains of other mail providers.
const PROVIDERS: &[&str] = &[
    "126.com",
    "163.com",
    "bol.com.br",
    "btinternet.com",
    "comcast.net",
    "daum.net",
    "free.fr",
    "freenet.de",
    "hanmail.net",
    "hey.com",
    "hushmail.com",
    "inbox.lv",
    "interia.pl",
    "laposte.net",
    "libero.it",
    "list.ru",
    "mac.com",
    "mailbox.org",
    "me.com",
    "msn.com",
    "naver.com",
    "o2.pl",
    "onet.pl",
    "orange.fr",
    "pm.me",
    "posteo.de",
    "qq.com",
    "rambler.ru",
    "rediffmail.com",
    "seznam.cz",
    "t-online.de",
    "tuta.com",
    "tutanota.com",
    "uol.com.br",
    "web.de",
    "wp.pl",
    "ya.ru",
    "zoho.com",
    "ziggo.nl",
];

/// Returns whether strangers to one another have addresses at a registered domain.
pub(super) fn is_mail_provider(base: &str) -> bool {
    WELL_KNOWN.contains(&parts(base).0) || PROVIDERS.contains(&base)
}

/// Returns how a domain resembles a known one; `None` for the same registered domain, and for one that only has another
/// ending, as companies of several countries have. A letter left out of a common ending is one edit.
#[must_use]
pub fn resembles(domain: &str, known: &str) -> Option<Resemblance> {
    let (domain, known) = (unicode(domain), unicode(known));
    let ((name, suffix), (known_name, known_suffix)) = (parts(&domain), parts(&known));
    if name == known_name {
        let is_edited = is_cut_ending(suffix, known_suffix) && !WELL_KNOWN.contains(&name);
        return (is_edited && name.chars().count() >= MIN_EDITED_LETTERS).then_some(Resemblance::OneEdit);
    }
    if WELL_KNOWN.contains(&name) {
        return None;
    }
    let letters = name.chars().count().min(known_name.chars().count());
    // Numbers tell hosts of a series apart, and stand for letters in all other names.
    let without_digits = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    if without_digits(name) == without_digits(known_name) {
        return None;
    }
    // A short name of other letters is no neighbour.
    let least = if name.is_ascii() { MIN_CONFUSED_LETTERS } else { MIN_FOREIGN_LETTERS };
    if letters >= least && skeleton(name) == skeleton(known_name) {
        return Some(Resemblance::Confusable);
    }
    let edit = edit_between(name, known_name).filter(|_| suffix == known_suffix)?;
    let least = if edit == Edit::Exchanged { MIN_EXCHANGED_LETTERS } else { MIN_EDITED_LETTERS };
    (letters >= least).then_some(Resemblance::OneEdit)
}

/// Returns whether two registered domains differ in their endings at most.
pub(super) fn has_same_name(domain: &str, other: &str) -> bool {
    parts(&unicode(domain)).0 == parts(&unicode(other)).0
}

/// Returns whether an ending is a common one without one of its letters. It exists beside the common one.
fn is_cut_ending(suffix: &str, common: &str) -> bool {
    matches!((suffix, common), ("co" | "cm" | "om", "com") | ("ne" | "et", "net"))
}

/// Returns whether a registered domain has the name of another one, perhaps beside a word and a hyphen: `weber-bau.com` and
/// `weber-bau-mail.de` that of `weber-bau.de`. Short names, and those of mail providers, belong to many.
pub(super) fn has_name_of(domain: &str, known: &str) -> bool {
    let (name, known_name) = (parts(domain).0, parts(known).0);
    let is_beside_word = || {
        name.strip_prefix(known_name).is_some_and(|rest| rest.starts_with('-'))
            || name.strip_suffix(known_name).is_some_and(|rest| rest.ends_with('-'))
    };
    // Nearly every pair of domains ends here, and each mail is compared with all known ones.
    (name == known_name || is_beside_word())
        && known_name.chars().count() >= MIN_EDITED_LETTERS
        && !is_mail_provider(domain)
        && !is_mail_provider(known)
}

/// Returns the registered domain with internationalized labels as letters (RFC 5890).
pub(super) fn unicode(domain: &str) -> String {
    unicode_host(&base_domain(domain).to_lowercase())
}

/// Splits a registered domain into its name and the suffix.
pub(super) fn parts(domain: &str) -> (&str, &str) {
    domain.split_once('.').unwrap_or((domain, ""))
}

/// Returns false for texts that are certainly more than one edit apart. It reads most texts to their first letter only.
pub(super) fn is_nearly(one: &str, other: &str) -> bool {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let same_start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    // Two exchanged letters, of up to four bytes each.
    let edited = if one.is_ascii() && other.is_ascii() { 2 } else { 8 };
    same_start + same_end + edited >= a.len().max(b.len())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    Changed,
    Exchanged,
}

/// Returns the single edit between two different names: a letter added, left out or replaced, or two neighbours
/// exchanged.
fn edit_between(one: &str, other: &str) -> Option<Edit> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same_start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(same_start..)?, other.get(same_start..)?);
    let same_end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(..one.len() - same_end)?, other.get(..other.len() - same_end)?);
    match (one, other) {
        ([_], [] | [_]) | ([], [_]) => Some(Edit::Changed),
        ([a, b], [c, d]) if a == d && b == c => Some(Edit::Exchanged),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_domain_has_two_labels_or_three_below_shared_ones() {
        for (host, base) in [
            ("a.example.org", "example.org"),
            ("example.org.", "example.org"),
            ("mail.example.co.uk", "example.co.uk"),
            ("example.co.uk", "example.co.uk"),
            ("shop.com.au", "shop.com.au"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("", ""),
        ] {
            assert_eq!(base_domain(host), base, "{host}");
        }
    }

    #[test]
    fn domains_resemble_by_looks_or_one_edit() {
        for (domain, known, resemblance) in [
            ("paypa1.com", "paypal.com", Some(Resemblance::Confusable)),
            ("g00gle.com", "google.com", Some(Resemblance::Confusable)),
            ("xn--mller-kva.example", "muller.example", Some(Resemblance::Confusable)),
            ("раураl.com", "paypal.com", Some(Resemblance::Confusable)),
            ("mail.rnodular.net", "modular.com", Some(Resemblance::Confusable)),
            ("weber-bua.de", "weber-bau.de", Some(Resemblance::OneEdit)),
            ("weberbaus.de", "weberbau.de", Some(Resemblance::OneEdit)),
            ("gmial.com", "gmail.com", Some(Resemblance::OneEdit)),
            ("xn--wn-emc.example", "own.example", Some(Resemblance::Confusable)),
            ("weber-bau.co", "weber-bau.com", Some(Resemblance::OneEdit)),
            ("weber-bau.com", "weber-bau.co", None),
            ("weber-bau.co.uk", "weber-bau.com", None),
            ("acme.co", "acme.com", None),
            ("outlook.co", "outlook.com", None),
            ("mail.weber-bau.de", "weber-bau.de", None),
            ("weber-bau.com", "weber-bau.de", None),
            ("weberbaus.com", "weberbau.de", None),
            ("node2.example.org", "node1.example.org", None),
            ("server12.net", "server11.net", None),
            ("email.com", "gmail.com", None),
            ("gmail.com", "email.com", None),
            ("abc.com", "abd.com", None),
            ("acme.com", "acne.com", None),
        ] {
            assert_eq!(resembles(domain, known), resemblance, "{domain} {known}");
        }
    }

    #[test]
    fn name_of_domain_is_found_under_other_ending_and_beside_word() {
        for (domain, known, expected) in [
            ("weber-bau.com", "weber-bau.de", true),
            ("weber-bau-mail.de", "weber-bau.de", true),
            ("my-weber-bau.com", "weber-bau.de", true),
            ("weber-bauer.de", "weber-bau.de", false),
            ("weber.de", "weber-bau.de", false),
            ("acme.com", "acme.de", false),
            ("outlook.de", "outlook.com", false),
            ("tutanota.de", "tutanota.com", false),
        ] {
            assert_eq!(has_name_of(domain, known), expected, "{domain} {known}");
        }
    }
}
