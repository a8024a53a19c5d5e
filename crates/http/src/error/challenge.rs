//! Challenges of OAuth, and the error fields of its endpoints.
//!
//! A client finds the authorization server by `resource_metadata` (RFC 9728, section 5.1) and asks for the scopes of the
//! challenge (RFC 6750, section 3). Clients match these parameters by patterns over the whole field, so that no text
//! before `error_description` may look like one.

use std::sync::Arc;

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpMessage, HttpRequest};
use inboxd_core::app::oauth::missing_scope;
use inboxd_core::model::{Caller, OAuthError, OAuthErrorCode};
use inboxd_core::rules::oauth::scopes;

use super::caller::to_hold;
use super::{ApiError, ErrorCode, ErrorExtra};
use crate::auth;

/// Endpoints whose errors have the fields of RFC 6749, section 5.2.
const ENDPOINTS: [&str; 3] = ["/oauth/token", "/oauth/register", "/oauth/revoke"];

/// Returns whether clients of OAuth call a path, apart from the metadata.
pub(crate) fn is_oauth_endpoint(path: &str) -> bool {
    ENDPOINTS.contains(&path)
}

/// The caller of a request with the token of a connection, for a challenge that names missing scopes.
pub(crate) struct ConnectedCaller(pub(crate) Arc<Caller>);

/// Returns the challenge to a caller without a valid credential. `suffix` is the path of the resource: `/mcp` or `/v0`.
/// The client asks for the default scopes, and people narrow them at the consent.
pub(crate) fn unauthenticated(issuer: &str, suffix: &str, has_token: bool) -> String {
    let error = if has_token { ", error=\"invalid_token\"" } else { "" };
    format!("Bearer {}, scope=\"{}\"{error}", resource_metadata(issuer, suffix), scopes::DEFAULT)
}

/// Returns the challenge to a connection that lacks scopes: all that the next token needs.
pub(crate) fn insufficient_scope(issuer: &str, suffix: &str, scope: &str, fix: &str) -> String {
    let OAuthError { description, .. } = OAuthError::new(OAuthErrorCode::InvalidScope, fix.replace('=', " "));
    format!(
        "Bearer error=\"insufficient_scope\", scope=\"{scope}\", {}, error_description=\"{description}\"",
        resource_metadata(issuer, suffix)
    )
}

fn resource_metadata(issuer: &str, suffix: &str) -> String {
    format!("resource_metadata=\"{issuer}/.well-known/oauth-protected-resource{suffix}\"")
}

impl ApiError {
    /// Adds the challenge and the fields of OAuth that suit a request. `issuer` is `None` while OAuth is off.
    pub(super) fn challenged(mut self, request: &HttpRequest, issuer: Option<&str>) -> Self {
        let path = request.path();
        if is_oauth_endpoint(path) {
            self.is_oauth = true;
            // A challenge on other failures would hide the error in the body from clients that follow RFC 6750.
            let is_basic = self.code == ErrorCode::InvalidClient && request.headers().contains_key(AUTHORIZATION);
            self.challenge = is_basic.then(|| "Basic realm=\"inboxd\"".into());
            return self;
        }
        let Some(issuer) = issuer else { return self };
        let suffix = if path.starts_with("/mcp") { "/mcp" } else { "/v0" };
        let challenge = match (self.code, &self.extra) {
            (ErrorCode::MissingAuthorization | ErrorCode::UnknownApiKey | ErrorCode::ApiKeyExpired, _) => {
                Some(unauthenticated(issuer, suffix, auth::bearer(request).is_some()))
            }
            (ErrorCode::MissingPermission, ErrorExtra::Permission(permission)) => {
                let extensions = request.extensions();
                extensions.get::<ConnectedCaller>().and_then(|connected| {
                    self.fix = to_hold(*permission, Some(&connected.0));
                    let scope = missing_scope(&connected.0, *permission)?;
                    Some(insufficient_scope(issuer, suffix, &scope, &self.fix))
                })
            }
            _ => None,
        };
        self.challenge = challenge.map(String::into_boxed_str);
        self
    }

    /// Returns the error code of OAuth for a refusal (RFC 6749, section 5.2).
    pub(super) fn oauth_code(&self) -> &'static str {
        match self.code {
            code if code.is_of_oauth() => code.as_str(),
            ErrorCode::TooManyRequests | ErrorCode::ServiceUnavailable => "temporarily_unavailable",
            ErrorCode::InternalError => "server_error",
            _ => "invalid_request",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_name_metadata_and_scopes() {
        let issuer = "https://mail.example";
        assert_eq!(
            unauthenticated(issuer, "/mcp", false),
            "Bearer resource_metadata=\"https://mail.example/.well-known/oauth-protected-resource/mcp\", \
             scope=\"mail:read mail:draft mail:send mail:manage\""
        );
        assert!(unauthenticated(issuer, "/v0", true).ends_with(", error=\"invalid_token\""));
        assert_eq!(
            insufficient_scope(issuer, "/v0", "mail:read mail:send", "say \"scope=x\""),
            "Bearer error=\"insufficient_scope\", scope=\"mail:read mail:send\", \
             resource_metadata=\"https://mail.example/.well-known/oauth-protected-resource/v0\", \
             error_description=\"say ?scope x?\""
        );
    }
}
