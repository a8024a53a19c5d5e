//! `GET` and `POST /oauth/authorize` (RFC 6749, section 4.1.1).

use actix_web::HttpResponse;
use actix_web::http::Method;
use inboxd_core::app::oauth::{FoundClient, find_client};

use super::problem::{find_problem, usable_state};
use super::request::AuthorizationRequest;
use super::{flow, issuer, respond, sign_in};
use crate::auth::UnauthenticatedRequest;
use crate::error::{ApiError, ErrorCode};
use crate::pages::{Browser, Form};

/// Begins an authorization: a page to sign in, or the next page of a person with a session.
pub(super) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, begin).await
}

async fn begin(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = match *call.request.method() {
        Method::POST => call.form().await?,
        _ => Form::parse(call.request.query_string().as_bytes()),
    };
    let request = read(call, &form)?;
    match find_client(call.app(), &request.client_id).await.map_err(flow::bad_client)? {
        // The document is fetched for a person only; its redirect URIs and all else are checked then.
        FoundClient::Document(_) => {}
        FoundClient::Known(client) => {
            flow::require_redirect(&client, &request)?;
            if let Some(error) = request.problem() {
                return Ok(flow::target(call, &request)?.refuse(&error));
            }
        }
    }
    match Browser::find(call).await? {
        Some(browser) => flow::next_page(call, &browser, request).await,
        None => sign_in::page_for(call, &request, None).await,
    }
}

/// Reads the parameters. A problem is kept until the redirect URI is known to be one of the client.
fn read(call: &UnauthenticatedRequest, form: &Form) -> Result<AuthorizationRequest, ApiError> {
    let refuse = |message: String| {
        ApiError::new(ErrorCode::InvalidRequest, message).fix("go back to the app, and connect it again")
    };
    if let Some(name) = form.repeated(&["client_id", "redirect_uri"]) {
        return Err(refuse(format!("the app sent the parameter {name} twice")));
    }
    let required = |name: &str| {
        let value = form.one(name).map(str::to_owned);
        value.ok_or_else(|| refuse(format!("the app did not send the parameter {name}")))
    };
    let optional = |name: &str| form.one(name).map(str::to_owned);
    Ok(AuthorizationRequest {
        client_id: required("client_id")?,
        redirect_uri: required("redirect_uri")?,
        state: usable_state(form).map(str::to_owned),
        scope: optional("scope"),
        code_challenge: optional("code_challenge").unwrap_or_default(),
        resource: optional("resource"),
        organization_id: None,
        problem: find_problem(issuer(call)?, form).map(|error| (error.code, error.description)),
    })
}
