//! Reads from a standby, for requests that accept stale data: `Cache-Control: max-stale` (RFC 9111, section 5.2.1.2).
//!
//! A standby serves no refusal for its data. The primary repeats a request that a standby would refuse so or cannot serve:
//! no client sees an error because of a standby, and no refusal rests on stale data.

use std::time::Duration;

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest};
use inboxd_core::app::App;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{RefOr, Required};

use crate::error::{ApiError, ErrorExtra};
use crate::router;
use crate::state::State;

/// Upper bound of the staleness of a response from a standby, in whole seconds. The header `Age` (RFC 9111, section
/// 5.1) would say that a cache stored the response.
pub(crate) const INBOXD_STALENESS: HeaderName = HeaderName::from_static("inboxd-staleness");

/// Resources below the organization, a pod or an inbox whose GET requests a standby may serve.
const RESOURCES: [&str; 16] = [
    "/messages",
    "/messages/search",
    "/messages/{message_id}",
    "/messages/{message_id}/raw",
    "/messages/{message_id}/attachments/{attachment_id}",
    "/threads",
    "/threads/search",
    "/threads/{thread_id}",
    "/threads/{thread_id}/attachments/{attachment_id}",
    "/drafts",
    "/files",
    "/files/{file_id}",
    "/inboxes",
    "/inboxes/search",
    "/contacts",
    "/downloads/{token}",
];
/// Prefixes of the scopes, the longest first.
const SCOPES: [&str; 3] = ["/v0/inboxes/{inbox_id}", "/v0/pods/{pod_id}", "/v0"];

/// Statuses of refusals by the request alone, which no data can change.
const REFUSALS_OF_THE_REQUEST: [StatusCode; 4] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_MANY_REQUESTS,
];

/// Storage that serves a request which accepts stale data.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadSource {
    Standby { number: usize, staleness: Duration },
    Primary,
}

impl ReadSource {
    /// Labels in the metrics.
    pub(crate) const LABELS: [&'static str; 2] = ["standby", "primary"];

    /// Returns the label.
    pub(crate) fn label(self) -> &'static str {
        let [standby, primary] = Self::LABELS;
        match self {
            Self::Standby { .. } => standby,
            Self::Primary => primary,
        }
    }
}

/// Returns whether a standby may serve the GET requests of a path of the route table.
pub(crate) fn may_serve(path: &str) -> bool {
    let rest = SCOPES.iter().find_map(|scope| path.strip_prefix(scope));
    rest.is_some_and(|rest| RESOURCES.contains(&rest))
}

/// Returns use cases that read from a standby if the request accepts its staleness; `None` for the primary.
pub(crate) fn choose(state: &State, request: &HttpRequest) -> Option<App> {
    let standbys = state.standbys.as_deref()?;
    let is_chosen = request.extensions().get::<ReadSource>().is_some();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if is_chosen || !is_read || !router::path_of(request).is_some_and(may_serve) {
        return None;
    }
    let chosen = standbys.choose(max_stale(request.headers())?);
    let source = chosen.as_ref().map_or(ReadSource::Primary, |chosen| ReadSource::Standby {
        number: chosen.number,
        staleness: chosen.staleness,
    });
    request.extensions_mut().insert(source);
    chosen.map(|chosen| App { store: chosen.store, ..state.app.clone() })
}

/// Returns whether the primary repeats a request. Its rate is counted, and it has its turn.
pub(crate) fn is_repeated(request: &HttpRequest) -> bool {
    matches!(request.extensions().get::<ReadSource>(), Some(ReadSource::Primary))
}

/// Returns whether the primary has to repeat a request, because its response from a standby is a failure, or a refusal that
/// stale data may have caused.
pub(crate) fn must_repeat<B>(state: &State, response: &ServiceResponse<B>) -> bool {
    let status = response.status();
    let mut extensions = response.request().extensions_mut();
    let Some(source) = extensions.get_mut::<ReadSource>() else { return false };
    let ReadSource::Standby { number, .. } = *source else { return false };
    if REFUSALS_OF_THE_REQUEST.contains(&status) || !(status.is_client_error() || status.is_server_error()) {
        return false;
    }
    if let Some(standbys) = state.standbys.as_deref().filter(|_| status.is_server_error()) {
        tracing::debug!(standby = number, cause = cause(response), "read from standby failed");
        standbys.report_failure(number);
    }
    *source = ReadSource::Primary;
    true
}

