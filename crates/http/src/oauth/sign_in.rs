//! `POST /oauth/sign-in`, `/oauth/verify` and `/oauth/sign-out`: the session of a person.

use actix_web::HttpResponse;
use inboxd_core::app::oauth::{self, FoundClient};

use super::request::AuthorizationRequest;
use super::{REFUSED, flow, respond};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, POLICY, SignIn, SignInOutcome, failure};

/// Returns the page that asks for an address.
///
/// # Errors
/// When the template fails.
pub(super) async fn page_for(
    call: &UnauthenticatedRequest,
    request: &AuthorizationRequest,
    problem: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    sign_in(call, request).await?.address_page(call, "", problem)
}

/// Returns the page that asks for an address after the end of a session.
///
/// # Errors
/// When the template fails.
pub(super) async fn again(
    call: &UnauthenticatedRequest,
    request: &AuthorizationRequest,
) -> Result<HttpResponse, ApiError> {
    page_for(call, request, Some("You are not signed in any more. Sign in again.")).await
}

/// Mails a code, and asks for it. Without an address it asks for one.
pub(super) async fn request_code(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, mail_code).await
}

async fn mail_code(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    sign_in(call, &request).await?.mail_code(call, &form).await
}

/// Opens a session with a mailed code. A wrong one can be corrected.
pub(super) async fn verify(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, open_session).await
}

async fn open_session(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    match sign_in(call, &request).await?.open_session(call, &form).await? {
        SignInOutcome::Refused(page) => Ok(page),
        SignInOutcome::Opened(browser) => {
            let answered = flow::next_page(call, &browser, request).await;
            let mut response = answered.or_else(|error| failure(REFUSED, &error, None, call.app().clock.now()))?;
            browser.remember(&call.state, &mut response);
            Ok(response)
        }
    }
}

/// Ends the session, and asks for another address.
pub(super) async fn sign_out(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, close_session).await
}

async fn close_session(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    if let Some(browser) = Browser::find(call).await? {
        browser.require_form(call, &form)?;
        browser.end(&call.state).await?;
    }
    let mut response = page_for(call, &request, None).await?;
    Browser::forget(&call.state, &mut response);
    Ok(response)
}

/// Returns the sign-in that leads on to the consent for a client.
async fn sign_in(call: &UnauthenticatedRequest, request: &AuthorizationRequest) -> Result<SignIn, ApiError> {
    let client = match oauth::find_client(call.app(), &request.client_id).await {
        Ok(FoundClient::Known(client)) => client.name,
        // Nothing is fetched before the sign-in.
        Ok(FoundClient::Document(url)) => host_of(&url),
        Err(error) => return Err(flow::bad_client(error)),
    };
    Ok(SignIn {
        address_path: "/oauth/sign-in",
        code_path: "/oauth/verify",
        carried: ("request", request.seal(call.app())?),
        client: Some(client),
        policy: POLICY,
    })
}

/// Returns the host of a URL.
pub(super) fn host_of(url: &str) -> String {
    url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}
