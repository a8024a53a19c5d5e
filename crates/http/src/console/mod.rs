//! The console: pages on which people read and write the mail of their agents and run their organization.
//!
//! ```text
//! respond.rs   from a request to a signed-in person, and from a refusal to a page
//! call.rs      the request of a signed-in person, which the handlers accept
//! frame.rs     what surrounds each page: navigation, form token, notice
//! sign_in.rs   sign-in, choice of the organization, sign-out
//! assets.rs    stylesheet and scripts
//! links.rs     paths of pages; text.rs: texts of strangers; time.rs: times
//! mail/        inboxes, threads, messages, search
//! ```
//!
//! A page calls the use cases that the API calls, as the same [`Caller`](inboxd_core::model::Caller), and holds no rule of
//! its own. Every action is a form that works without scripts: `POST`, then `303`.

mod assets;
mod call;
mod frame;
mod links;
mod mail;
mod notice;
mod respond;
mod sign_in;
mod text;
mod time;

use actix_web::Route;

pub(crate) use self::respond::refuse_path;
use self::respond::{get, post};

/// Paths with their methods.
pub(crate) fn routes() -> Vec<(&'static str, Vec<(&'static str, Route)>)> {
    let mut routes = vec![
        ("/", vec![assets::root()]),
        ("/assets/{file}", vec![assets::file()]),
        ("/console/sign-in", vec![sign_in::show(), sign_in::request_code()]),
        ("/console/verify", vec![sign_in::verify()]),
        ("/console/sign-out", vec![post(sign_in::sign_out)]),
        ("/console/organization", vec![sign_in::organizations(), sign_in::choose()]),
    ];
    routes.extend(PAGES.iter().flat_map(|pages| pages()));
    routes
}

/// Paths of an area with their methods.
type Routes = Vec<(&'static str, Vec<(&'static str, Route)>)>;

/// The pages behind the sign-in, by their module.
const PAGES: &[fn() -> Routes] = &[mail::routes];
