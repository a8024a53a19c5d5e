//! Entity tags of single resources and conditional `GET` (RFC 9110, sections 8.8.3 and 13.1.2).
//!
//! The tag is a digest of the JSON that would be sent, so it needs no version of any row. A `304` therefore saves transfer
//! and parsing, never a check: authentication, scope and permission of the request have passed before.

use actix_web::body::{self, BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use actix_web::http::{Method, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Bytes of the largest response that has a tag: the digest of it is computed on the thread of the connection.
const MAX_TAGGED_BYTES: u64 = 1024 * 1024;
/// Bytes of the digest in a tag.
const TAG_BYTES: usize = 16;
/// Paths of single resources that end with no parameter.
const SINGLETONS: [&str; 3] = ["/v0/organizations", "/v0/auth/me", "/v0/billing"];
/// Ends of the paths of resources of which each scope has one.
const SCOPE_SINGLETONS: [&str; 3] = ["/policy", "/legal-hold", "/calendar"];
/// A client may store the response and has to revalidate it before each use (RFC 9111, section 5.2.2.4).
const REVALIDATE: &str = "private, no-cache";

/// Adds an `ETag` to a single resource. Returns `304` if the request already has that tag.
///
/// A download of a JSON file has the tag of its content, which its parts have too (RFC 9110, section 8.8.3).
pub(super) fn apply(response: ServiceResponse<BoxBody>, route: Option<&str>) -> ServiceResponse<BoxBody> {
    let is_resource = matches!(*response.request().method(), Method::GET | Method::HEAD)
        && response.status() == StatusCode::OK
        && !response.headers().contains_key(ETAG)
        && route.is_some_and(is_single_resource)
        && response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let is_small = matches!(response.response().body().size(), BodySize::Sized(size) if size <= MAX_TAGGED_BYTES);
    if !is_resource || !is_small {
        return response;
    }
    let (request, response) = response.into_parts();
    let (mut response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(body) => body,
        // A stream has no digest before its end.
        Err(body) => return ServiceResponse::new(request, response.set_body(body)),
    };
    let tag = entity_tag(&body);
    let is_known = tag.to_str().is_ok_and(|tag| matches(request.headers(), tag));
    response.headers_mut().insert(ETAG, tag);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(REVALIDATE));
    let body = if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
        BoxBody::new(body::None::new())
    } else {
        BoxBody::new(body)
    };
    ServiceResponse::new(request, response.set_body(body))
}

/// Returns whether a route of the table names one resource.
fn is_single_resource(route: &str) -> bool {
    // The link to an attachment differs on each request.
    let is_link = route.contains("/attachments/");
    let is_single = route.ends_with('}')
        || SINGLETONS.contains(&route)
        || SCOPE_SINGLETONS.iter().any(|resource| route.ends_with(resource));
    route.starts_with("/v0/") && !is_link && is_single
}

/// Returns the strong entity tag of a body.
fn entity_tag(body: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(body);
    let text = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest[..TAG_BYTES]));
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Returns whether `If-None-Match` lists a tag, by weak comparison, or is `*`.
pub(crate) fn matches(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|listed| listed == "*" || listed.strip_prefix("W/").unwrap_or(listed) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_with_one_resource_have_tags() {
        for (route, expected) in [
            ("/v0/inboxes/{inbox_id}", true),
            ("/v0/inboxes/{inbox_id}/messages/{message_id}", true),
            ("/v0/lists/{direction}/{type}/{entry}", true),
            ("/v0/auth/me", true),
            ("/v0/legal-hold", true),
            ("/v0/pods/{pod_id}/policy", true),
            ("/v0/inboxes/{inbox_id}/calendar", true),
            ("/v0/inboxes/{inbox_id}/calendar/agenda", false),
            ("/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}", false),
            ("/v0/inboxes", false),
            ("/v0/inboxes/{inbox_id}/messages", false),
            ("/docs/assets/{file}", false),
            ("/health", false),
        ] {
            assert_eq!(is_single_resource(route), expected, "{route}");
        }
    }

    #[test]
    fn if_none_match_is_a_list_of_weak_or_strong_tags() {
        for (value, expected) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("\"b\",W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(value));
            assert_eq!(matches(&headers, "\"a\""), expected, "{value}");
        }
        assert!(!matches(&HeaderMap::new(), "\"a\""));
    }
}
