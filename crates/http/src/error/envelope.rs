//! Error envelope: JSON body of every error response.

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header;
use inboxd_core::FieldError;
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::steps::{PathStep, steps};
use super::{ApiError, ErrorCode, ErrorExtra, ErrorRetry};

/// Error response: cause and next step.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorEnvelope {
    /// Name of the error; one per status.
    #[schema(example = "ValidationError")]
    name: &'static str,
    /// Error code; the error reference explains each code.
    #[schema(example = "validation_error")]
    code: &'static str,
    /// Error code for OAuth clients, at the endpoints of OAuth (RFC 6749, section 5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    error: Option<&'static str>,
    /// Cause for OAuth clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    error_description: Option<String>,
    /// Cause of the error as text.
    message: String,
    /// Next step that resolves the error.
    fix: String,
    /// URL of the explanation of the code.
    docs: String,
    /// All invalid fields, with status 422.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FieldProblem>,
    /// The same fields as in `errors`, in the format of other validators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    detail: Vec<Detail>,
}

/// Invalid field.
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
struct FieldProblem {
    /// Path of the field.
    #[schema(example = "to[1]")]
    path: String,
    /// Problem of the field and the permitted values.
    message: String,
}

/// Invalid field in the format of other validators.
#[derive(Serialize, ToSchema)]
struct Detail {
    /// `body` or `query`, followed by the steps of the path.
    loc: Vec<PathStep>,
    /// Problem of the field.
    msg: String,
    /// Type of the problem.
    r#type: &'static str,
}

/// Renders an error as the response to a request.
pub(crate) fn render(error: &ApiError, method: &Method, base_url: &str, now: OffsetDateTime) -> HttpResponse {
    let mut response = HttpResponse::build(error.code.status());
    if let Some(challenge) = challenge(error) {
        response.insert_header((header::WWW_AUTHENTICATE, challenge));
    }
    if let ErrorExtra::Allow(allow) = &error.extra {
        response.insert_header((header::ALLOW, allow.as_str()));
    }
    if let ErrorExtra::Size(size) = error.extra {
        response.insert_header((header::CONTENT_RANGE, format!("bytes */{size}")));
    }
    if error.code == ErrorCode::UpgradeRequired {
        response.insert_header((header::UPGRADE, "websocket"));
        response.insert_header((header::SEC_WEBSOCKET_VERSION, "13"));
    }
    if error.code == ErrorCode::RequestTimeout {
        // Otherwise the rest of the request body would be parsed as the next request.
        response.force_close();
    }
    if let Some(retry) = error.retry {
        response.insert_header((header::RETRY_AFTER, seconds(retry, now).to_string()));
    }
    response.json(envelope(error, method, base_url))
}

/// Returns the value of `WWW-Authenticate`. A wrong code is no credential, and a client of OAuth has a challenge only if
/// it used the header field.
fn challenge(error: &ApiError) -> Option<&str> {
    let is_caller = !matches!(error.code, ErrorCode::InvalidOtp | ErrorCode::InvalidClient);
    let is_unauthenticated = error.code.status() == actix_web::http::StatusCode::UNAUTHORIZED && is_caller;
    error.challenge.as_deref().or(is_unauthenticated.then_some("Bearer"))
}

/// Returns the envelope of an error as JSON, for clients that receive it outside a response.
pub(crate) fn json(error: &ApiError, base_url: &str) -> String {
    serde_json::to_string(&envelope(error, &Method::GET, base_url)).unwrap_or_default()
}

/// Returns the envelope of an error as JSON, for a request whose fields are in its body.
pub(crate) fn body_json(error: &ApiError, base_url: &str) -> String {
    serde_json::to_string(&body_envelope(error, base_url)).unwrap_or_default()
}

/// Returns the envelope of an error, for a request whose fields are in its body.
pub(crate) fn body_envelope(error: &ApiError, base_url: &str) -> ErrorEnvelope {
    envelope(error, &Method::POST, base_url)
}

fn envelope(error: &ApiError, method: &Method, base_url: &str) -> ErrorEnvelope {
    // These methods have no body, so their fields are query parameters.
    let place = if matches!(*method, Method::GET | Method::HEAD | Method::DELETE) { "query" } else { "body" };
    let fields = match &error.extra {
        ErrorExtra::Fields(fields) => fields.as_slice(),
        _ => &[],
    };
    ErrorEnvelope {
        name: error.code.name(),
        code: error.code.as_str(),
        error: error.is_oauth.then(|| error.oauth_code()),
        error_description: error.is_oauth.then(|| description(&error.message)),
        message: error.message.clone(),
        fix: error.fix.clone(),
        docs: format!("{base_url}/docs/errors#{}", error.code.as_str()),
        errors: fields.iter().map(problem).collect(),
        detail: fields.iter().map(|field| detail(place, field)).collect(),
    }
}

/// Returns a message in the characters that RFC 6749, section 5.2, permits.
fn description(message: &str) -> String {
    OAuthError::new(OAuthErrorCode::InvalidRequest, message).description
}

fn problem(error: &FieldError) -> FieldProblem {
    FieldProblem { path: error.path.clone(), message: error.message.clone() }
}

fn detail(place: &str, error: &FieldError) -> Detail {
    let loc = [PathStep::Name(place.to_owned())].into_iter().chain(steps(&error.path)).collect();
    Detail { loc, msg: error.message.clone(), r#type: "value_error" }
}

/// Returns the whole seconds until the request may be repeated, at least one.
pub(super) fn seconds(retry: ErrorRetry, now: OffsetDateTime) -> u64 {
    match retry {
        ErrorRetry::After(seconds) => seconds,
        ErrorRetry::At(time) => {
            let wait = time - now;
            let seconds = wait.whole_seconds() + i64::from(wait.subsec_nanoseconds() > 0);
            u64::try_from(seconds).unwrap_or(0).max(1)
        }
    }
}
