//! The page on which a person chooses an organization. Nothing is preselected.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::app::oauth::may_create_organization;
use inboxd_core::model::{Membership, OAuthClient, Role};

use super::request::AuthorizationRequest;
use super::{flow, sign_in};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, page};

/// Value of the choice to make an own organization.
pub(crate) const OWN: &str = "new";

#[derive(Template)]
#[template(path = "oauth_organization.html")]
struct OrganizationPage<'a> {
    client: &'a str,
    csrf_token: &'a str,
    request: &'a str,
    email: &'a str,
    organizations: Vec<OrganizationChoice>,
    own: Option<&'static str>,
}

/// An organization to choose.
pub(crate) struct OrganizationChoice {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) warning: Option<String>,
}

/// Returns the page, with the choice of an own organization for a person without one.
///
/// # Errors
/// When storage fails.
pub(super) async fn show(
    call: &UnauthenticatedRequest,
    browser: &Browser,
    client: &OAuthClient,
    request: &AuthorizationRequest,
    organizations: &[Membership],
) -> Result<HttpResponse, ApiError> {
    let may_create = may_create_organization(call.app(), &browser.session, organizations).await?;
    if organizations.is_empty() && !may_create {
        let problem =
            "You belong to no organization any more. Ask for another invitation, or sign in with another address.";
        return sign_in::page_for(call, request, Some(problem)).await;
    }
    page(
        StatusCode::OK,
        &OrganizationPage {
            client: &client.name,
            csrf_token: &browser.form_token(&call.state),
            request: &request.seal(call.app())?,
            email: browser.session.email.as_str(),
            organizations: organization_choices(organizations),
            own: may_create.then_some(OWN),
        },
    )
}

/// Returns the choices of a page.
pub(crate) fn organization_choices(organizations: &[Membership]) -> Vec<OrganizationChoice> {
    organizations.iter().map(choice).collect()
}

fn choice(membership: &Membership) -> OrganizationChoice {
    let Membership { organization, member, .. } = membership;
    let role = match member.role {
        Role::Owner => "You are the owner",
        Role::Admin => "You are an admin",
        Role::Member => "You are a member",
    };
    let is_new = member.role != Role::Owner && membership.used_at.is_none();
    let unused = if is_new { " by invitation, and have not used it yet" } else { "" };
    OrganizationChoice {
        id: organization.organization_id.to_string(),
        title: flow::organization_title(organization),
        note: format!("{role}{unused}."),
        warning: flow::unconfirmed_warning(organization),
    }
}
