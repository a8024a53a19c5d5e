//! `POST /oauth/token` (RFC 6749, sections 4.1.3 and 6).

use actix_web::HttpResponse;
use inboxd_core::app::oauth::{CodeExchange, IssuedTokens, Refresh, exchange_code, refresh};
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use serde::Serialize;

use super::client_auth::read_credentials;
use super::issuer;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::Form;

/// Parameters that occur once (RFC 6749, section 3.2).
const PARAMETERS: [&str; 9] = [
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "client_id",
    "client_secret",
    "scope",
    "resource",
];

/// Tokens of a connection (RFC 6749, section 5.1).
#[derive(Serialize)]
struct TokenResponse {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    refresh_token: String,
    scope: String,
}

/// Exchanges a code or a refresh token for tokens.
pub(super) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    issuer(&call)?;
    call.limit_tokens()?;
    let form = call.form().await?;
    if let Some(name) = form.repeated(&PARAMETERS) {
        return Err(invalid(&format!("the parameter {name} is sent twice")).into());
    }
    let grant_type = required(&form, "grant_type")?;
    let credentials = read_credentials(call.request.headers(), &form)?;
    let optional = |name: &str| form.one(name).map(str::to_owned);
    let issued = match &*grant_type {
        "authorization_code" => {
            let exchange = CodeExchange {
                code: required(&form, "code")?,
                redirect_uri: optional("redirect_uri"),
                code_verifier: required(&form, "code_verifier")?,
                resource: optional("resource"),
            };
            exchange_code(call.app(), &credentials, exchange).await?
        }
        "refresh_token" => {
            let request = Refresh {
                refresh_token: required(&form, "refresh_token")?,
                scope: optional("scope"),
                resource: optional("resource"),
            };
            refresh(call.app(), &credentials, request).await?
        }
        _ => {
            let description = "send grant_type=authorization_code or grant_type=refresh_token";
            return Err(OAuthError::new(OAuthErrorCode::UnsupportedGrantType, description).into());
        }
    };
    Ok(HttpResponse::Ok().json(TokenResponse::from(issued)))
}

fn required(form: &Form, name: &str) -> Result<String, OAuthError> {
    form.one(name).map(str::to_owned).ok_or_else(|| invalid(&format!("{name} is missing")))
}

fn invalid(description: &str) -> OAuthError {
    OAuthError::new(OAuthErrorCode::InvalidRequest, description)
}

impl From<IssuedTokens> for TokenResponse {
    fn from(issued: IssuedTokens) -> Self {
        Self {
            access_token: issued.access_token.reveal().to_owned(),
            token_type: "Bearer",
            expires_in: issued.expires_in.whole_seconds(),
            refresh_token: issued.refresh_token,
            scope: issued.scope,
        }
    }
}
