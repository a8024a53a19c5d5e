//! Properties of a URL that indicate its purpose.

use super::links::LinkKind;

/// Maximum length of an extracted URL in bytes.
const MAX_URL_BYTES: usize = 2_048;
/// Minimum length of a token in bytes.
const MIN_TOKEN_BYTES: usize = 16;
/// Minimum length in bytes of a token with thoroughly mixed digits and letters.
const MIN_MIXED_TOKEN_BYTES: usize = 10;
/// Minimum length in bytes of a parameter value with a token-like name.
const MIN_NAMED_TOKEN_BYTES: usize = 6;

/// Words of paths and parameters by purpose. The first row with a match applies.
const KIND_WORDS: &[(LinkKind, &[&str])] = &[
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

/// Words of links that unsubscribe, deny or report; they override all other words.
const OPT_OUT_WORDS: &[&str] = &[
    "unsubscribe",
    "unsub",
    "optout",
    "deny",
    "notme",
    "revoke",
    "report",
    "reject",
    "decline",
    "cancel",
    "abuse",
    "abmelden",
    "desabonner",
];

/// Words of public pages. Links with a token may lie below them: `/help/verify-email?token=…`.
const PUBLIC_PAGE_WORDS: &[&str] = &[
    "preferences",
    "privacy",
    "terms",
    "legal",
    "help",
    "faq",
    "imprint",
    "impressum",
    "webversion",
    "support",
    "docs",
    "kb",
    "article",
    "articles",
    "blog",
    "commit",
    "commits",
    "pull",
    "issues",
];

/// Properties of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UrlTraits {
    /// Purpose that its words suggest.
    pub(super) kind: Option<LinkKind>,
    /// True if the URL contains an unguessable value, as confirmation links do.
    pub(super) has_token: bool,
    /// True if the URL leads to a public page or opts out.
    pub(super) leads_away: bool,
}

/// Returns true for an `http` or `https` URL without white space.
pub(super) fn is_web(url: &str) -> bool {
    let scheme = |name: &str| url.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    url.len() <= MAX_URL_BYTES
        && (scheme("http://") || scheme("https://"))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

pub(super) fn inspect_url(url: &str) -> UrlTraits {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = behind_scheme.find(['/', '?', '#']).and_then(|at| behind_scheme.get(at..)).unwrap_or_default();
    // Gateways wrap a URL in one of their own and escape its characters.
    let escapes = [("%2f", "/"), ("%3f", "?"), ("%3d", "="), ("%26", "&"), ("%3a", ":")];
    let lower = escapes.iter().fold(path.to_ascii_lowercase(), |lower, (escape, sign)| lower.replace(escape, sign));
    let (kind, has_token) = (kind_of(&lower), has_token(path));
    // The query often contains the origin or the next page. Only paths count, including those of URLs in the query, and
    // parameter values that are one word, as in `action=unsubscribe`.
    let leads_away = path.trim_matches('/').is_empty()
        || values(&lower).any(|value| has(value, OPT_OUT_WORDS))
        || paths(&lower).find_map(|path| leads_away(path, has_token)).unwrap_or(false);
    UrlTraits { kind, has_token, leads_away }
}

fn kind_of(path: &str) -> Option<LinkKind> {
    KIND_WORDS.iter().find(|(_, row)| has(path, row)).map(|(kind, _)| *kind)
}

/// Returns true if a path leads away; `None` for an unknown path.
fn leads_away(path: &str, has_token: bool) -> Option<bool> {
    if has(path, OPT_OUT_WORDS) {
        Some(true)
    } else if has_token && kind_of(path).is_some() {
        Some(false)
    } else {
        (has(path, PUBLIC_PAGE_WORDS) || path.contains("how-to") || path.contains("how_to")).then_some(true)
    }
}

/// Returns the path of a lower-case URL and the paths of URLs in its query.
fn paths(lower: &str) -> impl Iterator<Item = &str> {
    lower.split("://").enumerate().map(|(number, url)| {
        let start = if number == 0 { Some(0) } else { url.find('/') };
        let path = start.and_then(|start| url.get(start..)).unwrap_or_default();
        path.split(['?', '#', '&']).next().unwrap_or_default()
    })
}

/// Returns the parameter values of a URL that are a single word.
fn values(lower: &str) -> impl Iterator<Item = &str> {
    let query = lower.split_once('?').map_or("", |(_, query)| query);
    let values = query.split('&').map(|part| part.rsplit('=').next().unwrap_or_default());
    values.filter(|value| value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_')))
}

/// Returns true if a word of the row occurs in part of a URL. "opt-in" also counts as one word.
fn has(part: &str, row: &[&str]) -> bool {
    let has_words = |part: &str| part.split(not_alphanumeric).any(|word| row.contains(&word));
    has_words(part) || (part.contains(['-', '_']) && has_words(&part.replace(['-', '_'], "")))
}

fn not_alphanumeric(c: char) -> bool {
    !c.is_ascii_alphanumeric()
}

fn has_token(path: &str) -> bool {
    let parts = path.split(['/', '?', '&', '#', ';']);
    parts.filter(|part| !part.is_empty()).any(|part| {
        let (name, value) = part.split_once('=').map_or((None, part), |(name, value)| (Some(name), value));
        // Analytics tools name a campaign like this, with the same value for all recipients.
        if name.is_some_and(|name| name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("utm_"))) {
            return false;
        }
        let is_named = name.is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            ["token", "code", "key", "hash", "sig", "secret", "ticket", "otp", "nonce", "t", "k", "c", "h"]
                .iter()
                .any(|known| name == *known || (known.len() > 3 && name.ends_with(known)))
        });
        (is_named && value.len() >= MIN_NAMED_TOKEN_BYTES) || is_random(value)
    })
}

