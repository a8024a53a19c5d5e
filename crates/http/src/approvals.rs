//! `/approvals/{token}`: the page of the link that is mailed to an approver.
//!
//! The link is the secret, so the page needs no session, and no other page knows where its form leads. Opening it decides
//! nothing: programs that read mail open links.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, Route};
use askama::Template;
use inboxd_core::Error;
use inboxd_core::app::drafts::{self, HeldMessage};
use inboxd_core::rules::sending_policy::describe;
use inboxd_mail::EmailAddress;

use crate::auth::UnauthenticatedRequest;
use crate::clean::clean;
use crate::error::ApiError;
use crate::held::HeldView;
use crate::pages::{failure, page};
use crate::routes::verb;
use crate::views::time::format_time;

/// Title of a page that refuses.
const REFUSED: &str = "This did not work";

/// Paths with their methods.
pub(crate) fn routes() -> Vec<(&'static str, Vec<(&'static str, Route)>)> {
    vec![("/approvals/{token}", vec![("get", verb("get").to(show)), ("post", verb("post").to(decide))])]
}

/// The question, with the held message.
#[derive(Template)]
#[template(path = "approval.html")]
struct ApprovalPage {
    approver: String,
    rule: String,
    expires_at: String,
    held: HeldView,
}

/// The result of a decision.
#[derive(Template)]
#[template(path = "message.html")]
struct DecidedPage<'a> {
    title: &'a str,
    message: &'a str,
    fix: &'a str,
    back: Option<&'a str>,
}

impl ApprovalPage {
    fn new((held, approver): (HeldMessage, EmailAddress)) -> Self {
        Self {
            approver: approver.to_string(),
            rule: clean(&describe(&held.approval.rule)),
            expires_at: format_time(held.approval.expires_at),
            held: HeldView::new(&held),
        }
    }
}

/// Shows the held message and asks for the decision.
async fn show(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, async |call| {
        let held = drafts::held_message(call.app(), token(call)).await?;
        page(StatusCode::OK, &ApprovalPage::new(held))
    })
    .await
}

/// Approves or rejects the message.
async fn decide(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, async |call| {
        let form = call.form().await?;
        let client = Some(call.client());
        let (title, message) = match form.one("decision") {
            Some("approve") => {
                drafts::approve_by_link(call.app(), token(call), client).await?;
                ("Approved", "The message is on its way.")
            }
            Some("reject") => {
                let reason = form.one("reason").map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned);
                drafts::reject_by_link(call.app(), token(call), reason, client).await?;
                ("Rejected", "The message does not leave. Its author finds the decision in the draft.")
            }
            _ => return Err(Error::invalid("decision", "is approve or reject").into()),
        };
        page(StatusCode::OK, &DecidedPage { title, message, fix: "", back: None })
    })
    .await
}

fn token(call: &UnauthenticatedRequest) -> &str {
    call.request.match_info().query("token")
}

/// Responds with a page, or with a page about the cause where `answer` fails. Requests of a client address are limited.
async fn respond(
    mut call: UnauthenticatedRequest,
    answer: impl AsyncFnOnce(&mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let answered = match call.limit_pages() {
        Ok(()) => answer(&mut call).await,
        Err(limited) => Err(limited),
    };
    answered.or_else(|error| failure(REFUSED, &error, None, call.app().clock.now()))
}