/// Returns the cause of a failure for the log.
fn cause<B>(response: &ServiceResponse<B>) -> Option<&str> {
    match &response.response().error()?.as_error::<ApiError>()?.extra {
        ErrorExtra::Cause(cause) => Some(cause.as_str()),
        _ => None,
    }
}

/// Counts the response to a request that accepts stale data, and names the staleness of data in it.
pub(crate) fn finish<B>(state: &State, response: &mut ServiceResponse<B>) {
    let Some(source) = response.request().extensions().get::<ReadSource>().copied() else { return };
    state.metrics.count_stale_read(source);
    let has_data = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    if let ReadSource::Standby { staleness, .. } = source
        && has_data
    {
        response.headers_mut().insert(INBOXD_STALENESS, whole_seconds(staleness));
    }
}

/// Adds the request directive and the response header to the description of an operation.
pub(crate) fn describe(operation: &mut Operation) {
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter()));
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && (status.starts_with('2') || status == "304")
        {
            response.headers.insert("Inboxd-Staleness".to_owned(), header().into());
        }
    }
}

fn header() -> Header {
    HeaderBuilder::new()
        .schema(Some(Object::with_type(Type::Integer)))
        .description(Some("Upper bound of the staleness of a response from a standby, in seconds"))
        .build()
}

fn parameter() -> Parameter {
    ParameterBuilder::new()
        .name("Cache-Control")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "`max-stale=SECONDS` accepts data that is at most so stale, `max-stale` any that the server permits. A \
             standby of the database may then serve the request; the response header `Inboxd-Staleness` has the upper \
             bound of its staleness in seconds.",
        ))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Returns the staleness that a request accepts; `None` for none. Without a value any is accepted. Of several the least
/// counts, and `no-cache` and `no-store` demand present data.
fn max_stale(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).filter_map(|value| value.to_str().ok());
    let mut least: Option<Duration> = None;
    for directive in values.flat_map(|value| value.split(',')).map(str::trim) {
        let (name, value) = directive.split_once('=').map_or((directive, None), |(name, value)| (name, Some(value)));
        if name.eq_ignore_ascii_case("no-cache") || name.eq_ignore_ascii_case("no-store") {
            return None;
        }
        if name.eq_ignore_ascii_case("max-stale") {
            let accepted = value.map_or(Some(Duration::MAX), delta_seconds)?;
            least = Some(least.map_or(accepted, |least| least.min(accepted)));
        }
    }
    least
}

/// Reads seconds, also quoted (RFC 9111, sections 1.2.2 and 5.2). A number that is too large is the largest.
fn delta_seconds(text: &str) -> Option<Duration> {
    let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().map_or(Duration::MAX, Duration::from_secs))
}

