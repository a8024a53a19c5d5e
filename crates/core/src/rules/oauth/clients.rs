//! Validation of client metadata (RFC 7591, section 2).

use super::{redirects, refuse};
use crate::Error;
use crate::model::oauth::OAuthErrorCode;
use crate::rules::names::is_format;

/// Maximum length of a shown client name in characters.
const MAX_NAME_CHARS: usize = 80;

/// Checks the redirect URIs of a client: one to ten, each permitted.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_redirect_uri`.
pub fn require_redirect_uris(uris: &[String]) -> Result<(), Error> {
    if uris.is_empty() || uris.len() > redirects::MAX_URIS {
        let description = format!("redirect_uris holds 1 to {} URIs", redirects::MAX_URIS);
        return Err(refuse(OAuthErrorCode::InvalidRedirectUri, description));
    }
    let reason = uris.iter().enumerate().find_map(|(place, uri)| Some((place, redirects::kind_of(uri).err()?)));
    match reason {
        Some((place, reason)) => {
            Err(refuse(OAuthErrorCode::InvalidRedirectUri, format!("redirect_uris[{place}]: {reason}")))
        }
        None => Ok(()),
    }
}

/// Checks the grant and response types of a client; absent ones mean the authorization code flow.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client_metadata`.
pub fn require_code_flow(grant_types: Option<&[String]>, response_types: Option<&[String]>) -> Result<(), Error> {
    let has =
        |named: Option<&[String]>, wanted: &str| named.is_none_or(|named| named.iter().any(|name| name == wanted));
    if has(grant_types, "authorization_code") && has(response_types, "code") {
        return Ok(());
    }
    let description = "this server offers the grant type authorization_code with the response type code";
    Err(refuse(OAuthErrorCode::InvalidClientMetadata, description))
}

/// Returns the name of a client for display: one line without invisible characters, cut at 80 characters. Without a name
/// it is the host of the first redirect URI.
#[must_use]
pub fn shown_name(name: Option<&str>, redirect_uris: &[String]) -> String {
    let is_hidden =
        |c: char| c.is_control() || is_format(c) || matches!(c, '\u{200c}' | '\u{200d}' | '\u{fff9}'..='\u{fffb}');
    let visible: String = name.unwrap_or_default().chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = words.chars().take(MAX_NAME_CHARS).collect();
    if shown.is_empty() {
        redirect_uris.first().map(|uri| redirects::shown_host(uri)).unwrap_or_default()
    } else {
        shown
    }
}
