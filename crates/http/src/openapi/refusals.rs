//! Error responses of operations, derived from their parameters, body and security.
//!
//! An operation with a status of its own lists it without a body, `(status = 400, description = "…")`. The envelope is
//! added here.

use actix_web::http::StatusCode;
use utoipa::ToSchema;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::error::{ErrorCode, ErrorEnvelope};

/// Returns the shared error responses, one per status, such as `ValidationError`.
pub(super) fn shared() -> impl Iterator<Item = (String, RefOr<Response>)> {
    ErrorCode::ALL.iter().map(|code| (code.name().to_owned(), refusal(code.status()).into()))
}

/// Adds the error responses of an operation and the headers of all its responses.
pub(super) fn add(path: &str, operation: &mut Operation) {
    let answers = &mut operation.responses.responses;
    for answer in answers.values_mut() {
        if let RefOr::T(answer) = answer {
            answer.headers.insert(
                "X-Request-Id".to_owned(),
                header("Id of the request in the log of the server", Type::String).into(),
            );
            if path.starts_with("/v0") {
                let ignored = "Ignored fields and query parameters of the request, separated by commas";
                answer.headers.insert("Inboxd-Ignored-Fields".to_owned(), header(ignored, Type::String).into());
            }
        }
    }
    let own =
        answers.keys().filter_map(|status| status.parse().ok()).filter(|status| *status >= StatusCode::BAD_REQUEST);
    let own: Vec<StatusCode> = own.collect();
    let answers_of = |status: StatusCode| ErrorCode::ALL.iter().find(|code| code.status() == status);
    for code in own.into_iter().chain(statuses(path, operation)).filter_map(answers_of) {
        let answer = Ref::from_response_name(code.name());
        operation.responses.responses.insert(code.status().as_str().to_owned(), answer.into());
    }
}

/// Returns the error statuses of a call, derived from its parameters, body and security.
fn statuses(path: &str, operation: &Operation) -> Vec<StatusCode> {
    let parameters = || {
        operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter),
            RefOr::Ref(_) => None,
        })
    };
    // An operation without a key declares its security; the others inherit that of the document.
    let has_key = operation.security.is_none();
    let has_body = operation.request_body.is_some();
    let has_query = parameters().any(|parameter| parameter.parameter_in == ParameterIn::Query);
    // A time window can be too wide, and its event types can be unknown.
    let has_window = parameters().any(|parameter| parameter.name == "start");
    let has_id =
        parameters().any(|parameter| parameter.parameter_in == ParameterIn::Path || parameter.name.ends_with("_id"));
    let answers_nothing = operation.responses.responses.contains_key("204");
    let is_of_the_api = path.starts_with("/v0") || path == "/ready";
    [
        (has_window, StatusCode::BAD_REQUEST),
        (has_key, StatusCode::UNAUTHORIZED),
        (has_key, StatusCode::FORBIDDEN),
        (has_id || has_key && has_body, StatusCode::NOT_FOUND),
        (has_body, StatusCode::REQUEST_TIMEOUT),
        (has_body || answers_nothing, StatusCode::CONFLICT),
        (has_body, StatusCode::PAYLOAD_TOO_LARGE),
        (has_body, StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (has_body || has_query, StatusCode::UNPROCESSABLE_ENTITY),
        // A key has a rate, and an organization a number of running requests.
        (has_key || has_body, StatusCode::TOO_MANY_REQUESTS),
        (true, StatusCode::INTERNAL_SERVER_ERROR),
        (is_of_the_api, StatusCode::SERVICE_UNAVAILABLE),
    ]
    .into_iter()
    .filter_map(|(is_possible, status)| is_possible.then_some(status))
    .collect()
}

fn refusal(status: StatusCode) -> Response {
    let codes: Vec<String> = ErrorCode::ALL
        .iter()
        // The document does not describe the endpoints of OAuth.
        .filter(|code| code.status() == status && !code.is_of_oauth())
        .map(|code| format!("`{}`", code.as_str()))
        .collect();
    let answer = ResponseBuilder::new()
        .description(format!("Refused with {}; `fix` names the next step", codes.join(", ")))
        .content("application/json", Content::new(Some(Ref::from_schema_name(ErrorEnvelope::name()))))
        .header("X-Request-Id", header("Id of the request in the log of the server", Type::String));
    match status {
        StatusCode::UNAUTHORIZED => {
            answer.header("WWW-Authenticate", header("`Bearer`, if another key is needed", Type::String))
        }
        StatusCode::METHOD_NOT_ALLOWED => answer.header("Allow", header("Methods of the path", Type::String)),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            answer.header("Retry-After", header("Seconds until the same request may succeed", Type::Integer))
        }
        _ => answer,
    }
    .build()
}

fn header(what: &str, kind: Type) -> Header {
    HeaderBuilder::new().schema(Some(Object::with_type(kind))).description(Some(what)).build()
}
