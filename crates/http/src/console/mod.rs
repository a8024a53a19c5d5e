//! The console: pages on which people read and write the mail of their agents and run their organization.
//!
//! ```text
//! respond.rs   from a request to a signed-in person, and from a refusal to a page
//! call.rs      the request of a signed-in person, which the handlers accept
//! frame.rs     what surrounds each page: navigation, form token, notice
//! sign_in.rs   sign-in, choice of the organization, sign-out
//! assets.rs    stylesheet and scripts
//! links.rs     paths of pages; text.rs: texts of strangers; time.rs: times
//! theme.rs     choice of the colours
//! mail/        inboxes, threads, messages, search
//! write/       composer, drafts, sends that can be undone
//! agents/      keys, connections of chat clients, events
//! admin/       members, pods, domains, webhooks, lists, usage, settings
//! operator/    organizations, queue and captured mail, for the operator of the server
//! legal_hold.rs section of a legal hold on pages of settings; quarantine_form.rs: modes of quarantine in forms
//! problem.rs   refusals of forms; choices.rs: values that forms offer; secret.rs: secrets that are shown once
//! ```
//!
//! A page calls the use cases that the API calls, as the same [`Caller`](inboxd_core::model::Caller), and holds no rule of
//! its own. Every action is a form that works without scripts: `POST`, then `303`.

mod admin;
mod agents;
mod assets;
mod call;
mod choices;
mod frame;
mod legal_hold;
mod links;
mod mail;
mod notice;
mod operator;
mod plot;
mod problem;
mod quarantine_form;
mod respond;
mod secret;
mod sign_in;
pub(crate) mod text;
mod theme;
mod time;
mod write;

use actix_web::Route;

use self::respond::post;
pub(crate) use self::respond::refuse_path;

/// Paths with their methods.
pub(crate) fn routes() -> Vec<(&'static str, Vec<(&'static str, Route)>)> {
    let mut routes = vec![
        ("/", vec![assets::root()]),
        ("/assets/{file}", vec![assets::file()]),
        ("/console/sign-in", vec![sign_in::show(), sign_in::request_code()]),
        ("/console/verify", vec![sign_in::verify()]),
        ("/console/sign-out", vec![post(sign_in::sign_out)]),
        ("/console/organization", vec![sign_in::organizations(), sign_in::choose()]),
        ("/console/theme", vec![post(theme::choose)]),
    ];
    routes.extend(PAGES.iter().flat_map(|pages| pages()));
    routes
}

/// Paths of an area with their methods.
type Routes = Vec<(&'static str, Vec<(&'static str, Route)>)>;

/// The pages behind the sign-in, by their module.
const PAGES: &[fn() -> Routes] = &[mail::routes, write::routes, agents::routes, admin::routes, operator::routes];
