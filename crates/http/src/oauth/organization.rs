//! `POST /oauth/organization`: the choice of an organization, or of a new one.

use actix_web::HttpResponse;
use inboxd_core::app::oauth::create_organization;

use super::organization_page::OWN;
use super::request::AuthorizationRequest;
use super::{flow, respond, sign_in};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::Browser;

/// Goes on to the consent for the chosen organization. An unknown one leads back to the choice.
pub(super) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    respond(call, choose).await
}

async fn choose(call: &mut UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let form = call.form().await?;
    let request = AuthorizationRequest::open(call.app(), &form)?;
    let Some(browser) = Browser::find(call).await? else { return sign_in::again(call, &request).await };
    browser.require_form(call, &form)?;
    let organization_id = match form.one("organization_id") {
        Some(OWN) => Some(create_organization(call.app(), &browser.session).await?.to_string()),
        // Without a choice the page with all of them follows, also for a person with a single one.
        chosen => Some(chosen.unwrap_or_default().to_owned()),
    };
    flow::next_page(call, &browser, AuthorizationRequest { organization_id, ..request }).await
}
