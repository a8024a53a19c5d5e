//! What the URL of a link tells of it.

use super::links::LinkKind;

/// The longest URL that is given, in octets.
const LONGEST: usize = 2_048;
/// The shortest part of a URL that is taken for a token, in octets.
const SHORTEST_TOKEN: usize = 16;
/// The shortest value of a parameter that is named like one.
const SHORTEST_NAMED_TOKEN: usize = 6;

/// The words of paths and parameters, by what they lead to. The first row that has one of them decides.
const WORDS: &[(LinkKind, &[&str])] = &[
    (
        LinkKind::ResetPassword,
        &[
            "reset",
            "password",
            "passwords",
            "resetpassword",
            "passwordreset",
            "forgot",
            "recover",
            "recovery",
            "passwort",
            "pwreset",
            "pwd",
            "mot-de-passe",
        ],
    ),
    (
        LinkKind::Invitation,
        &["invite", "invites", "invitation", "invitations", "join", "accept", "invited", "einladung", "acceptinvite"],
    ),
    (
        LinkKind::SignIn,
        &["magic", "magiclink", "login", "signin", "passwordless", "sso", "otl", "logon", "onetimelogin"],
    ),
    (
        LinkKind::Confirm,
        &[
            "verify",
            "verification",
            "verifyemail",
            "emailverification",
            "confirm",
            "confirmation",
            "confirmations",
            "confirmemail",
            "validate",
            "validation",
            "activate",
            "activation",
            "optin",
            "doi",
            "confirmer",
            "confirmar",
            "conferma",
            "bestaetigen",
            "bestaetigung",
            "bestatigen",
            "verifier",
            "valider",
            "aktivieren",
            "activar",
            "bevestig",
            "bevestigen",
            "bekraefta",
            "bekrafta",
            "bekreft",
            "bekraeft",
            "vahvista",
            "potwierdz",
            "potvrdit",
            "verif",
        ],
    ),
];

/// Words of links that take leave, complain or explain.
const AWAY: &[&str] = &[
    "unsubscribe",
    "unsub",
    "optout",
    "preferences",
    "privacy",
    "terms",
    "legal",
    "help",
    "faq",
    "deny",
    "notme",
    "revoke",
    "report",
    "reject",
    "decline",
    "cancel",
    "abuse",
    "imprint",
    "impressum",
    "abmelden",
    "desabonner",
    "webversion",
];

/// A URL and what it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    /// What its words lead to.
    pub(super) kind: Option<LinkKind>,
    /// Whether it carries what nobody can guess, as links do that prove something.
    pub(super) has_token: bool,
    /// Whether it leads to a page for everybody, or away.
    pub(super) leads_away: bool,
}

/// Whether a link can be followed by whoever fetches pages.
pub(super) fn is_web(url: &str) -> bool {
    let scheme = |name: &str| url.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    url.len() <= LONGEST
        && (scheme("http://") || scheme("https://"))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

pub(super) fn read(url: &str) -> Target {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = behind_scheme.find(['/', '?', '#']).and_then(|at| behind_scheme.get(at..)).unwrap_or_default();
    // Many a gateway wraps a URL in one of its own, where its signs are escaped.
    let lower =
        path.to_ascii_lowercase().replace("%2f", "/").replace("%3f", "?").replace("%3d", "=").replace("%26", "&");
    // "opt-in" and "opt_out" are read as one word too.
    let joined = lower.replace(['-', '_'], "");
    let words: Vec<&str> = lower.split(not_alphanumeric).chain(joined.split(not_alphanumeric)).collect();
    let has = |row: &[&str]| words.iter().any(|word| row.contains(word));
    Target {
        kind: WORDS.iter().find(|(_, row)| has(row)).map(|(kind, _)| *kind),
        has_token: has_token(path),
        leads_away: path.trim_matches('/').is_empty() || has(AWAY),
    }
}

fn not_alphanumeric(c: char) -> bool {
    !c.is_ascii_alphanumeric()
}

fn has_token(path: &str) -> bool {
    let parts = path.split(['/', '?', '&', '#', ';']);
    parts.filter(|part| !part.is_empty()).any(|part| {
        let (name, value) = part.split_once('=').map_or((None, part), |(name, value)| (Some(name), value));
        let is_named = name.is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            ["token", "code", "key", "hash", "sig", "secret", "ticket", "otp", "nonce", "t", "k", "c", "h"]
                .iter()
                .any(|known| name == *known || (known.len() > 3 && name.ends_with(known)))
        });
        (is_named && value.len() >= SHORTEST_NAMED_TOKEN) || is_random(value)
    })
}

/// Whether a part was thrown by a generator: long, of digits and letters, and no words set off by dashes.
fn is_random(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let upper = part.bytes().filter(u8::is_ascii_uppercase).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    part.len() >= SHORTEST_TOKEN && letters > 0 && ((digits >= 1 && upper >= 2) || digits >= 5 || upper >= 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_tell_what_they_are_for() {
        for (url, kind, has_token, leads_away) in [
            ("https://acme.example/verify?token=a1b2c3", Some(LinkKind::Confirm), true, false),
            ("https://acme.example/opt-in/7f3a9c0e5d1b2846af", Some(LinkKind::Confirm), true, false),
            (
                "https://acme.example/users/password/edit?reset_password_token=Xy7-abc",
                Some(LinkKind::ResetPassword),
                true,
                false,
            ),
            ("https://acme.example/invite/9aXk2LmQ8tYpR4wZ", Some(LinkKind::Invitation), true, false),
            ("https://acme.example/magic?t=abcdef12", Some(LinkKind::SignIn), true, false),
            ("https://click.mail.example/ls/click?upn=u001.K3bZq9XvT2pW7", None, true, false),
            ("https://acme.example/unsubscribe?u=abcdefghijkl", None, false, true),
            (
                "https://safe.example/?url=https%3A%2F%2Facme.example%2Fverify%3Ft%3D1&d=0",
                Some(LinkKind::Confirm),
                true,
                false,
            ),
            ("https://acme.example/", None, false, true),
            ("https://acme.example", None, false, true),
            ("https://acme.example/blog/how-to-verify-an-address-in-2026", Some(LinkKind::Confirm), false, false),
        ] {
            assert_eq!(read(url), Target { kind, has_token, leads_away }, "{url}");
        }
    }

    #[test]
    fn only_the_web_is_followed() {
        assert!(is_web("HTTPS://a.example/x") && is_web("http://a.example"));
        for url in
            ["javascript:alert(1)", "mailto:a@b.example", "ftp://a.example", "//a.example", "", "https://a.example/ b"]
        {
            assert!(!is_web(url), "{url}");
        }
        assert!(!is_web(&format!("https://a.example/{}", "x".repeat(2_048))));
    }
}
