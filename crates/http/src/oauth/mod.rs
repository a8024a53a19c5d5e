//! The authorization server of OAuth 2.1: metadata, pages and token endpoints.
//!
//! Clients find these paths by the metadata, so that the OpenAPI document does not describe them.

mod authorize;
mod client_auth;
mod consent;
mod consent_page;
mod flow;
mod metadata;
mod organization;
mod organization_page;
mod problem;
mod redirect;
mod register;
mod request;
mod revoke;
mod sign_in;
mod token;

use actix_web::{HttpResponse, Route};

use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::failure;
use crate::routes::verb;

pub(crate) use self::flow::{organization_title, unconfirmed_warning};
pub(crate) use self::organization_page::{OWN, OrganizationChoice, organization_choices};

/// Title of a page that refuses.
const REFUSED: &str = "This did not work";

/// Paths with their methods.
pub(crate) fn routes() -> Vec<(&'static str, Vec<(&'static str, Route)>)> {
    let resource = || vec![("get", verb("get").to(metadata::protected_resource))];
    let server = || vec![("get", verb("get").to(metadata::authorization_server))];
    vec![
        ("/.well-known/oauth-protected-resource", resource()),
        ("/.well-known/oauth-protected-resource/mcp", resource()),
        ("/.well-known/oauth-protected-resource/v0", resource()),
        ("/.well-known/oauth-authorization-server", server()),
        ("/.well-known/openid-configuration", server()),
        (
            "/oauth/authorize",
            vec![("get", verb("get").to(authorize::handle)), ("post", verb("post").to(authorize::handle))],
        ),
        ("/oauth/sign-in", vec![("post", verb("post").to(sign_in::request_code))]),
        ("/oauth/verify", vec![("post", verb("post").to(sign_in::verify))]),
        ("/oauth/sign-out", vec![("post", verb("post").to(sign_in::sign_out))]),
        ("/oauth/organization", vec![("post", verb("post").to(organization::handle))]),
        ("/oauth/consent", vec![("post", verb("post").to(consent::handle))]),
        ("/oauth/token", vec![("post", verb("post").to(token::handle))]),
        ("/oauth/register", vec![("post", verb("post").to(register::handle))]),
        ("/oauth/revoke", vec![("post", verb("post").to(revoke::handle))]),
    ]
}

/// Responds to a browser: with a page or a redirect, and with a page about the cause where `answer` fails. Requests of a
/// client address are limited.
///
/// # Errors
/// 404 while the authorization server is off; an internal error when a template fails.
async fn respond(
    mut call: UnauthenticatedRequest,
    answer: impl AsyncFnOnce(&mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    issuer(&call)?;
    let answered = match call.limit() {
        Ok(()) => answer(&mut call).await,
        Err(limited) => Err(limited),
    };
    answered.or_else(|error| failure(REFUSED, &error, None, call.app().clock.now()))
}

/// Returns the issuer.
///
/// # Errors
/// 404 while the authorization server is off.
fn issuer(call: &UnauthenticatedRequest) -> Result<&str, ApiError> {
    let off = || ApiError::route_not_found(call.request.method().as_str(), call.request.path());
    call.state.issuer().ok_or_else(off)
}
