//! HTML pages for people: skeleton, headers, browser session and form tokens.
//!
//! Templates are in `templates/`. They work without scripts, and their texts are escaped by their extension.

mod browser;
mod cookies;
mod form;
mod page;

pub(crate) use browser::{Browser, Visitor};
pub(crate) use form::Form;
pub(crate) use page::{STYLESHEET, failure, page};
