//! The request of a signed-in person.

use std::ops::Deref;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{LOCATION, VARY};
use askama::Template;
use inboxd_core::model::{InboxId, Membership, Permission, RequiredPermission, Scope};
use inboxd_core::rules::access;
use inboxd_core::rules::authorization::AuthorizedCaller;

use super::frame::{Frame, Section};
use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, CONSOLE_POLICY, Form, page_with};
use crate::path;

/// Result of a page.
pub(crate) type PageResult = Result<HttpResponse, ApiError>;

/// The request of a signed-in person to a page of the console. The token of a form was checked before.
pub(crate) struct ConsoleCall {
    request: AuthenticatedRequest,
    browser: Browser,
    memberships: Vec<Membership>,
    /// Fields of the query string.
    pub(crate) query: Form,
    /// Fields and files of the body.
    pub(crate) form: Form,
}

impl Deref for ConsoleCall {
    type Target = AuthenticatedRequest;

    fn deref(&self) -> &AuthenticatedRequest {
        &self.request
    }
}

impl ConsoleCall {
    /// Returns the call of a person, who belongs to these organizations.
    pub(super) fn new(
        request: AuthenticatedRequest,
        browser: Browser,
        memberships: Vec<Membership>,
        form: Form,
    ) -> Self {
        let query = Form::parse(request.request().query_string().as_bytes());
        Self { request, browser, memberships, query, form }
    }

    /// Returns the session of the person.
    pub(crate) fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Returns the organizations of the person.
    pub(crate) fn memberships(&self) -> &[Membership] {
        &self.memberships
    }

    /// Returns whether the person holds a permission. Pages leave out what the person may not do; the use case refuses it.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        access::holds(&self.caller, permission)
    }

    /// Returns whether the person is an operator of this server.
    pub(crate) fn is_operator(&self) -> bool {
        let email = self.browser.session.email.normalized();
        self.state().operators.iter().any(|operator| operator.normalized() == email)
    }

    /// Proves that the person holds the permission `P` within a scope.
    ///
    /// # Errors
    /// The refusal of the API.
    pub(crate) fn authorize<P: RequiredPermission>(&self, scope: Scope) -> Result<AuthorizedCaller<P>, ApiError> {
        self.with_fix(AuthorizedCaller::new(self.caller.clone(), scope))
    }

    /// Proves that the person holds the permission `P` in the inbox of the path.
    ///
    /// # Errors
    /// The refusal of the API.
    pub(crate) fn authorize_inbox<P: RequiredPermission>(&self) -> Result<(AuthorizedCaller<P>, InboxId), ApiError> {
        let inbox_id = self.inbox_id();
        Ok((self.authorize(Scope::Inbox(inbox_id.clone()))?, inbox_id))
    }

    /// Returns the inbox of the path.
    pub(crate) fn inbox_id(&self) -> InboxId {
        path::inbox_id(&path::value(self.request.request(), "inbox_id"))
    }

    /// Returns what surrounds a page.
    pub(crate) fn frame(&self, section: Section, title: impl Into<String>) -> Frame {
        Frame::new(self, section, title.into())
    }

    /// Renders a page.
    ///
    /// # Errors
    /// When the template fails.
    pub(crate) fn render(&self, template: &impl Template) -> PageResult {
        self.render_with(StatusCode::OK, template)
    }

    /// Renders a page with a status, such as 422 for a form that was refused.
    ///
    /// # Errors
    /// When the template fails.
    #[expect(clippy::unused_self, reason = "all handlers answer through their call")]
    pub(crate) fn render_with(&self, status: StatusCode, template: &impl Template) -> PageResult {
        let mut response = page_with(status, CONSOLE_POLICY, template)?;
        let vary = actix_web::http::header::HeaderValue::from_static("HX-Request, Cookie");
        response.headers_mut().insert(VARY, vary);
        Ok(response)
    }

    /// Sends the browser to a path of the console after a form (`303 See Other`).
    #[expect(clippy::unused_self, reason = "all handlers answer through their call")]
    pub(crate) fn redirect(&self, to: &str) -> HttpResponse {
        see_other(to)
    }
}

/// Sends the browser to a path of this server.
pub(super) fn see_other(to: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, to)).finish()
}
