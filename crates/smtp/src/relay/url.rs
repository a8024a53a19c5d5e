//! Where a relay is: `smtp://user:pass@host:port` or `smtps://…`.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// Where a relay is, and who we are to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayUrl {
    /// A domain name or address; an IPv6 address stands without brackets.
    pub host: String,
    /// The TCP port. Without one in the URL: 465 for `smtps`, 587 for `smtp` with credentials, 25 without.
    pub port: u16,
    /// When TLS begins.
    pub security: Security,
    /// For AUTH.
    pub credentials: Option<Credentials>,
}

/// When TLS begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// `smtps`: at once (RFC 8314).
    Implicit,
    /// `smtp`: by STARTTLS when the relay offers it (RFC 3207).
    StartTls,
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user name.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Why a text is no relay's URL. The texts never repeat the URL, for it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Another scheme, or none.
    #[error("a relay's URL begins with smtp:// or smtps://")]
    Scheme,
    /// No host, or one that cannot be.
    #[error("the relay's URL has no valid host: smtp://user:password@host:port")]
    Host,
    /// Not a port number.
    #[error("the port of the relay's URL is not a number from 1 to 65535")]
    Port,
    /// Something after the port.
    #[error("the relay's URL ends with the port; encode / ? and # of a password as %2F %3F %23")]
    Trailing,
    /// A user name without password, or the other way round.
    #[error("the relay's URL needs both user and password, or neither: smtp://user:password@host:port")]
    Credentials,
    /// A `%` without two hexadecimal digits, or octets that are no text.
    #[error("user or password of the relay's URL are not well encoded: a % stands as %25, an @ as %40, a : as %3A")]
    Encoding,
}

impl FromStr for RelayUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(UrlError::Scheme)?;
        let security = match scheme.to_ascii_lowercase().as_str() {
            "smtp" => Security::StartTls,
            "smtps" => Security::Implicit,
            _ => return Err(UrlError::Scheme),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) {
            return Err(UrlError::Trailing);
        }
        let (credentials, address) = match rest.rsplit_once('@') {
            Some((user_info, address)) => (Some(credentials(user_info)?), address),
            None => (None, rest),
        };
        let (host, port) = host_port(address)?;
        let default = match (security, &credentials) {
            (Security::Implicit, _) => 465,
            (Security::StartTls, Some(_)) => 587,
            (Security::StartTls, None) => 25,
        };
        Ok(Self { host, port: port.unwrap_or(default), security, credentials })
    }
}

fn credentials(user_info: &str) -> Result<Credentials, UrlError> {
    let (user, password) = user_info.split_once(':').ok_or(UrlError::Credentials)?;
    if user.is_empty() || password.is_empty() {
        return Err(UrlError::Credentials);
    }
    Ok(Credentials { user: decode(user)?, password: decode(password)? })
}

fn host_port(address: &str) -> Result<(String, Option<u16>), UrlError> {
    if let Some(rest) = address.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or(UrlError::Host)?;
        let host: Ipv6Addr = host.parse().map_err(|_| UrlError::Host)?;
        let port = match rest.strip_prefix(':') {
            Some(port) => Some(port),
            None if rest.is_empty() => None,
            None => return Err(UrlError::Host),
        };
        return Ok((host.to_string(), port.map(read_port).transpose()?));
    }
    let (host, port) = match address.split_once(':') {
        Some((host, port)) => (host, Some(read_port(port)?)),
        None => (address, None),
    };
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    if host.is_empty() || host.len() > 253 || !host.bytes().all(allowed) {
        return Err(UrlError::Host);
    }
    Ok((host.to_owned(), port))
}

fn read_port(port: &str) -> Result<u16, UrlError> {
    match port.parse() {
        Ok(number) if number > 0 && port.bytes().all(|b| b.is_ascii_digit()) => Ok(number),
        _ => Err(UrlError::Port),
    }
}

/// RFC 3986 section 2.1. NUL is refused: AUTH PLAIN separates its fields by it.
fn decode(text: &str) -> Result<String, UrlError> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            octets.push(first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2).ok_or(UrlError::Encoding)?;
        let digits = str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let octet = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        octets.push(octet.filter(|&octet| octet != 0).ok_or(UrlError::Encoding)?);
        rest = after;
    }
    String::from_utf8(octets).map_err(|_| UrlError::Encoding)
}
