//! Rules of the OAuth 2.1 authorization server.

pub mod bounds;
pub mod clients;
pub mod documents;
mod permission_words;
pub mod pkce;
pub mod redirects;
pub mod refresh_tokens;
pub mod resources;
pub mod scopes;

use crate::Error;
use crate::model::{OAuthError, OAuthErrorCode};

/// Returns a refusal of an OAuth endpoint.
pub(crate) fn refuse(code: OAuthErrorCode, description: impl AsRef<str>) -> Error {
    Error::OAuth(OAuthError::new(code, description))
}
