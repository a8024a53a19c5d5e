//! Request fields and query parameters that no operation reads, named in the response header `Inboxd-Ignored-Fields`.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, OnceLock};

use actix_web::http::Method;
use actix_web::http::header::{HeaderName, HeaderValue, IF_MATCH};
use actix_web::{HttpMessage, HttpRequest};
use inboxd_core::model::Breadth;
use url::form_urlencoded;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, ParameterIn};

use crate::openapi::names_scope;
use crate::router;
use crate::routes::{self, RouteEndpoint, RouteEntry};

/// The header.
pub(crate) const INBOXD_IGNORED_FIELDS: HeaderName = HeaderName::from_static("inboxd-ignored-fields");
/// The most names in the header.
pub(crate) const MAX_NAMES: usize = 20;
/// The most characters of a name; the rest is cut off.
pub(crate) const MAX_NAME_CHARS: usize = 64;

/// The ignored fields of a body, stored with the request until its response.
struct IgnoredFields(Vec<String>);

/// An operation of a route. Its first request reads the query parameters from the description.
struct ListedOperation {
    method: &'static str,
    describe: fn() -> Operation,
    /// Whether the path names the pod or inbox that the handler also lists as a query parameter.
    is_scoped: bool,
    query_parameters: OnceLock<HashSet<String>>,
}

impl ListedOperation {
    fn of(endpoint: &RouteEndpoint) -> Self {
        Self {
            method: endpoint.method,
            describe: endpoint.operation,
            is_scoped: endpoint.offer.is_some_and(|offer| offer.scope != Breadth::Organization),
            query_parameters: OnceLock::new(),
        }
    }

    fn query_parameters(&self) -> &HashSet<String> {
        self.query_parameters.get_or_init(|| query_parameters((self.describe)(), self.is_scoped))
    }
}

/// All operations by route pattern.
static OPERATIONS: LazyLock<HashMap<&'static str, Vec<ListedOperation>>> = LazyLock::new(|| {
    let listed = |RouteEntry { path, endpoints }| (path, endpoints.iter().map(ListedOperation::of).collect());
    routes::entries().into_iter().map(listed).collect()
});

/// Returns the query parameters of an operation, as the OpenAPI document lists them.
fn known_parameters(pattern: &str, method: &Method) -> Option<&'static HashSet<String>> {
    // Every GET also serves HEAD.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let operations = OPERATIONS.get(pattern)?;
    let listed = operations.iter().find(|listed| listed.method.eq_ignore_ascii_case(method.as_str()))?;
    Some(listed.query_parameters())
}

fn query_parameters(operation: Operation, is_scoped: bool) -> HashSet<String> {
    let parameters = operation.parameters.into_iter().flatten();
    let names =
        parameters.filter(|parameter| !(is_scoped && names_scope(parameter))).filter_map(|parameter| match parameter {
            RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name),
            _ => None,
        });
    names.collect()
}

/// Remembers the ignored fields of a body.
pub(crate) fn remember(request: &HttpRequest, names: Vec<String>) {
    if !names.is_empty() {
        request.extensions_mut().insert(IgnoredFields(names));
    }
}

/// Returns the value of the header; `None` where nothing was ignored.
pub(crate) fn header(request: &HttpRequest) -> Option<HeaderValue> {
    let mut names: Vec<String> =
        request.extensions().get::<IgnoredFields>().map_or_else(Vec::new, |ignored| ignored.0.clone());
    names.extend(ignored_parameters(request));
    names.extend(ignores_condition(request).then(|| IF_MATCH.to_string()));
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MAX_NAMES);
    if names.is_empty() { None } else { HeaderValue::from_str(&names.join(", ")).ok() }
}

/// Returns whether a change has a condition that its resource does not evaluate: only those of calendars do.
fn ignores_condition(request: &HttpRequest) -> bool {
    let is_change = matches!(*request.method(), Method::PATCH | Method::PUT | Method::DELETE);
    let is_of_calendar = || router::path_of(request).is_some_and(|pattern| pattern.contains("/calendar"));
    is_change && request.headers().contains_key(IF_MATCH) && !is_of_calendar()
}

fn ignored_parameters(request: &HttpRequest) -> Vec<String> {
    if request.query_string().is_empty() {
        return Vec::new();
    }
    let known = router::path_of(request).and_then(|pattern| known_parameters(pattern, request.method()));
    let Some(known) = known else { return Vec::new() };
    let sent = form_urlencoded::parse(request.query_string().as_bytes());
    let ignored = sent.filter(|(name, _)| !known.contains(name.as_ref()));
    ignored.map(|(name, _)| shown(&name)).take(MAX_NAMES).collect()
}

/// Returns a name as the header shows it: short, with a `?` for each character that could mean something there.
pub(crate) fn shown(name: &str) -> String {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    name.chars().take(MAX_NAME_CHARS).map(|c| if is_harmless(c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_with_separators_is_shown_harmless() {
        for (name, expected) in [
            ("track_opens", "track_opens"),
            ("attachments[0].x-y", "attachments[0].x-y"),
            ("a, b\r\nSet-Cookie: c", "a??b??Set-Cookie??c"),
            ("\u{e9}", "?"),
        ] {
            assert_eq!(shown(name), expected);
        }
        assert_eq!(shown(&"x".repeat(1000)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn query_parameters_are_those_of_the_document() {
        for (pattern, item) in crate::openapi().paths.paths {
            for (method, operation) in [
                (Method::GET, item.get),
                (Method::POST, item.post),
                (Method::PUT, item.put),
                (Method::PATCH, item.patch),
                (Method::DELETE, item.delete),
            ] {
                let expected = operation.map(|operation| query_parameters(operation, false));
                assert_eq!(known_parameters(&pattern, &method), expected.as_ref(), "{method} {pattern}");
            }
        }
    }

    #[test]
    fn listed_operation_has_its_query_parameters() {
        let list = known_parameters("/v0/inboxes/{inbox_id}/messages", &Method::GET);
        assert!(list.is_some_and(|names| ["limit", "page_token", "labels"].iter().all(|name| names.contains(*name))));
    }
}
