//! `POST /oauth/revoke` (RFC 7009).

use actix_web::HttpResponse;
use inboxd_core::app::oauth::revoke_token;
use inboxd_core::model::{OAuthError, OAuthErrorCode};

use super::client_auth::read_credentials;
use super::issuer;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;

/// Revokes a token of the client. The answer is the same for an unknown one.
pub(super) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    issuer(&call)?;
    call.limit_tokens()?;
    let form = call.form().await?;
    let credentials = read_credentials(call.request.headers(), &form)?;
    let missing = || OAuthError::new(OAuthErrorCode::InvalidRequest, "token is missing");
    let token = form.one("token").ok_or_else(missing)?;
    revoke_token(call.app(), &credentials, token).await?;
    Ok(HttpResponse::Ok().finish())
}
