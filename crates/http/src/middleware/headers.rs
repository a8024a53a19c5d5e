//! Headers of every answer.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::request_id::X_REQUEST_ID;

/// What an answer says unless its handler said otherwise: nothing in it is a program, a frame or for a cache to keep.
const DEFAULTS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (CACHE_CONTROL, "no-store"),
];

/// Adds the headers, and the id of the request.
pub(crate) fn add(headers: &mut HeaderMap, request_id: &str) {
    for (name, value) in DEFAULTS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, id);
    }
}
