//! `/console/sign-in`, `/console/verify`, `/console/sign-out`, `/console/organization`: the session of a person.
//!
//! The pages read the same for every address.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, Route};
use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::oauth::{self, organizations_of};

use super::call::{ConsoleCall, PageResult, see_other};
use super::respond::{REFUSED, is_own_path};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::oauth::{OrganizationChoice, organization_choices, wrong_code};
use crate::pages::{Browser, CONSOLE_POLICY, Form, Visitor, failure, page_with};
use crate::routes::verb;

/// Page after the sign-in.
const START: &str = "/console";

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignInPage<'a> {
    csrf_token: &'a str,
    next: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "console/code.html")]
struct CodePage<'a> {
    csrf_token: &'a str,
    next: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "console/organization.html")]
struct OrganizationPage<'a> {
    csrf_token: &'a str,
    email: &'a str,
    organizations: Vec<OrganizationChoice>,
}

/// Returns the route of the sign-in page.
pub(super) fn show() -> (&'static str, Route) {
    ("get", verb("get").to(async |call| respond(call, sign_in_page).await))
}

/// Returns the route that mails a code.
pub(super) fn request_code() -> (&'static str, Route) {
    ("post", verb("post").to(async |call| respond(call, mail_code).await))
}

/// Returns the route that opens a session with a mailed code.
pub(super) fn verify() -> (&'static str, Route) {
    ("post", verb("post").to(async |call| respond(call, open_session).await))
}

/// Returns the route of the choice of an organization.
pub(super) fn organizations() -> (&'static str, Route) {
    ("get", verb("get").to(async |call| respond(call, organization_page).await))
}

/// Returns the route that chooses an organization.
pub(super) fn choose() -> (&'static str, Route) {
    ("post", verb("post").to(async |call| respond(call, choose_organization).await))
}

/// Ends the session.
pub(super) async fn sign_out(call: &ConsoleCall) -> PageResult {
    call.browser().end(call.state()).await?;
    let mut response = see_other("/console/sign-in");
    Browser::forget(call.state(), &mut response);
    Ok(response)
}

/// Responds to a browser without a session. Requests of a client address are limited.
async fn respond(
    mut call: UnauthenticatedRequest,
    answer: impl AsyncFnOnce(&mut UnauthenticatedRequest) -> PageResult,
) -> PageResult {
    let answered = match call.limit() {
        Ok(()) => answer(&mut call).await,
        Err(limited) => Err(limited),
    };
    answered.or_else(|error| failure(REFUSED, &error, Some(START), call.app().clock.now()))
}

async fn sign_in_page(call: &mut UnauthenticatedRequest) -> PageResult {
    let query = Form::parse(call.request.query_string().as_bytes());
    if Browser::find(call).await?.is_some() {
        return Ok(see_other(next_of(&query)));
    }
    address_page(call, next_of(&query), "", None)
}

async fn mail_code(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    Visitor::require_form(call, &form)?;
    let next = next_of(&form).to_owned();
    let Some(email) = form.one("email").map(str::trim) else { return address_page(call, &next, "", None) };
    match oauth::request_code(call.app(), email).await {
        Ok(()) => code_page(call, &next, email, None),
        Err(Error::Invalid(_)) => address_page(call, &next, email, Some("This is no email address.")),
        Err(error) => Err(error.into()),
    }
}

async fn open_session(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    Visitor::require_form(call, &form)?;
    let next = next_of(&form);
    let email = form.one("email").unwrap_or_default();
    let code: String = form.one("code").unwrap_or_default().split_whitespace().collect();
    let opened = match oauth::open_session(call.app(), email, &code).await {
        Ok(opened) => opened,
        Err(error) => return code_page(call, next, email, Some(&wrong_code(error)?)),
    };
    if let Some(before) = Browser::find(call).await? {
        before.end(&call.state).await?;
    }
    let browser = Browser::new(opened);
    let mut response = see_other(next);
    browser.remember(&call.state, &mut response);
    Ok(response)
}

async fn organization_page(call: &mut UnauthenticatedRequest) -> PageResult {
    let Some(browser) = Browser::find(call).await? else { return Ok(see_other("/console/sign-in")) };
    let organizations = organizations_of(call.app(), &browser.session).await?;
    if organizations.is_empty() {
        browser.end(&call.state).await?;
        return Ok(see_other("/console/sign-in"));
    }
    let template = OrganizationPage {
        csrf_token: &browser.form_token(&call.state),
        email: browser.session.email.as_str(),
        organizations: organization_choices(&organizations),
    };
    page_with(StatusCode::OK, CONSOLE_POLICY, &template)
}

async fn choose_organization(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    let Some(browser) = Browser::find(call).await? else { return Ok(see_other("/console/sign-in")) };
    browser.require_form(call, &form)?;
    let organizations = organizations_of(call.app(), &browser.session).await?;
    let wanted = form.one("organization_id").unwrap_or_default();
    let chosen = organizations.iter().map(|joined| joined.organization.organization_id.to_string());
    let Some(chosen) = chosen.into_iter().find(|id| id == wanted) else {
        return Ok(see_other("/console/organization"));
    };
    let mut response = see_other(START);
    browser.remember_organization(&call.state, &mut response, &chosen);
    Ok(response)
}

/// Returns the page of the console that a request leads on to.
fn next_of(form: &Form) -> &str {
    form.one("next").filter(|next| is_own_path(next)).unwrap_or(START)
}

fn address_page(call: &UnauthenticatedRequest, next: &str, email: &str, problem: Option<&str>) -> PageResult {
    let visitor = Visitor::of(call);
    let template = SignInPage { csrf_token: &visitor.form_token(&call.state), next, email, problem };
    let mut response = page_with(StatusCode::OK, CONSOLE_POLICY, &template)?;
    visitor.remember(&call.state, &mut response);
    Ok(response)
}

fn code_page(
    call: &UnauthenticatedRequest,
    next: &str,
    email: &str,
    problem: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let visitor = Visitor::of(call);
    let template = CodePage { csrf_token: &visitor.form_token(&call.state), next, email, problem };
    page_with(StatusCode::OK, CONSOLE_POLICY, &template)
}
