//! Access of browser-based clients to metadata and token endpoints (CORS).
//!
//! No cookie counts at these paths, so a page of any origin gets what every other client gets. The pages for people are
//! not among them.

use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderMap, HeaderName, HeaderValue,
};

use crate::error::is_oauth_endpoint;

/// Headers of every response.
const RESPONSE: [(HeaderName, &str); 2] =
    [(ACCESS_CONTROL_ALLOW_ORIGIN, "*"), (ACCESS_CONTROL_EXPOSE_HEADERS, "retry-after, www-authenticate")];
/// Further headers of a preflight response.
const PREFLIGHT: [(HeaderName, &str); 2] = [
    (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, mcp-protocol-version"),
    (ACCESS_CONTROL_MAX_AGE, "86400"),
];

/// Adds the headers to the response of a route that browser-based clients call.
pub(super) fn add(headers: &mut HeaderMap, route: Option<&str>, method: &Method) {
    if !route.is_some_and(|route| route.starts_with("/.well-known/") || is_oauth_endpoint(route)) {
        return;
    }
    let is_preflight = method == Method::OPTIONS;
    for (name, value) in RESPONSE.into_iter().chain(PREFLIGHT.into_iter().filter(|_| is_preflight)) {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(methods) = headers.get(ALLOW).filter(|_| is_preflight).cloned() {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    }
}