/// Returns the seconds of a staleness, rounded up.
fn whole_seconds(staleness: Duration) -> HeaderValue {
    HeaderValue::from(staleness.as_secs() + u64::from(staleness.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use actix_web::HttpResponse;
    use actix_web::test::TestRequest;
    use inboxd_core::testing::World;

    use super::*;
    use crate::live::LiveFeed;
    use crate::state::HttpOptions;
    use crate::{FeedMetrics, routes};

    #[test]
    fn directive_accepts_staleness_in_seconds() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (values, expected) in [
            (&["max-stale=5"][..], seconds(5)),
            (&["max-stale=0"], seconds(0)),
            (&["MAX-STALE=\"7\""], seconds(7)),
            (&["max-stale"], Some(Duration::MAX)),
            (&["max-age=3600, max-stale=60"], seconds(60)),
            (&["max-stale=60", "max-stale=6"], seconds(6)),
            (&["max-stale, max-stale=6"], seconds(6)),
            (&["max-stale=99999999999999999999999"], Some(Duration::MAX)),
            (&[], None),
            (&[""], None),
            (&["max-age=5"], None),
            (&["max-stale=5, no-cache"], None),
            (&["no-store", "max-stale=5"], None),
            (&["max-stale="], None),
            (&["max-stale=-1"], None),
            (&["max-stale=+1"], None),
            (&["max-stale=1.5"], None),
            (&["max-stale=\"5"], None),
            (&["max-stale=soon, max-stale=5"], None),
            (&["max-staleness=5"], None),
        ] {
            let mut headers = HeaderMap::new();
            for &value in values {
                headers.append(CACHE_CONTROL, HeaderValue::from_static(value));
            }
            assert_eq!(max_stale(&headers), expected, "{values:?}");
        }
    }

    #[test]
    fn staleness_is_rounded_up() {
        for (millis, expected) in [(0, "0"), (1, "1"), (1000, "1"), (1001, "2")] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), expected);
        }
    }

    #[test]
    fn standby_serves_these_paths_alone() {
        let entries = routes::entries();
        let served: BTreeSet<&str> = entries.iter().map(|entry| entry.path).filter(|path| may_serve(path)).collect();
        let expected = [
            "/v0/downloads/{token}",
            "/v0/drafts",
            "/v0/inboxes",
            "/v0/inboxes/search",
            "/v0/inboxes/{inbox_id}/contacts",
            "/v0/inboxes/{inbox_id}/drafts",
            "/v0/inboxes/{inbox_id}/files",
            "/v0/inboxes/{inbox_id}/files/{file_id}",
            "/v0/inboxes/{inbox_id}/messages",
            "/v0/inboxes/{inbox_id}/messages/search",
            "/v0/inboxes/{inbox_id}/messages/{message_id}",
            "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
            "/v0/inboxes/{inbox_id}/messages/{message_id}/raw",
            "/v0/inboxes/{inbox_id}/threads",
            "/v0/inboxes/{inbox_id}/threads/search",
            "/v0/inboxes/{inbox_id}/threads/{thread_id}",
            "/v0/inboxes/{inbox_id}/threads/{thread_id}/attachments/{attachment_id}",
            "/v0/pods/{pod_id}/drafts",
            "/v0/pods/{pod_id}/inboxes",
            "/v0/pods/{pod_id}/inboxes/search",
            "/v0/pods/{pod_id}/threads",
            "/v0/pods/{pod_id}/threads/search",
            "/v0/pods/{pod_id}/threads/{thread_id}",
            "/v0/pods/{pod_id}/threads/{thread_id}/attachments/{attachment_id}",
            "/v0/threads",
            "/v0/threads/search",
            "/v0/threads/{thread_id}",
            "/v0/threads/{thread_id}/attachments/{attachment_id}",
        ];
        assert_eq!(served, BTreeSet::from(expected));
    }

    #[tokio::test]
    async fn primary_repeats_failures_and_refusals_that_data_may_cause() {
        let app = World::default().app();
        let live = LiveFeed::new(app.clone(), 100, FeedMetrics::default());
        let state = State::new(app, live, &HttpOptions::default());
        for (status, expected) in [
            (StatusCode::OK, false),
            (StatusCode::PARTIAL_CONTENT, false),
            (StatusCode::NOT_MODIFIED, false),
            (StatusCode::BAD_REQUEST, false),
            (StatusCode::FORBIDDEN, true),
            (StatusCode::NOT_FOUND, true),
            (StatusCode::GONE, true),
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, false),
            (StatusCode::RANGE_NOT_SATISFIABLE, true),
            (StatusCode::UNPROCESSABLE_ENTITY, false),
            (StatusCode::TOO_MANY_REQUESTS, false),
            (StatusCode::INTERNAL_SERVER_ERROR, true),
            (StatusCode::SERVICE_UNAVAILABLE, true),
        ] {
            let response = TestRequest::default().to_srv_response(HttpResponse::new(status));
            let source = ReadSource::Standby { number: 0, staleness: Duration::ZERO };
            response.request().extensions_mut().insert(source);
            assert_eq!(must_repeat(&state, &response), expected, "{status}");
            assert_eq!(is_repeated(response.request()), expected, "{status}");
        }
    }
}
