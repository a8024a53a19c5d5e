//! Relay URL: `smtp://user:pass@host:port` or `smtps://…`.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// Address, security and credentials of a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayUrl {
    /// Domain name or IP address. IPv6 addresses have no brackets.
    pub host: String,
    /// TCP port. Default: 465 for `smtps`, 587 for `smtp` with credentials, 25 without.
    pub port: u16,
    /// Start of TLS.
    pub security: RelaySecurity,
    /// Credentials for AUTH.
    pub credentials: Option<RelayCredentials>,
}

/// Start of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelaySecurity {
    /// `smtps`: at the connection (RFC 8314).
    Implicit,
    /// `smtp`: by STARTTLS if the relay offers it (RFC 3207).
    StartTls,
}

/// User name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct RelayCredentials {
    /// The user name.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for RelayCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Reason for which a text is not a relay URL. The texts never repeat the URL, because it may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RelayUrlError {
    /// The scheme is missing or not supported.
    #[error("the relay URL does not begin with smtp:// or smtps://")]
    Scheme,
    /// The host is missing or not valid.
    #[error("the relay URL has no valid host: smtp://user:password@host:port")]
    Host,
    /// The port is not valid.
    #[error("the port of the relay URL is not a number from 1 to 65535")]
    Port,
    /// The URL continues after the port.
    #[error("the relay URL continues after the port; encode / ? and # of a password as %2F %3F %23")]
    Trailing,
    /// Only one of user name and password is present.
    #[error("the relay URL needs both user and password, or neither: smtp://user:password@host:port")]
    Credentials,
    /// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
    #[error("user or password of the relay URL is not percent-encoded: write %25 for %, %40 for @, %3A for :")]
    Encoding,
}

impl FromStr for RelayUrl {
    type Err = RelayUrlError;

    fn from_str(text: &str) -> Result<Self, RelayUrlError> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(RelayUrlError::Scheme)?;
        let security = match scheme.to_ascii_lowercase().as_str() {
            "smtp" => RelaySecurity::StartTls,
            "smtps" => RelaySecurity::Implicit,
            _ => return Err(RelayUrlError::Scheme),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) {
            return Err(RelayUrlError::Trailing);
        }
        let (credentials, address) = match rest.rsplit_once('@') {
            Some((user_info, address)) => (Some(credentials(user_info)?), address),
            None => (None, rest),
        };
        let (host, port) = host_port(address)?;
        let default = match (security, &credentials) {
            (RelaySecurity::Implicit, _) => 465,
            (RelaySecurity::StartTls, Some(_)) => 587,
            (RelaySecurity::StartTls, None) => 25,
        };
        Ok(Self { host, port: port.unwrap_or(default), security, credentials })
    }
}

fn credentials(user_info: &str) -> Result<RelayCredentials, RelayUrlError> {
    let (user, password) = user_info.split_once(':').ok_or(RelayUrlError::Credentials)?;
    if user.is_empty() || password.is_empty() {
        return Err(RelayUrlError::Credentials);
    }
    Ok(RelayCredentials { user: decode(user)?, password: decode(password)? })
}

fn host_port(address: &str) -> Result<(String, Option<u16>), RelayUrlError> {
    if let Some(rest) = address.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or(RelayUrlError::Host)?;
        let host: Ipv6Addr = host.parse().map_err(|_| RelayUrlError::Host)?;
        let port = match rest.strip_prefix(':') {
            Some(port) => Some(port),
            None if rest.is_empty() => None,
            None => return Err(RelayUrlError::Host),
        };
        return Ok((host.to_string(), port.map(read_port).transpose()?));
    }
    let (host, port) = match address.split_once(':') {
        Some((host, port)) => (host, Some(read_port(port)?)),
        None => (address, None),
    };
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    if host.is_empty() || host.len() > 253 || !host.bytes().all(allowed) {
        return Err(RelayUrlError::Host);
    }
    Ok((host.to_owned(), port))
}

fn read_port(port: &str) -> Result<u16, RelayUrlError> {
    match port.parse() {
        Ok(number) if number > 0 && port.bytes().all(|b| b.is_ascii_digit()) => Ok(number),
        _ => Err(RelayUrlError::Port),
    }
}

/// Decodes percent-encoding (RFC 3986, section 2.1). NUL is refused, because AUTH PLAIN uses it as a separator.
fn decode(text: &str) -> Result<String, RelayUrlError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2).ok_or(RelayUrlError::Encoding)?;
        let digits = str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.filter(|&byte| byte != 0).ok_or(RelayUrlError::Encoding)?);
        rest = after;
    }
    String::from_utf8(bytes).map_err(|_| RelayUrlError::Encoding)
}
