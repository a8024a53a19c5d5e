//! Credentials of a client at the token and revocation endpoints (RFC 6749, section 2.3.1).

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use inboxd_core::app::oauth::ClientCredentials;
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use url::form_urlencoded;

use crate::pages::Form;

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads the credentials of a client: `Basic`, a secret in the body, or a `client_id` alone.
///
/// A `client_id` in the body beside `Basic` is no second authentication if both are equal: some libraries send it.
///
/// # Errors
/// `invalid_request` for two authentications, `invalid_client` for none.
pub(super) fn read_credentials(headers: &HeaderMap, form: &Form) -> Result<ClientCredentials, OAuthError> {
    let refuse = |code, description: &str| OAuthError::new(code, description);
    let (named, secret) = (form.one("client_id"), form.one("client_secret"));
    let Some(basic) = basic(headers) else {
        let client_id = named.ok_or_else(|| refuse(OAuthErrorCode::InvalidClient, "client_id is missing"))?;
        return Ok(ClientCredentials { client_id: client_id.to_owned(), secret: secret.map(str::to_owned) });
    };
    let malformed = || refuse(OAuthErrorCode::InvalidClient, "the header field Authorization is malformed");
    let (client_id, in_header) = id_and_secret(basic).ok_or_else(malformed)?;
    if secret.is_some() {
        return Err(refuse(OAuthErrorCode::InvalidRequest, "the client authenticates twice; send one secret"));
    }
    if named.is_some_and(|named| named != client_id) {
        return Err(refuse(OAuthErrorCode::InvalidRequest, "client_id differs from the header field Authorization"));
    }
    Ok(ClientCredentials { client_id, secret: Some(in_header).filter(|secret| !secret.is_empty()) })
}

/// Returns the credentials of `Authorization: Basic`; `None` without them.
fn basic(headers: &HeaderMap) -> Option<&str> {
    let (scheme, encoded) = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("basic").then_some(encoded.trim())
}

/// Returns id and secret, both form-decoded; `None` for malformed credentials.
fn id_and_secret(encoded: &str) -> Option<(String, String)> {
    let pair = String::from_utf8(BASE64.decode(encoded).ok()?).ok()?;
    let (client_id, secret) = pair.split_once(':')?;
    Some((decode(client_id), decode(secret)))
}

/// Decodes form encoding. Libraries that do not encode send the same, since our ids and secrets hold nothing to encode.
fn decode(text: &str) -> String {
    form_urlencoded::parse(text.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn read(authorization: Option<&str>, body: &str) -> Result<(String, Option<String>), &'static str> {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization.and_then(|pair| HeaderValue::try_from(pair).ok()) {
            headers.insert(AUTHORIZATION, value);
        }
        let read = read_credentials(&headers, &Form::parse(body.as_bytes()));
        read.map(|found| (found.client_id, found.secret)).map_err(|error| error.code.as_str())
    }

    #[test]
    fn client_authenticates_once() {
        let basic = |pair: &str| format!("Basic {}", BASE64.encode(pair));
        let known = |secret: Option<&str>| Ok(("client_1".to_owned(), secret.map(str::to_owned)));
        let (plain, encoded) = (basic("client_1:cs_a-b"), basic("client%5F1:cs%5Fa%2Db"));
        for (authorization, body, expected) in [
            (None, "client_id=client_1", known(None)),
            (None, "client_id=client_1&client_secret=cs_a", known(Some("cs_a"))),
            (None, "", Err("invalid_client")),
            (Some(&*plain), "", known(Some("cs_a-b"))),
            (Some(&*encoded), "", known(Some("cs_a-b"))),
            (Some(&*plain), "client_id=client_1", known(Some("cs_a-b"))),
            (Some(&*plain), "client_id=client_2", Err("invalid_request")),
            (Some(&*plain), "client_secret=cs_a-b", Err("invalid_request")),
            (Some(&*basic("client_1:")), "", known(None)),
            (Some("Basic !"), "", Err("invalid_client")),
            (Some(&*basic("client_1")), "", Err("invalid_client")),
            (Some("Bearer am_x"), "client_id=client_1", known(None)),
        ] {
            assert_eq!(read(authorization, body), expected, "{authorization:?} {body}");
        }
    }
}
