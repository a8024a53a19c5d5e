//! Mailbox of RFC 5322, section 3.4: a display name and an address.

use std::fmt;
use std::str::FromStr;

use super::email::{AddressError, EmailAddress};

/// Maximum length of a display name in characters; longer names in a header are cut.
pub(crate) const MAX_DISPLAY_NAME_CHARS: usize = 256;

/// `Display Name <a@b>` from a header or from a caller.
///
/// `Display` writes the readable, unencoded form: `Name <a@b>`, or the bare address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    /// Display name without quotes; never empty.
    pub name: Option<String>,
    /// The address.
    pub address: EmailAddress,
}

impl FromStr for Mailbox {
    type Err = AddressError;

    /// Parses exactly one mailbox: `a@b`, `<a@b>`, `Name <a@b>` or `"Quoted, Name" <a@b>`.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text.chars().any(char::is_control) {
            return Err(AddressError::ControlCharacter);
        }
        let text = text.trim();
        let Some(head) = text.strip_suffix('>') else {
            return Ok(Self { name: None, address: text.parse()? });
        };
        let (name, address) = head.rsplit_once('<').ok_or(AddressError::Mailbox)?;
        let name = display_name(name.trim())?;
        if name.as_ref().is_some_and(|name| name.chars().nth(MAX_DISPLAY_NAME_CHARS).is_some()) {
            return Err(AddressError::NameTooLong);
        }
        Ok(Self { name, address: address.parse()? })
    }
}

/// Parses a quoted string, or words without the characters that separate mailboxes.
fn display_name(name: &str) -> Result<Option<String>, AddressError> {
    let Some(inner) = name.strip_prefix('"') else {
        let separator = |c| matches!(c, ',' | ';' | '<' | '>' | '"');
        if name.contains(separator) {
            return Err(AddressError::Mailbox);
        }
        return Ok(Some(name.to_owned()).filter(|name| !name.is_empty()));
    };
    let mut unquoted = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    loop {
        match chars.next() {
            Some('"') if chars.as_str().is_empty() => break,
            Some('"') | None => return Err(AddressError::Mailbox),
            Some('\\') => unquoted.extend(chars.next()),
            Some(c) => unquoted.push(c),
        }
    }
    Ok(Some(unquoted.trim().to_owned()).filter(|name| !name.is_empty()))
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.address),
            None => write!(f, "{}", self.address),
        }
    }
}
