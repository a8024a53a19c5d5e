//! From a signed-in person to the next page of an authorization.

use actix_web::HttpResponse;
use inboxd_core::Error;
use inboxd_core::app::oauth::{fetch_client, organizations_of};
use inboxd_core::model::{Membership, OAuthClient, Organization, Role};
use inboxd_core::rules::oauth::redirects;

use super::redirect::Target;
use super::request::AuthorizationRequest;
use super::{consent_page, issuer, organization_page};
use crate::auth::UnauthenticatedRequest;
use crate::error::{ApiError, ErrorCode};
use crate::pages::Browser;

/// Returns the page that follows for a person: the choice of an organization, or the consent.
///
/// # Errors
/// 400 for a client or redirect URI that is not good; when storage fails.
pub(super) async fn next_page(
    call: &UnauthenticatedRequest,
    browser: &Browser,
    request: AuthorizationRequest,
) -> Result<HttpResponse, ApiError> {
    let client = client_of(call, browser, &request).await?;
    if let Some(error) = request.problem() {
        return Ok(target(call, &request)?.refuse(&error));
    }
    let mut organizations = organizations_of(call.app(), &browser.session).await?;
    organizations.sort_by_key(|joined| !is_known(joined));
    let chosen = match (&request.organization_id, organizations.as_slice()) {
        (None, [_]) => Some(0),
        (None, _) => None,
        (Some(chosen), _) => organizations.iter().position(|joined| is_chosen(joined, chosen)),
    };
    let Some(chosen) = chosen else {
        return organization_page::show(call, browser, &client, &request, &organizations).await;
    };
    let membership = organizations.swap_remove(chosen);
    let request =
        AuthorizationRequest { organization_id: Some(membership.organization.organization_id.to_string()), ..request };
    let consent = consent_page::Consent { browser, client: &client, request: &request, membership: &membership };
    consent_page::show(call, &consent, None).await
}

/// Returns whether a membership is that of an organization id.
pub(super) fn is_chosen(membership: &Membership, organization_id: &str) -> bool {
    membership.organization.organization_id.to_string() == organization_id
}

/// Returns whether the person surely knows an organization: the owner address is confirmed, and they own it or used it
/// before. Strangers can invite any address, and sign up with it, so the consent warns of any other organization.
fn is_known(membership: &Membership) -> bool {
    let is_theirs = membership.member.role == Role::Owner || membership.used_at.is_some();
    is_theirs && membership.organization.is_verified()
}

/// Returns how the pages name an organization.
pub(crate) fn organization_title(organization: &Organization) -> String {
    format!("Organization of {}", organization.owner_text())
}

/// Returns the warning about an organization whose owner address is not confirmed.
pub(crate) fn unconfirmed_warning(organization: &Organization) -> Option<String> {
    (!organization.is_verified()).then(|| {
        format!(
            "The owner address {} was never confirmed. The one who signed up with it has a key that reads and changes \
             everything in this organization. Continue only if that was you or your program.",
            organization.owner_text()
        )
    })
}

/// Returns the words about an invitation to an organization that the person has not used yet.
pub(super) fn invitation_notice(membership: &Membership) -> Option<String> {
    let is_new = membership.organization.is_verified() && !is_known(membership);
    is_new.then(|| {
        format!(
            "{} invited you to this organization, and you have not used it yet. Its owner and admins see the mail in it. \
             Continue only if you know them.",
            membership.organization.owner_text()
        )
    })
}

/// Returns the client of a request, after its redirect URI was checked. A metadata document is fetched if needed.
///
/// # Errors
/// 400 for a client or redirect URI that is not good.
pub(super) async fn client_of(
    call: &UnauthenticatedRequest,
    browser: &Browser,
    request: &AuthorizationRequest,
) -> Result<OAuthClient, ApiError> {
    let client = fetch_client(call.app(), &request.client_id, &browser.session).await.map_err(bad_client)?;
    require_redirect(&client, request)?;
    Ok(client)
}

/// Requires a redirect URI that the client registered.
///
/// # Errors
/// 400 for another one: the error must not go there.
pub(super) fn require_redirect(client: &OAuthClient, request: &AuthorizationRequest) -> Result<(), ApiError> {
    if redirects::is_registered(&client.redirect_uris, &request.redirect_uri) {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::InvalidRequest, "the app sent a redirect_uri that it did not register")
        .fix("go back to the app, and connect it again; somebody may be trying to take your access over"))
}

/// Returns the refusal of a client for a page.
pub(super) fn bad_client(error: Error) -> ApiError {
    match error {
        Error::OAuth(error) if error.code != inboxd_core::model::OAuthErrorCode::TemporarilyUnavailable => {
            ApiError::new(ErrorCode::InvalidRequest, error.description)
                .fix("go back to the app, remove this server there, and connect it again")
        }
        other => other.into(),
    }
}

/// Returns where answers to the client go.
///
/// # Errors
/// 404 while the authorization server is off.
pub(super) fn target<'a>(
    call: &'a UnauthenticatedRequest,
    request: &'a AuthorizationRequest,
) -> Result<Target<'a>, ApiError> {
    Ok(Target { issuer: issuer(call)?, redirect_uri: &request.redirect_uri, state: request.state.as_deref() })
}
