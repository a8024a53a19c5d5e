//! Addr-spec of RFC 5321 (section 4.1.2) and RFC 5322 (section 3.4.1) with the letters of RFC 6531.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

use crate::sanitize::is_invisible;

/// Maximum length of an address in bytes (RFC 5321, section 4.5.3.1.3, without the brackets of the path).
///
/// A local part may use all of it. Return paths that encode a recipient often exceed the 64 bytes of section 4.5.3.1.1,
/// and that section recommends that receivers accept more.
const MAX_ADDRESS_BYTES: usize = 254;
/// Maximum length of one label of a domain in bytes (RFC 1035, section 2.3.4).
const MAX_DOMAIN_LABEL_BYTES: usize = 63;

/// Reason why a text is not a valid address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Empty text.
    #[error("the address is empty")]
    Empty,
    /// CR, LF, NUL or another control or invisible character.
    #[error("the address contains a control character")]
    ControlCharacter,
    /// No `@`.
    #[error("the address has no @")]
    NoAt,
    /// More than 254 bytes, as written or in lower case.
    #[error("the address exceeds 254 bytes")]
    TooLong,
    /// The part before the `@` is neither a dot-atom nor a quoted string.
    #[error("the local part is not valid")]
    LocalPart,
    /// The part after the `@` is not a domain name.
    #[error("the domain is not valid")]
    Domain,
    /// A display name of more than 256 characters.
    #[error("the display name exceeds 256 characters")]
    NameTooLong,
    /// Anything other than exactly one `Name <address>`.
    #[error("not exactly one mailbox of the form `Name <address>`")]
    Mailbox,
}

/// A validated address that compares without regard to case and needless quotes, and preserves its original spelling.
#[derive(Clone)]
pub struct EmailAddress {
    written: String,
    normalized: String,
}

impl EmailAddress {
    /// Returns the address as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns the local part as written, including quotes.
    #[must_use]
    pub fn local(&self) -> &str {
        self.written.rsplit_once('@').map_or("", |(local, _)| local)
    }

    /// Returns the domain in lower case.
    #[must_use]
    pub fn domain(&self) -> String {
        self.normalized.rsplit_once('@').map_or_else(String::new, |(_, domain)| domain.to_owned())
    }

    /// Returns the address in lower case without needless quotes, the form for comparison and for keys.
    #[must_use]
    pub fn normalized(&self) -> String {
        self.normalized.clone()
    }

    /// Returns the normalized address without its `+tag`: `agent+x@b.c` becomes `agent@b.c`.
    #[must_use]
    pub fn without_tag(&self) -> String {
        let Some((local, domain)) = self.normalized.rsplit_once('@') else {
            return self.normalized.clone();
        };
        match local.split_once('+') {
            Some((name, _)) if !name.is_empty() && !local.starts_with('"') => {
                format!("{name}@{domain}")
            }
            _ => self.normalized.clone(),
        }
    }
}

impl FromStr for EmailAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim_matches([' ', '\t']);
        if text.is_empty() {
            return Err(AddressError::Empty);
        }
        if text.chars().any(|c| c.is_control() || is_invisible(c)) {
            return Err(AddressError::ControlCharacter);
        }
        validate_address(text)?;
        let (local, domain) = text.rsplit_once('@').ok_or(AddressError::NoAt)?;
        let normalized = format!("{}@{domain}", canonical_local(local)).to_lowercase();
        if !text.is_ascii() {
            // A letter beyond ASCII can be longer in lower case, and the stored lower-case form must parse again.
            validate_address(&normalized)?;
        }
        Ok(Self { written: text.to_owned(), normalized })
    }
}

fn validate_address(text: &str) -> Result<(), AddressError> {
    let (local, domain) = text.rsplit_once('@').ok_or(AddressError::NoAt)?;
    if text.len() > MAX_ADDRESS_BYTES {
        return Err(AddressError::TooLong);
    }
    if !is_dot_atom(local) && !is_quoted_string(local) {
        return Err(AddressError::LocalPart);
    }
    if !is_domain(domain) && !is_address_literal(domain) {
        return Err(AddressError::Domain);
    }
    Ok(())
}

/// Returns an address of a header in the form for comparison, see [`EmailAddress::normalized`]; a malformed one in lower
/// case.
#[must_use]
pub fn normalized_address(text: &str) -> String {
    text.parse::<EmailAddress>().map_or_else(|_| text.trim().to_lowercase(), |address| address.normalized)
}

/// Returns a local part without needless quotes and escapes: both forms are the same mailbox (RFC 5321, section 4.1.2).
#[must_use]
pub fn canonical_local(local: &str) -> Cow<'_, str> {
    let Some(quoted) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Cow::Borrowed(local);
    };
    let mut plain = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    if !is_dot_atom(&plain) {
        plain = format!("\"{}\"", plain.replace('\\', r"\\").replace('"', "\\\""));
    }
    Cow::Owned(plain)
}

fn is_dot_atom(local: &str) -> bool {
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atext))
}

fn is_atext(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        c if c.is_ascii() => "!#$%&'*+-/=?^_`{|}~".contains(c),
        c => !c.is_whitespace(),
    }
}

/// Returns true for a quoted string with escaped quotes and backslashes (RFC 5321, `Quoted-string`).
fn is_quoted_string(local: &str) -> bool {
    let Some(inner) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return false;
    };
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return false,
            '\\' if !chars.next().is_some_and(|escaped| escaped.is_ascii()) => return false,
            _ => {}
        }
    }
    local.len() > 1
}

/// Returns true for `[192.0.2.1]` or `[IPv6:2001:db8::1]` (RFC 5321, section 4.1.3).
fn is_address_literal(domain: &str) -> bool {
    let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return false;
    };
    match literal.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => address.parse::<Ipv6Addr>().is_ok(),
        _ => literal.parse::<Ipv4Addr>().is_ok(),
    }
}

/// Returns true for a domain name. Host names have no underscores, but some senders use domains that contain one.
fn is_domain(domain: &str) -> bool {
    let mut last_is_number = false;
    for label in domain.split('.') {
        let bad_end = label.starts_with('-') || label.ends_with('-');
        let allowed =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || (!c.is_ascii() && !c.is_whitespace());
        if label.is_empty() || label.len() > MAX_DOMAIN_LABEL_BYTES || bad_end || !label.chars().all(allowed) {
            return false;
        }
        last_is_number = label.bytes().all(|b| b.is_ascii_digit());
    }
    !last_is_number
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmailAddress({})", self.written)
    }
}

impl PartialEq for EmailAddress {
    fn eq(&self, other: &Self) -> bool {
        self.normalized == other.normalized
    }
}

impl Eq for EmailAddress {}

impl PartialOrd for EmailAddress {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EmailAddress {
    fn cmp(&self, other: &Self) -> Ordering {
        self.normalized.cmp(&other.normalized)
    }
}

impl Hash for EmailAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.normalized.hash(state);
    }
}