/// Returns true for a generated value: long, of digits and letters, without words separated by dashes.
fn is_random(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let upper = part.bytes().filter(u8::is_ascii_uppercase).count();
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_long =
        part.len() >= MIN_TOKEN_BYTES && letters > 0 && ((digits >= 1 && upper >= 2) || digits >= 5 || upper >= 5);
    is_long || (part.len() >= MIN_MIXED_TOKEN_BYTES && digits >= 3 && digits + letters == part.len() && is_mixed(part))
}

/// Returns true if digits and letters alternate more often than in a written word.
fn is_mixed(part: &str) -> bool {
    let turns = part.bytes().zip(part.bytes().skip(1));
    turns.filter(|(one, next)| one.is_ascii_digit() != next.is_ascii_digit()).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_words_indicate_their_purpose() {
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
            (
                "https://acme.example/verify?t=8fK2mQ9x&redirect_to=%2Fsettings%2Fpreferences",
                Some(LinkKind::Confirm),
                true,
                false,
            ),
            (
                "https://acme.example/verify?t=8fK2mQ9x&cancel_url=/&utm_source=help&next=/help",
                Some(LinkKind::Confirm),
                true,
                false,
            ),
            (
                "https://acme.example/verify?t=8fK2mQ9x&to=https://acme.example/help",
                Some(LinkKind::Confirm),
                true,
                false,
            ),
            ("https://acme.example/help/verify-email?token=8fK2mQ9x", Some(LinkKind::Confirm), true, false),
            ("https://acme.example/help/verify-email", Some(LinkKind::Confirm), false, true),
            ("https://acme.example/opt-out/confirm?token=8fK2mQ9x", Some(LinkKind::Confirm), true, true),
            ("https://acme.example/?action=unsubscribe&token=8fK2mQ9x", None, true, true),
            ("https://safe.example/?url=https%3A%2F%2Facme.example%2Fhelp%3Fx%3D1&d=0", None, true, true),
            ("https://acme.example/blog/verify-an-address-in-2026", Some(LinkKind::Confirm), false, true),
            (
                "https://acme.example/how-to-verify-email?utm_campaign=9f8a7b6c5d4e3f2a1b",
                Some(LinkKind::Confirm),
                false,
                true,
            ),
            ("https://forge.example/a/b/commit/9f8a7b6c5d4e3f2a1b0c", None, true, true),
            ("https://app.example.com/u/9f8a7b6c5d4e", None, true, false),
            ("https://app.example.com/u/9f8A7b6c5d", None, true, false),
            ("https://app.example.com/u/summer2026sale", None, false, false),
            ("https://app.example.com/u/2026-11-20-q3", None, false, false),
        ] {
            assert_eq!(inspect_url(url), UrlTraits { kind, has_token, leads_away }, "{url}");
        }
    }

    #[test]
    fn only_http_urls_are_web_links() {
        assert!(is_web("HTTPS://a.example/x") && is_web("http://a.example"));
        for url in
            ["javascript:alert(1)", "mailto:a@b.example", "ftp://a.example", "//a.example", "", "https://a.example/ b"]
        {
            assert!(!is_web(url), "{url}");
        }
        assert!(!is_web(&format!("https://a.example/{}", "x".repeat(2_048))));
    }
}
