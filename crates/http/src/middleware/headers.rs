//! Headers of every response.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::request_id::X_REQUEST_ID;

/// Default headers, unless the handler sets its own: the response is no program, no frame and not cacheable.
const DEFAULTS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (CACHE_CONTROL, "no-store"),
];

/// Policy of responses over TLS (RFC 6797): browsers use TLS only, for a year. Over plain HTTP it has no effect.
const HSTS: &str = "max-age=31536000";

/// Adds the default headers and the request id.
pub(crate) fn add(headers: &mut HeaderMap, request_id: &str, is_secure: bool) {
    if is_secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
    for (name, value) in DEFAULTS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, id);
    }
}
