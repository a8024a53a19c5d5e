//! Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document).

use serde::Deserialize;
use time::{Duration, OffsetDateTime};

use super::clients;
use crate::model::oauth::{ClientAuthMethod, ClientSource, OAuthClient, OAuthErrorCode};
use crate::{Error, rules::oauth::refuse};

/// Maximum size of a document in bytes.
pub const MAX_BYTES: usize = 16 * 1024;
/// Maximum length of the URL in bytes.
const MAX_URL_BYTES: usize = 2048;
/// Minimum and default time for which a document is used without another fetch.
const MIN_CACHE: Duration = Duration::minutes(5);
/// Maximum time for which a document is used without another fetch.
const MAX_CACHE: Duration = Duration::hours(24);

/// Fields of a document that this server uses.
#[derive(Deserialize)]
struct Document {
    client_id: String,
    client_name: String,
    redirect_uris: Vec<String>,
    #[serde(default)]
    client_secret: Option<serde_json::Value>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
    /// All methods of the client, of which `ChatGPT` names several.
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    grant_types: Option<Vec<String>>,
    #[serde(default)]
    response_types: Option<Vec<String>>,
}

/// Returns whether a `client_id` is the URL of a metadata document: https, with a path, without fragment, user or dot
/// segments.
#[must_use]
pub fn is_document_url(client_id: &str) -> bool {
    let Some(rest) = client_id.strip_prefix("https://") else { return false };
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let path = path.split('?').next().unwrap_or_default();
    let is_dot = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    client_id.len() <= MAX_URL_BYTES
        && client_id.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'`'))
        && !client_id.contains('#')
        && !authority.is_empty()
        && !authority.contains(['@', '?', '*'])
        && !path.is_empty()
        && !path.split('/').any(is_dot)
}

/// Returns the client that a document describes.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_client` and the reason.
pub fn read(
    url: &str,
    content: &[u8],
    content_type: Option<&str>,
    cache_control: Option<&str>,
    now: OffsetDateTime,
) -> Result<OAuthClient, Error> {
    let invalid = |reason: &str| {
        refuse(OAuthErrorCode::InvalidClient, format!("the client metadata document cannot be used: {reason}"))
    };
    let essence = content_type.map(|kind| kind.split(';').next().unwrap_or_default());
    let is_json =
        |kind: &str| kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    if !essence.is_some_and(is_json) {
        return Err(invalid("its content type is not application/json"));
    }
    let document: Document =
        serde_json::from_slice(content).map_err(|_| invalid("it lacks client_id, client_name or redirect_uris"))?;
    if document.client_id != url {
        return Err(invalid("its client_id is not its URL"));
    }
    if document.client_name.trim().is_empty() {
        return Err(invalid("its client_name is empty"));
    }
    clients::require_redirect_uris(&document.redirect_uris).map_err(|error| invalid(&error.to_string()))?;
    clients::require_code_flow(document.grant_types.as_deref(), document.response_types.as_deref())
        .map_err(|error| invalid(&error.to_string()))?;
    let is_public = document.token_endpoint_auth_method.as_deref().is_none_or(|method| method == "none")
        || document.token_endpoint_auth_methods_supported.iter().any(|method| method == "none");
    if !is_public || document.client_secret.is_some() {
        return Err(invalid("its client has to authenticate with the method none"));
    }
    Ok(OAuthClient {
        client_id: url.to_owned(),
        source: ClientSource::Document,
        name: clients::shown_name(Some(&document.client_name), &document.redirect_uris),
        redirect_uris: document.redirect_uris,
        auth_method: ClientAuthMethod::None,
        secret_hash: None,
        created_at: now,
        used_at: None,
        cached_until: Some(now + cache_time(cache_control)),
    })
}

/// Returns the time for which a document is cached, from its field `Cache-Control` (RFC 9111, section 5.2.2).
fn cache_time(cache_control: Option<&str>) -> Duration {
    let directives: Vec<String> =
        cache_control.unwrap_or_default().split(',').map(|part| part.trim().to_ascii_lowercase()).collect();
    if directives.iter().any(|directive| directive == "no-store" || directive.starts_with("no-cache")) {
        return MIN_CACHE;
    }
    let seconds = |directive: &String| directive.strip_prefix("max-age=")?.trim_matches('"').parse::<u32>().ok();
    let max_age = directives.iter().find_map(seconds);
    max_age.map_or(MIN_CACHE, |seconds| Duration::seconds(seconds.into()).clamp(MIN_CACHE, MAX_CACHE))
}
