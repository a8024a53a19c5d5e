//! Resource indicators: the server for which a token is valid (RFC 8707).

/// Paths below the issuer that are resources of this server.
const PATHS: [&str; 3] = ["", "/mcp", "/v0"];

/// Returns whether a resource is this server: the issuer, or `/mcp` or `/v0` below it. Scheme and host have any case, and
/// one final slash is permitted.
#[must_use]
pub fn is_this_server(issuer: &str, resource: &str) -> bool {
    let Some((origin, path)) = resource.split_at_checked(issuer.len()) else { return false };
    let path = path.strip_suffix('/').unwrap_or(path);
    origin.eq_ignore_ascii_case(issuer) && PATHS.contains(&path)
}

/// Returns the issuer of a base URL: its origin without final slash. `None` for a base URL with a path, which turns OAuth
/// off, because clients look for the metadata at the root of the host.
#[must_use]
pub fn issuer_of(base_url: &str) -> Option<String> {
    let base_url = base_url.strip_suffix('/').unwrap_or(base_url);
    let (_, host) = base_url.split_once("://")?;
    let is_origin = !host.is_empty() && !host.contains(['/', '?', '#', '@']);
    is_origin.then(|| base_url.to_owned())
}
