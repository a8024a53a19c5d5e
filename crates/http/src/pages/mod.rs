//! HTML pages for people: skeleton, headers, browser session and form tokens.
//!
//! Templates are in `templates/`. They work without scripts, and their texts are escaped by their extension.

mod browser;
mod cookies;
mod form;
mod page;
mod sign_in;
pub(crate) mod theme;

pub(crate) use browser::Browser;
pub(crate) use form::{Form, UploadedFile};
pub(crate) use page::{
    CONSOLE_POLICY, POLICY, STYLESHEET, add_header_fields, failure, log_cause, page, page_with, sentence,
};
pub(crate) use sign_in::{SignIn, SignInOutcome};
