//! `/console/sign-in`, `/console/verify`, `/console/sign-out`, `/console/organization`: the session of a person.

use actix_web::Route;
use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::app::oauth::{create_organization, may_create_organization, organizations_of};

use super::call::{ConsoleCall, PageResult, see_other};
use super::respond::{REFUSED, is_own_path};
use crate::auth::UnauthenticatedRequest;
use crate::oauth::{OWN, OrganizationChoice, organization_choices};
use crate::pages::{Browser, CONSOLE_POLICY, Form, SignIn, SignInOutcome, failure, page_with};
use crate::routes::verb;

/// Page after the sign-in.
const START: &str = "/console";

#[derive(Template)]
#[template(path = "console/organization.html")]
struct OrganizationPage<'a> {
    csrf_token: &'a str,
    email: &'a str,
    organizations: Vec<OrganizationChoice>,
    /// Value of the choice to make an own organization.
    own: Option<&'static str>,
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
    sign_in(next_of(&query)).address_page(call, "", None)
}

async fn mail_code(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    sign_in(next_of(&form)).mail_code(call, &form).await
}

async fn open_session(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    let next = next_of(&form);
    match sign_in(next).open_session(call, &form).await? {
        SignInOutcome::Refused(page) => Ok(page),
        SignInOutcome::Opened(browser) => {
            let mut response = see_other(next);
            browser.remember(&call.state, &mut response);
            Ok(response)
        }
    }
}

/// Returns the sign-in that leads on to a page of the console.
fn sign_in(next: &str) -> SignIn {
    SignIn {
        address_path: "/console/sign-in",
        code_path: "/console/verify",
        carried: ("next", next.to_owned()),
        client: None,
        policy: CONSOLE_POLICY,
    }
}

async fn organization_page(call: &mut UnauthenticatedRequest) -> PageResult {
    let Some(browser) = Browser::find(call).await? else { return Ok(see_other("/console/sign-in")) };
    let organizations = organizations_of(call.app(), &browser.session).await?;
    let may_create = may_create_organization(call.app(), &browser.session, &organizations).await?;
    if organizations.is_empty() && !may_create {
        browser.end(&call.state).await?;
        return Ok(see_other("/console/sign-in"));
    }
    let template = OrganizationPage {
        csrf_token: &browser.form_token(&call.state),
        email: browser.session.email.as_str(),
        organizations: organization_choices(&organizations),
        own: may_create.then_some(OWN),
    };
    page_with(StatusCode::OK, CONSOLE_POLICY, &template)
}

async fn choose_organization(call: &mut UnauthenticatedRequest) -> PageResult {
    let form = call.form().await?;
    let Some(browser) = Browser::find(call).await? else { return Ok(see_other("/console/sign-in")) };
    browser.require_form(call, &form)?;
    let wanted = form.one("organization_id").unwrap_or_default();
    let chosen = if wanted == OWN {
        create_organization(call.app(), &browser.session).await?.to_string()
    } else {
        let organizations = organizations_of(call.app(), &browser.session).await?;
        let mut ids = organizations.iter().map(|joined| joined.organization.organization_id.to_string());
        let Some(chosen) = ids.find(|id| id == wanted) else { return Ok(see_other("/console/organization")) };
        chosen
    };
    let mut response = see_other(START);
    Browser::remember_organization(&call.state, &mut response, &chosen);
    Ok(response)
}

/// Returns the page of the console that a request leads on to.
fn next_of(form: &Form) -> &str {
    form.one("next").filter(|next| is_own_path(next)).unwrap_or(START)
}
