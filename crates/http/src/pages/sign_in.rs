//! Pages of a sign-in: the address, then the mailed code.
//!
//! They read the same for every address.
//!
//! The cookie of a visitor needs no signature. A stranger could get a signed value from this page too, so a signature
//! would prove nothing. Its secrecy counts: a form is accepted only with the MAC of the cookie of the same browser. Under
//! https the prefix `__Host-` keeps other hosts from planting a cookie whose MAC they know, and without https whoever can
//! plant one can change the page itself.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::app::oauth;
use inboxd_core::{CodeRefusal, Error};

use super::browser::{Browser, Visitor};
use super::form::Form;
use super::page::page_with;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::views::time::format_time;

/// A sign-in: its paths, and what its forms carry along.
pub(crate) struct SignIn {
    /// Path of the form with the address.
    pub(crate) address_path: &'static str,
    /// Path of the form with the code.
    pub(crate) code_path: &'static str,
    /// Name and value of a field of both forms.
    pub(crate) carried: (&'static str, String),
    /// Client that asks for access; `None` for the console.
    pub(crate) client: Option<String>,
    /// Content security policy of the pages.
    pub(crate) policy: &'static str,
}

/// Result of a mailed code.
pub(crate) enum SignInOutcome {
    /// The code opened a session, and ended that before.
    Opened(Browser),
    /// The code was wrong; the page asks again.
    Refused(HttpResponse),
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct AddressPage<'a> {
    sign_in: &'a SignIn,
    csrf_token: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "code.html")]
struct CodePage<'a> {
    sign_in: &'a SignIn,
    captures_mail: bool,
    csrf_token: &'a str,
    email: &'a str,
    problem: Option<&'a str>,
}

impl SignIn {
    /// Returns the page that asks for an address.
    ///
    /// # Errors
    /// When the template fails.
    pub(crate) fn address_page(
        &self,
        call: &UnauthenticatedRequest,
        email: &str,
        problem: Option<&str>,
    ) -> Result<HttpResponse, ApiError> {
        let visitor = Visitor::of(call);
        let csrf_token = &visitor.form_token(&call.state);
        let mut response =
            page_with(StatusCode::OK, self.policy, &AddressPage { sign_in: self, csrf_token, email, problem })?;
        visitor.remember(&call.state, &mut response);
        Ok(response)
    }

    fn code_page(
        &self,
        call: &UnauthenticatedRequest,
        email: &str,
        problem: Option<&str>,
    ) -> Result<HttpResponse, ApiError> {
        let csrf_token = &Visitor::of(call).form_token(&call.state);
        let captures_mail = call.state.captures_mail;
        page_with(StatusCode::OK, self.policy, &CodePage { sign_in: self, captures_mail, csrf_token, email, problem })
    }

    /// Mails a code, and asks for it. Without an address it asks for one.
    ///
    /// # Errors
    /// 403 for a form of another site or browser; failures of storage.
    pub(crate) async fn mail_code(&self, call: &UnauthenticatedRequest, form: &Form) -> Result<HttpResponse, ApiError> {
        Visitor::require_form(call, form)?;
        let Some(email) = form.one("email").map(str::trim) else { return self.address_page(call, "", None) };
        match oauth::request_code(call.app(), email).await {
            Ok(()) => self.code_page(call, email, None),
            Err(Error::Invalid(_)) => self.address_page(call, email, Some("This is no email address.")),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a session with a mailed code. A wrong one can be corrected.
    ///
    /// # Errors
    /// 403 for a form of another site or browser; failures of storage.
    pub(crate) async fn open_session(
        &self,
        call: &UnauthenticatedRequest,
        form: &Form,
    ) -> Result<SignInOutcome, ApiError> {
        Visitor::require_form(call, form)?;
        let email = form.one("email").unwrap_or_default();
        let code: String = form.one("code").unwrap_or_default().split_whitespace().collect();
        let opened = match oauth::open_session(call.app(), email, &code).await {
            Ok(opened) => opened,
            Err(error) => {
                let problem = wrong_code(error)?;
                return Ok(SignInOutcome::Refused(self.code_page(call, email, Some(&problem))?));
            }
        };
        if let Some(before) = Browser::find(call).await? {
            before.end(&call.state).await?;
        }
        Ok(SignInOutcome::Opened(Browser::new(opened)))
    }
}

/// Returns the words about a code that opened no session, or the refusal for any other cause.
fn wrong_code(error: Error) -> Result<String, ApiError> {
    match error {
        Error::Invalid(_) => Ok("The code has six digits.".to_owned()),
        Error::Code(CodeRefusal::WrongSignIn) => {
            Ok("The code is wrong or has run out. Enter the newest one that was mailed.".to_owned())
        }
        Error::Code(CodeRefusal::SignInAttemptsExceeded) => {
            Ok("Too many wrong codes were tried. Send another code, or wait five minutes first.".to_owned())
        }
        Error::Code(CodeRefusal::SignInPaused { until }) => Ok(format!(
            "Too many wrong codes were tried for this address. Enter the newest one after {}.",
            format_time(until)
        )),
        other => Err(other.into()),
    }
}
