//! From a request to a signed-in person, and from a refusal to a page.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, Route};
use askama::Template;
use inboxd_core::app::caller_of_membership;
use inboxd_core::app::oauth::organizations_of;
use inboxd_core::model::BrowserSession;

use super::call::{ConsoleCall, PageResult, see_other};
use super::frame::{Frame, Section};
use crate::auth::UnauthenticatedRequest;
use crate::error::{ApiError, ErrorCode};
use crate::pages::{Browser, Form, add_header_fields, failure, log_cause, sentence};
use crate::routes::verb;

/// Title of a page that refuses.
pub(super) const REFUSED: &str = "This did not work";

/// A page inside the console with one message.
#[derive(Template)]
#[template(path = "console/refusal.html")]
struct RefusalPage<'a> {
    frame: Frame,
    message: &'a str,
    fix: &'a str,
    back: &'a str,
}

/// Returns the route of a page.
pub(super) fn get<F>(handler: F) -> (&'static str, Route)
where
    F: AsyncFn(&ConsoleCall) -> PageResult + Copy + 'static,
{
    ("get", verb("get").to(move |call: UnauthenticatedRequest| respond(call, handler)))
}

/// Returns the route of a form. Its token is checked before the handler runs.
pub(super) fn post<F>(handler: F) -> (&'static str, Route)
where
    F: AsyncFn(&ConsoleCall) -> PageResult + Copy + 'static,
{
    ("post", verb("post").to(move |call: UnauthenticatedRequest| respond(call, handler)))
}

async fn respond<F>(call: UnauthenticatedRequest, handler: F) -> PageResult
where
    F: AsyncFn(&ConsoleCall) -> PageResult + Copy + 'static,
{
    let (request, now) = (call.request.clone(), call.app().clock.now());
    let call = match enter(call).await {
        Ok(Entry::Person(call)) => call,
        Ok(Entry::Elsewhere(response)) => return Ok(response),
        Err(error) => return failure(REFUSED, &error, Some("/console"), now),
    };
    match handler(&call).await {
        Ok(response) => Ok(response),
        Err(error) => refuse(&call, &request, &error),
    }
}

/// Refuses a path without a page, or a method that its page does not have.
pub(crate) async fn refuse_path(call: UnauthenticatedRequest, error: ApiError) -> PageResult {
    let (request, now) = (call.request.clone(), call.app().clock.now());
    match enter(call).await {
        Ok(Entry::Person(call)) => refuse(&call, &request, &error),
        Ok(Entry::Elsewhere(response)) => Ok(response),
        Err(error) => failure(REFUSED, &error, Some("/console"), now),
    }
}

/// Where a request leads.
enum Entry {
    Person(Box<ConsoleCall>),
    /// To the sign-in, to the choice of an organization, or to the refusal of a form of another page.
    Elsewhere(HttpResponse),
}

/// Finds the person and the organization of a request, and reads its form.
async fn enter(call: UnauthenticatedRequest) -> Result<Entry, ApiError> {
    let is_form = call.request.method() == Method::POST;
    let Some(browser) = Browser::find(&call).await? else {
        call.limit_pages()?;
        let next = if is_form { None } else { Some(next_of(&call.request)) };
        return Ok(Entry::Elsewhere(see_other(&sign_in_path(next.as_deref()))));
    };
    let memberships = organizations_of(call.app(), &browser.session).await?;
    let Some(membership) = Browser::organization_among(&call, &memberships) else {
        return Ok(Entry::Elsewhere(see_other("/console/organization")));
    };
    let caller = caller_of_membership(membership.clone());
    let token_hash = BrowserSession::hash(browser.token());
    let mut request = call.authenticated_as(caller, token_hash).await?;
    let form = if is_form { request.form().await? } else { Form::default() };
    let call = ConsoleCall::new(request, browser, memberships, form);
    if is_form && let Err(error) = call.browser().require_form(call.unauthenticated(), &call.form) {
        return Ok(Entry::Elsewhere(refuse(&call, call.request(), &error)?));
    }
    Ok(Entry::Person(Box::new(call)))
}

/// Returns the path of the sign-in page, which leads on to `next`.
fn sign_in_path(next: Option<&str>) -> String {
    let next = next.filter(|next| *next != "/console");
    next.map_or_else(
        || "/console/sign-in".to_owned(),
        |next| {
            let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
            format!("/console/sign-in?{query}")
        },
    )
}

/// Returns the path and query string of a request.
fn next_of(request: &HttpRequest) -> String {
    request.uri().path_and_query().map_or_else(|| "/console".to_owned(), |path| path.as_str().to_owned())
}

/// Returns whether a path leads to a page of the console on this server, as its links name it.
pub(super) fn is_own_path(path: &str) -> bool {
    let is_inside = path == "/console" || ["/console/", "/console?"].iter().any(|start| path.starts_with(start));
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    // Browsers resolve a segment of dots, encoded or not (WHATWG URL, section 4.4).
    let has_dots = path.contains("/.") || path.to_ascii_lowercase().contains("/%2e");
    is_inside && is_plain && !has_dots && path.len() <= 2_000
}

/// Renders a refusal inside the console.
fn refuse(call: &ConsoleCall, request: &HttpRequest, error: &ApiError) -> PageResult {
    log_cause(error);
    let (message, fix) = if error.code == ErrorCode::RouteNotFound {
        ("this page does not exist", "choose a section, or go back")
    } else {
        (error.message.as_str(), error.fix.as_str())
    };
    let template = RefusalPage {
        frame: call.frame(Section::None, REFUSED),
        message: &sentence(message),
        fix: &sentence(fix),
        back: back_from(request),
    };
    let mut response = call.render_with(error.code.status(), &template)?;
    add_header_fields(&mut response, error, call.app().clock.now());
    Ok(response)
}

/// Returns the page to which a refusal leads back: from a form its page, and from a form of a list its list.
fn back_from(request: &HttpRequest) -> &str {
    let path = request.path();
    if request.method() == Method::GET {
        return "/console";
    }
    let is_mail = path.starts_with("/console/inboxes/");
    let section = path.match_indices('/').nth(2).filter(|_| !is_mail);
    section.and_then(|(end, _)| path.get(..end)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn next_page_is_on_this_server() {
        for (path, expected) in [
            ("/console", true),
            ("/console/inboxes/a@b.example?label=x", true),
            ("/console?x=1", true),
            ("/consolex", false),
            ("//evil.example/console/", false),
            ("https://evil.example/console/", false),
            ("/console/\\evil", false),
            ("/console/../oauth/authorize", false),
            ("/console/%2e%2e/oauth/authorize", false),
            ("/console/.%2E/oauth/authorize", false),
            ("/console/\u{1}", false),
            ("/console/ä", false),
            ("/oauth/authorize", false),
        ] {
            assert_eq!(is_own_path(path), expected, "{path}");
        }
    }

    #[test]
    fn refusal_leads_back() {
        for (method, path, expected) in [
            ("GET", "/console/pods", "/console"),
            ("POST", "/console/pods", "/console/pods"),
            ("POST", "/console/pods/p/delete", "/console/pods"),
            ("POST", "/console/lists/delete", "/console/lists"),
            ("POST", "/console/inboxes/a@b.example/compose", "/console/inboxes/a@b.example/compose"),
        ] {
            let request = TestRequest::with_uri(path).method(Method::from_bytes(method.as_bytes()).unwrap());
            assert_eq!(back_from(&request.to_http_request()), expected, "{method} {path}");
        }
    }

    #[test]
    fn sign_in_leads_on() {
        assert_eq!(sign_in_path(None), "/console/sign-in");
        assert_eq!(sign_in_path(Some("/console")), "/console/sign-in");
        assert_eq!(sign_in_path(Some("/console/a?b=c")), "/console/sign-in?next=%2Fconsole%2Fa%3Fb%3Dc");
    }
}
