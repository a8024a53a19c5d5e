//! Redirect URIs: permitted ones, and the match with the registered ones.

/// Maximum length of a redirect URI in bytes.
pub const MAX_URI_BYTES: usize = 2048;
/// Maximum redirect URIs of a client.
pub const MAX_URIS: usize = 10;

/// Schemes that run code in the browser or read local files, schemes that lead to other protocols, and handlers of
/// operating systems and browsers.
const REFUSED_SCHEMES: [&str; 34] = [
    "about",
    "blob",
    "content",
    "data",
    "feed",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "jar",
    "javascript",
    "ldap",
    "ldaps",
    "livescript",
    "mailto",
    "mhtml",
    "mk",
    "mocha",
    "moz-extension",
    "res",
    "resource",
    "search",
    "search-ms",
    "shell",
    "smb",
    "sms",
    "ssh",
    "tel",
    "telnet",
    "vbscript",
    "view-source",
    "ws",
    "wss",
    "x-javascript",
];
/// Beginnings of schemes that start programs of Windows, other browsers and conferences, pages of the browser and
/// installations on Apple devices.
const REFUSED_PREFIXES: [&str; 8] =
    ["chrome", "firefox", "googlechrome", "itms-", "microsoft-", "ms-", "opera", "zoom"];
/// Hosts of the machine of the person, on which native clients listen (RFC 8252, section 7.3).
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// Kind of a redirect URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// A site, proved by its certificate.
    Https,
    /// A program on the machine of the person. Any program there can listen.
    Loopback,
    /// A private scheme. Any program of the machine can claim it.
    PrivateScheme,
}

/// Returns the kind of a redirect URI.
///
/// # Errors
/// The reason, for a URI that is not permitted.
pub fn kind_of(uri: &str) -> Result<RedirectKind, &'static str> {
    if uri.len() > MAX_URI_BYTES {
        return Err("a redirect URI has at most 2048 characters");
    }
    if !uri.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'`')) {
        return Err("a redirect URI holds printable ASCII characters only; percent-encode others");
    }
    if uri.contains('#') {
        return Err("a redirect URI has no fragment");
    }
    let (scheme, rest) = uri.split_once(':').ok_or("a redirect URI is absolute")?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if !is_scheme {
        return Err("a redirect URI begins with a scheme");
    }
    if !matches!(scheme.as_str(), "http" | "https") {
        let is_refused = REFUSED_SCHEMES.contains(&scheme.as_str())
            || REFUSED_PREFIXES.iter().any(|prefix| scheme.starts_with(prefix))
            || rest.trim_start_matches('/').is_empty();
        return if is_refused { Err("this scheme is not permitted") } else { Ok(RedirectKind::PrivateScheme) };
    }
    let rest = rest.strip_prefix("//").ok_or("a redirect URI of http or https has a host")?;
    let (host, port) = split_authority(rest).ok_or("the host of the redirect URI is malformed")?;
    let is_port = port.is_none_or(|port| !port.starts_with('+') && port.parse::<u16>().is_ok());
    if !is_port || !is_host(host) {
        return Err("the host of a redirect URI has no user, no wildcard and a valid port");
    }
    match scheme.as_str() {
        "https" => Ok(RedirectKind::Https),
        _ if LOOPBACK_HOSTS.contains(&host.to_ascii_lowercase().as_str()) => Ok(RedirectKind::Loopback),
        _ => Err("http is permitted for 127.0.0.1, [::1] and localhost only; use https"),
    }
}

/// Returns the authority of a URI after `//`, split into host and port.
fn split_authority(rest: &str) -> Option<(&str, Option<&str>)> {
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if let Some(end) = authority.find(']') {
        let (host, port) = authority.split_at(end + 1);
        return if port.is_empty() { Some((host, None)) } else { Some((host, Some(port.strip_prefix(':')?))) };
    }
    Some(authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))))
}

fn is_host(host: &str) -> bool {
    if let Some(literal) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return literal.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let is_permitted = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !host.is_empty() && host.bytes().all(is_permitted)
}

/// Returns whether a requested redirect URI is one of the registered ones: the same text, except for the port of a
/// loopback URI (RFC 8252, section 7.3).
#[must_use]
pub fn is_registered(registered: &[String], requested: &str) -> bool {
    let Ok(kind) = kind_of(requested) else { return false };
    registered.iter().any(|known| {
        known == requested
            || (kind == RedirectKind::Loopback
                && kind_of(known) == Ok(RedirectKind::Loopback)
                && without_port(known) == without_port(requested))
    })
}

/// Returns host and remainder of a loopback URI.
fn without_port(uri: &str) -> Option<(String, &str)> {
    let (_, rest) = uri.split_once("://")?;
    let (host, port) = split_authority(rest)?;
    let behind = rest.get(host.len() + port.map_or(0, |port| port.len() + 1)..)?;
    Some((host.to_ascii_lowercase(), behind))
}

/// Returns the part of a redirect URI that the consent page shows: the host, or the private scheme with its colon.
#[must_use]
pub fn shown_host(uri: &str) -> String {
    let (scheme, rest) = uri.split_once(':').unwrap_or((uri, ""));
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return format!("{scheme}:");
    }
    let rest = rest.trim_start_matches('/');
    split_authority(rest).map_or_else(String::new, |(host, _)| host.to_ascii_lowercase())
}
