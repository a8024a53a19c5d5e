//! `POST /oauth/sign-in`, `/oauth/verify` and `/oauth/sign-out`: the session of a person.
//!
//! The pages read the same for every address.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::oauth::{self, FoundClient};

use super::request::AuthorizationRequest;
use super::{REFUSED, flow, respond};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, Visitor, failure, page};
use crate::views::time::format_time;

/// The page that asks for an address.
#[derive(Template)]
#[template(path = "oauth_sign_in.html")]
struct SignInPage<'a> {
    client: &'a str,
    csrf_token: &'a str,
    request: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

/// The page that asks for a mailed code.
#[derive(Template)]
#[template(path = "oauth_code.html")]
struct CodePage<'a> {
    csrf_token: &'a str,
    request: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

/// Returns the page that asks for an address.
///
/// # Errors
/// When the template fails.
pub(super) async fn page_for(
    call: &UnauthenticatedRequest,
    request: &AuthorizationRequest,
    problem: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    sign_in_page(call, request, "", problem).await
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
    Visitor::require_form(call, &form)?;
    let Some(email) = form.one("email").map(str::trim) else { return page_for(call, &request, None).await };
    match oauth::request_code(call.app(), email).await {
        Ok(()) => code_page(call, &request, email, None),
        Err(Error::Invalid(_)) => sign_in_page(call, &request, email, Some("This is no email address.")).await,
        Err(error) => Err(error.into()),
    }
}

/// Opens a session with a mailed code. A wrong one can be corrected.
pub(super) async fn verify(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, open_session).await
}

async fn open_session(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    Visitor::require_form(call, &form)?;
    let email = form.one("email").unwrap_or_default();
    let code: String = form.one("code").unwrap_or_default().split_whitespace().collect();
    let opened = match oauth::open_session(call.app(), email, &code).await {
        Ok(opened) => opened,
        Err(error) => {
            let problem = wrong_code(error)?;
            return code_page(call, &request, email, Some(&problem));
        }
    };
    if let Some(before) = Browser::find(call).await? {
        before.end(&call.state).await?;
    }
    let browser = Browser::new(opened);
    let answered = flow::next_page(call, &browser, request).await;
    let mut response = answered.or_else(|error| failure(REFUSED, &error, None, call.app().clock.now()))?;
    browser.remember(&call.state, &mut response);
    Ok(response)
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

/// Returns the words about a code that opened no session, or the refusal for any other cause.
pub(crate) fn wrong_code(error: Error) -> Result<String, ApiError> {
    match error {
        Error::Invalid(_) => Ok("The code has six digits.".to_owned()),
        Error::WrongSignInCode => {
            Ok("The code is wrong or has run out. Enter the newest one that was mailed.".to_owned())
        }
        Error::SignInAttemptsExceeded => {
            Ok("Too many wrong codes were tried. Send another code, or wait five minutes first.".to_owned())
        }
        Error::SignInPaused { until } => Ok(format!(
            "Too many wrong codes were tried for this address. Enter the newest one after {}.",
            format_time(until)
        )),
        other => Err(other.into()),
    }
}

async fn sign_in_page(
    call: &UnauthenticatedRequest,
    request: &AuthorizationRequest,
    email: &str,
    problem: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let client = match oauth::find_client(call.app(), &request.client_id).await {
        Ok(FoundClient::Known(client)) => client.name,
        // Nothing is fetched before the sign-in.
        Ok(FoundClient::Document(url)) => host_of(&url),
        Err(error) => return Err(flow::bad_client(error)),
    };
    let visitor = Visitor::of(call);
    let template = SignInPage {
        client: &client,
        csrf_token: &visitor.form_token(&call.state),
        request: &request.seal(call.app())?,
        email,
        problem,
    };
    let mut response = page(StatusCode::OK, &template)?;
    visitor.remember(&call.state, &mut response);
    Ok(response)
}

fn code_page(
    call: &UnauthenticatedRequest,
    request: &AuthorizationRequest,
    email: &str,
    problem: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let visitor = Visitor::of(call);
    let (csrf_token, request) = (visitor.form_token(&call.state), request.seal(call.app())?);
    page(StatusCode::OK, &CodePage { csrf_token: &csrf_token, request: &request, email, problem })
}

/// Returns the host of a URL.
pub(super) fn host_of(url: &str) -> String {
    url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}
