//! Entities of the OAuth 2.1 authorization server.

mod client;
mod code;
mod connection;
mod error;
mod refresh_token;
mod session;

pub use client::{ClientAuthMethod, ClientSource, OAuthClient};
pub use code::AuthorizationCode;
pub use connection::{Access, Connection, ConnectionBounds};
pub use error::{OAuthError, OAuthErrorCode};
pub use refresh_token::RefreshToken;
pub use session::BrowserSession;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns the text of a random secret: a prefix and 256 random bits.
pub(crate) fn secret_text(prefix: &str, random: [u8; 32]) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random))
}
