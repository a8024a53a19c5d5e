//! Errors of the OAuth endpoints.

use std::fmt;

use crate::model::string_enum::string_enum;

string_enum! {
    /// Error code of OAuth 2.1 (RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, 7591 and 8707).
    OAuthErrorCode {
        /// The request is malformed.
        InvalidRequest = "invalid_request",
        /// The client is unknown or not authenticated.
        InvalidClient = "invalid_client",
        /// The code or refresh token is invalid.
        InvalidGrant = "invalid_grant",
        /// The client may not use this grant type.
        UnauthorizedClient = "unauthorized_client",
        /// The grant type is not supported.
        UnsupportedGrantType = "unsupported_grant_type",
        /// The response type is not supported.
        UnsupportedResponseType = "unsupported_response_type",
        /// No requested scope is known, or a scope exceeds the granted ones.
        InvalidScope = "invalid_scope",
        /// The resource is not this server.
        InvalidTarget = "invalid_target",
        /// The person denied the request.
        AccessDenied = "access_denied",
        /// The server failed.
        ServerError = "server_error",
        /// The server takes no more such requests now.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// A redirect URI is not permitted.
        InvalidRedirectUri = "invalid_redirect_uri",
        /// A field of the client metadata is invalid.
        InvalidClientMetadata = "invalid_client_metadata",
    }
}

/// A refusal of an OAuth endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthError {
    /// Code for the client.
    pub code: OAuthErrorCode,
    /// Cause and next step: printable ASCII without `"` and `\`, as RFC 6749 permits.
    pub description: String,
}

impl OAuthError {
    /// Creates a refusal. Characters that a description cannot contain become `?`.
    #[must_use]
    pub fn new(code: OAuthErrorCode, description: impl AsRef<str>) -> Self {
        let is_permitted = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        let description = description.as_ref().chars().take(500).map(|c| if is_permitted(c) { c } else { '?' });
        Self { code, description: description.collect() }
    }
}

impl fmt::Display for OAuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description)
    }
}

impl std::error::Error for OAuthError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_is_printable_ascii_without_quotes() {
        let error = OAuthError::new(OAuthErrorCode::InvalidScope, "a \"b\" c\\d\r\né");
        assert_eq!(error.description, "a ?b? c?d???");
    }
}
