//! `POST /oauth/consent`: the decision of a person.

use actix_web::HttpResponse;
use inboxd_core::Error;
use inboxd_core::app::oauth::{GrantRequest, grant, organizations_of};
use inboxd_core::model::{Access, InboxId, Membership, OAuthClient, OAuthError, OAuthErrorCode};
use time::Duration;

use super::consent_page::{self, Consent, LIFETIMES};
use super::request::AuthorizationRequest;
use super::{flow, respond, sign_in};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, Form};
use crate::path;

/// The narrowing that a form states.
struct Narrowing {
    access: Access,
    /// `None` for all inboxes of the person.
    inbox_ids: Option<Vec<InboxId>>,
    lifetime: Duration,
}

/// Grants or denies access, and redirects to the client.
pub(super) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, decide).await
}

async fn decide(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    let Some(browser) = Browser::find(call).await? else { return sign_in::again(call, &request).await };
    browser.require_form(call, &form)?;
    let client = flow::client_of(call, &browser, &request).await?;
    if let Some(error) = request.problem() {
        return Ok(flow::target(call, &request)?.refuse(&error));
    }
    match form.one("decision") {
        Some("deny") => {
            let denied = OAuthError::new(OAuthErrorCode::AccessDenied, "the person denied the access");
            Ok(flow::target(call, &request)?.refuse(&denied))
        }
        Some("allow") => allow(call, &browser, &client, request, &form).await,
        _ => flow::next_page(call, &browser, request).await,
    }
}

async fn allow(
    call: &UnauthenticatedRequest,
    browser: &Browser,
    client: &OAuthClient,
    request: AuthorizationRequest,
    form: &Form,
) -> Result<HttpResponse, ApiError> {
    let joined = organizations_of(call.app(), &browser.session).await?;
    let chosen = request.organization_id.as_deref().unwrap_or_default();
    let membership = joined.into_iter().find(|joined| flow::is_chosen(joined, chosen));
    // Without a choice, or after the removal of the person, the choice is shown.
    let Some(membership) = membership else { return flow::next_page(call, browser, request).await };
    let problem = match read(form) {
        Ok(narrowing) => {
            let granted = GrantRequest {
                client_address: Some(call.client()),
                ..granted(client, &request, &membership, narrowing)
            };
            match grant(call.app(), &browser.session, granted).await {
                Ok(code) => return Ok(flow::target(call, &request)?.accept(&code)),
                Err(Error::OAuth(error)) => return Ok(flow::target(call, &request)?.refuse(&error)),
                Err(Error::Invalid(problems)) => {
                    problems.into_iter().next().map_or_else(String::new, |problem| problem.message)
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(problem) => problem.to_owned(),
    };
    let consent = Consent { browser, client, request: &request, membership: &membership };
    consent_page::show(call, &consent, Some((form, &problem))).await
}

fn granted(
    client: &OAuthClient,
    request: &AuthorizationRequest,
    membership: &Membership,
    narrowing: Narrowing,
) -> GrantRequest {
    GrantRequest {
        client: client.clone(),
        redirect_uri: request.redirect_uri.clone(),
        code_challenge: request.code_challenge.clone(),
        resource: request.resource.clone(),
        scope: request.scope.clone(),
        organization_id: membership.organization.organization_id,
        inbox_ids: narrowing.inbox_ids,
        access: narrowing.access,
        lifetime: narrowing.lifetime,
        client_address: None,
    }
}

/// Reads how a person narrows the access. Absent fields narrow nothing, and a marked inbox always limits.
fn read(form: &Form) -> Result<Narrowing, &'static str> {
    let access =
        form.one("access").map_or(Some(Access::Asked), Access::named).ok_or("Choose how much the app may do.")?;
    let days = form.one("lifetime").map_or(Some(LIFETIMES[0].0), |days| {
        LIFETIMES.into_iter().map(|(known, _)| known).find(|known| known.to_string() == days)
    });
    let marked: Vec<InboxId> = form.all("inbox_ids").map(path::inbox_id).collect();
    if marked.is_empty() && form.one("inboxes") == Some("chosen") {
        return Err("Mark the inboxes that the app may open, or choose all inboxes.");
    }
    Ok(Narrowing {
        access,
        inbox_ids: Some(marked).filter(|marked| !marked.is_empty()),
        lifetime: Duration::days(i64::from(days.ok_or("Choose for how long.")?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_states_the_narrowing() {
        for (form, expected) in [
            ("", Ok((Access::Asked, 0, 365))),
            ("access=read&inboxes=all&lifetime=7", Ok((Access::ReadOnly, 0, 7))),
            (
                "access=draft&inboxes=chosen&inbox_ids=a@b.example&inbox_ids=c@b.example",
                Ok((Access::ReadAndDraft, 2, 365)),
            ),
            ("inboxes=all&inbox_ids=a@b.example", Ok((Access::Asked, 1, 365))),
            ("access=all", Err("Choose how much the app may do.")),
            ("lifetime=366", Err("Choose for how long.")),
            ("inboxes=chosen", Err("Mark the inboxes that the app may open, or choose all inboxes.")),
        ] {
            let read = read(&Form::parse(form.as_bytes())).map(|narrowing| {
                let inboxes = narrowing.inbox_ids.map_or(0, |inbox_ids| inbox_ids.len());
                (narrowing.access, inboxes, narrowing.lifetime.whole_days())
            });
            assert_eq!(read, expected, "{form}");
        }
    }
}
