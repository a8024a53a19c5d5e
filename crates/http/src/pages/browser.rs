//! The browser of a person: session and form tokens.
//!
//! A session begins with a right mailed code and never takes a token that a browser brought. Each form carries a token
//! bound to the session, or before it to a secret of the browser, so that no other site can send one.

use actix_web::HttpResponse;
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use inboxd_core::app::oauth::{self, OpenedSession};
use inboxd_core::model::{BrowserSession, Membership};
use inboxd_core::rules::signing::same;

use super::Form;
use super::cookies::PageCookie;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::state::State;

/// Field of a form with its token.
const FIELD: &str = "csrf_token";
/// Seconds for which a browser keeps its secret before a sign-in.
const VISITOR_SECONDS: i64 = 24 * 60 * 60;

/// A browser with the session of a person.
pub(crate) struct Browser {
    token: String,
    pub(crate) session: BrowserSession,
}

impl Browser {
    /// Returns the browser of a request; `None` without a valid session.
    ///
    /// # Errors
    /// When storage fails.
    pub(crate) async fn find(call: &UnauthenticatedRequest) -> Result<Option<Self>, ApiError> {
        let Some(token) = PageCookie::Session.read(&call.request, call.state.is_https()) else { return Ok(None) };
        Ok(oauth::session(call.app(), &token).await?.map(|session| Self { token, session }))
    }

    /// Returns the browser of a session that has just begun.
    pub(crate) fn new(opened: OpenedSession) -> Self {
        Self { token: opened.token, session: opened.session }
    }

    /// Returns the token for the forms of a page.
    pub(crate) fn form_token(&self, state: &State) -> String {
        form_token(state, "session form", &self.token)
    }

    /// Requires a form of a page of this session.
    ///
    /// # Errors
    /// 403 for a form of another site, session or browser.
    pub(crate) fn require_form(&self, call: &UnauthenticatedRequest, form: &Form) -> Result<(), ApiError> {
        require_form(call, form, &self.form_token(&call.state))
    }

    /// Gives the session to the browser, which keeps it for its longest life; the server ends it earlier.
    pub(crate) fn remember(&self, state: &State, response: &mut HttpResponse) {
        let seconds = BrowserSession::MAX_LIFETIME.whole_seconds();
        PageCookie::Session.set(response, &self.token, seconds, state.is_https());
    }

    /// Returns the token of the session.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the organization that the person works in: the chosen one, or the only one.
    pub(crate) fn organization_among<'a>(
        call: &UnauthenticatedRequest,
        memberships: &'a [Membership],
    ) -> Option<&'a Membership> {
        let chosen = PageCookie::Organization.read(&call.request, call.state.is_https());
        let is_chosen = |joined: &&Membership| {
            chosen.as_ref().is_some_and(|chosen| *chosen == joined.organization.organization_id.to_string())
        };
        memberships.iter().find(is_chosen).or(if let [only] = memberships { Some(only) } else { None })
    }

    /// Gives the chosen organization to the browser. It proves nothing: each request finds the membership again.
    pub(crate) fn remember_organization(state: &State, response: &mut HttpResponse, organization_id: &str) {
        let seconds = BrowserSession::MAX_LIFETIME.whole_seconds();
        PageCookie::Organization.set(response, organization_id, seconds, state.is_https());
    }

    /// Ends the session.
    ///
    /// # Errors
    /// When storage fails.
    pub(crate) async fn end(&self, state: &State) -> Result<(), ApiError> {
        Ok(oauth::close_session(&state.app, &self.token).await?)
    }

    /// Takes the session from the browser.
    pub(crate) fn forget(state: &State, response: &mut HttpResponse) {
        PageCookie::Session.set(response, "", 0, state.is_https());
    }
}

/// A browser before a person signs in.
pub(crate) struct Visitor(String);

impl Visitor {
    /// Returns the browser of a request, with a new secret where it brought none.
    pub(crate) fn of(call: &UnauthenticatedRequest) -> Self {
        let known = PageCookie::Visitor.read(&call.request, call.state.is_https());
        Self(known.unwrap_or_else(|| URL_SAFE_NO_PAD.encode(call.app().random.bytes())))
    }

    /// Returns the token for the forms of a page.
    pub(crate) fn form_token(&self, state: &State) -> String {
        form_token(state, "visitor form", &self.0)
    }

    /// Requires a form of a page of this browser.
    ///
    /// # Errors
    /// 403 for a form of another site or browser.
    pub(crate) fn require_form(call: &UnauthenticatedRequest, form: &Form) -> Result<(), ApiError> {
        let secret = PageCookie::Visitor.read(&call.request, call.state.is_https());
        let secret = secret.ok_or_else(ApiError::foreign_form)?;
        require_form(call, form, &Self(secret).form_token(&call.state))
    }

    /// Gives the secret to the browser.
    pub(crate) fn remember(&self, state: &State, response: &mut HttpResponse) {
        PageCookie::Visitor.set(response, &self.0, VISITOR_SECONDS, state.is_https());
    }
}

fn form_token(state: &State, purpose: &str, secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(state.app.settings.signing_key.mac(purpose, &[secret.as_bytes()]))
}

fn require_form(call: &UnauthenticatedRequest, form: &Form, expected: &str) -> Result<(), ApiError> {
    let is_ours = form.one(FIELD).is_some_and(|token| same(token.as_bytes(), expected.as_bytes()));
    if is_ours && comes_from_here(call.request.headers(), &call.state.base_url) {
        Ok(())
    } else {
        Err(ApiError::foreign_form())
    }
}

/// Returns whether a browser says that a form comes from a page of ours, or says nothing.
///
/// Our pages have the policy `no-referrer`, under which browsers send `Origin: null`. `Sec-Fetch-Site` decides where it
/// is present.
fn comes_from_here(headers: &HeaderMap, base_url: &str) -> bool {
    let field = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = field("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = field(ORIGIN.as_str()).filter(|origin| *origin != "null") else { return true };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    origin.eq_ignore_ascii_case(base_url) || authority.is_some() && authority == field(HOST.as_str())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn form_of_another_site_is_recognized() {
        let origin = |value| ("origin", value);
        let site = |value| ("sec-fetch-site", value);
        for (fields, expected) in [
            (&[][..], true),
            (&[origin("null")], true),
            (&[origin("https://mail.example")], true),
            (&[origin("https://inner.example:8080")], true),
            (&[origin("https://evil.example")], false),
            (&[origin("https://mail.example.evil.example")], false),
            (&[site("same-origin"), origin("null")], true),
            (&[site("none")], true),
            (&[site("cross-site"), origin("null")], false),
            (&[site("same-site")], false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("inner.example:8080"));
            for (name, value) in fields {
                headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(comes_from_here(&headers, "https://mail.example"), expected, "{fields:?}");
        }
    }
}
