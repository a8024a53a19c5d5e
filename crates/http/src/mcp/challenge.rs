//! Refusals of requests whose credentials do not suffice (RFC 6750, section 3; RFC 9728, section 5.1).

use actix_web::http::header::{HeaderValue, WWW_AUTHENTICATE};
use actix_web::{HttpRequest, HttpResponse};

use crate::error::{ApiError, ErrorCode, render};
use crate::state::State;

/// Scopes that clients ask for; the person narrows them at the consent.
const REQUESTED_SCOPES: &str = "mail:read mail:draft mail:send mail:manage";

/// Returns the response to a refused request. It tells a client without a usable key where to get a token.
pub(super) fn refuse(error: &ApiError, request: &HttpRequest, state: &State) -> HttpResponse {
    let mut response = render(error, request.method(), &state.base_url, state.app.clock.now());
    let reason = match error.code {
        ErrorCode::MissingAuthorization => "",
        ErrorCode::UnknownApiKey | ErrorCode::ApiKeyExpired => "error=\"invalid_token\", ",
        _ => return response,
    };
    let challenge = format!(
        "Bearer {reason}resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\", scope=\"{REQUESTED_SCOPES}\"",
        state.base_url
    );
    if let Ok(challenge) = HeaderValue::from_str(&challenge) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}
