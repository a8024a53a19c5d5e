//! The consent page: client, redirect host, abilities, and the choices by which a person narrows them.
//!
//! The page preselects the request of the client: narrowing is an act of the person.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::app::oauth::inboxes_of;
use inboxd_core::model::{Access, ClientSource, Membership, OAuthClient, PageRequest, Permissions};
use inboxd_core::rules::oauth::redirects::{self, RedirectKind};
use inboxd_core::rules::oauth::scopes;
use inboxd_core::rules::roles;

use super::flow;
use super::request::AuthorizationRequest;
use super::sign_in::host_of;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::pages::{Browser, Form, page};

/// Validities to choose, in days with their labels, the default first.
pub(super) const LIFETIMES: [(u16, &str); 5] =
    [(365, "A year"), (90, "90 days"), (30, "30 days"), (7, "7 days"), (1, "A day")];

/// Facts of the page.
pub(super) struct Consent<'a> {
    pub(super) browser: &'a Browser,
    pub(super) client: &'a OAuthClient,
    pub(super) request: &'a AuthorizationRequest,
    pub(super) membership: &'a Membership,
}

#[derive(Template)]
#[template(path = "oauth_consent.html")]
struct ConsentPage<'a> {
    client: &'a str,
    organization: String,
    /// Words about an organization that the person may not know.
    unfamiliar: Option<String>,
    document_host: Option<String>,
    redirect_host: String,
    warning: Option<&'static str>,
    problem: Option<&'a str>,
    abilities: Vec<&'static str>,
    csrf_token: &'a str,
    request: &'a str,
    email: &'a str,
    accesses: Vec<Choice>,
    is_limited: bool,
    inboxes: Vec<Choice>,
    has_more_inboxes: bool,
    lifetimes: Vec<Choice>,
}

/// A value to choose.
struct Choice {
    value: String,
    label: String,
    note: &'static str,
    is_chosen: bool,
}

/// Returns the page. `retry` is a form that could not be used, with the words about it.
///
/// # Errors
/// When storage fails.
pub(super) async fn show(
    call: &UnauthenticatedRequest,
    consent: &Consent<'_>,
    retry: Option<(&Form, &str)>,
) -> Result<HttpResponse, ApiError> {
    let Consent { browser, client, request, membership } = consent;
    let organization = &membership.organization;
    let asked = scopes::parse(request.scope.as_deref())?;
    let asked = scopes::retained(&asked, |permission| roles::allows(membership.member.role, permission));
    let inboxes = inboxes_of(call.app(), &browser.session, organization.organization_id).await?;
    let unfamiliar = flow::unconfirmed_warning(organization).or_else(|| flow::invitation_notice(membership));
    let sent = |name| retry.and_then(|(form, _)| form.one(name));
    let is_marked =
        |inbox_id: &str| retry.is_some_and(|(form, _)| form.all("inbox_ids").any(|marked| marked == inbox_id));
    let inbox_choices = inboxes.iter().map(|inbox| {
        let value = inbox.inbox_id.to_string();
        Choice { is_chosen: is_marked(&value), label: value.clone(), value, note: "" }
    });
    let template = ConsentPage {
        client: &client.name,
        organization: flow::organization_title(organization),
        unfamiliar,
        document_host: (client.source == ClientSource::Document).then(|| host_of(&client.client_id)),
        redirect_host: redirects::shown_host(&request.redirect_uri),
        warning: warning(&request.redirect_uri),
        problem: retry.map(|(_, problem)| problem),
        abilities: scopes::descriptions(&asked),
        csrf_token: &browser.form_token(&call.state),
        request: &request.seal(call.app())?,
        email: browser.session.email.as_str(),
        accesses: accesses(&asked, sent("access")),
        is_limited: sent("inboxes") == Some("chosen"),
        inboxes: inbox_choices.collect(),
        has_more_inboxes: inboxes.len() >= PageRequest::MAX_LIMIT as usize,
        lifetimes: lifetimes(sent("lifetime")),
    };
    page(StatusCode::OK, &template)
}

/// Returns the requested extent, then the narrower ones.
fn accesses(asked: &Permissions, sent: Option<&str>) -> Vec<Choice> {
    let choice = |access: Access| {
        let (label, note) = match access {
            Access::Asked => ("All of this", ""),
            Access::ReadDraftSend => ("Read, draft and send", "It changes and deletes nothing else."),
            Access::ReadAndDraft => ("Read and draft", "It writes drafts; you send them."),
            Access::ReadOnly => ("Read only", "It writes and sends nothing."),
        };
        let is_chosen = sent.map_or(access == Access::Asked, |sent| sent == access.as_str());
        Choice { value: access.as_str().to_owned(), label: label.to_owned(), note, is_chosen }
    };
    let granted = Access::ALL.map(|access| scopes::narrowed(asked, access));
    let is_offered = |(place, granted_here): (usize, &Permissions)| {
        let is_narrower = granted_here != &granted[0] && !granted_here.0.is_empty();
        // Of several names for the same permissions the narrowest one is true.
        place == 0 || is_narrower && granted[place + 1..].iter().all(|later| later != granted_here)
    };
    let offered = granted.iter().enumerate().map(is_offered);
    Access::ALL
        .into_iter()
        .zip(offered)
        .filter(|(_, is_offered)| *is_offered)
        .map(|(access, _)| choice(access))
        .collect()
}

fn lifetimes(sent: Option<&str>) -> Vec<Choice> {
    let choice = |(place, (days, label)): (usize, (u16, &str))| {
        let value = days.to_string();
        let is_chosen = sent.map_or(place == 0, |sent| sent == value);
        Choice { value, label: label.to_owned(), note: "", is_chosen }
    };
    LIFETIMES.into_iter().enumerate().map(choice).collect()
}

/// Returns the warning for a redirect URI that proves no owner.
fn warning(redirect_uri: &str) -> Option<&'static str> {
    match redirects::kind_of(redirect_uri) {
        Ok(RedirectKind::Https) => None,
        Ok(RedirectKind::Loopback) => Some(
            "The answer goes to a program on the device that you are using. Allow this only if you started that program just now.",
        ),
        _ => Some(
            "The answer goes to whichever app on this device has claimed this kind of address. Allow this only if you trust the apps on this device.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_narrow_the_requested_scopes() {
        for (scope, expected) in [
            ("", &["asked", "send", "draft", "read"][..]),
            ("mail:read", &["asked"]),
            ("mail:draft", &["asked", "read"]),
            ("mail:draft mail:send", &["asked", "draft", "read"]),
            ("mail:read mail:send", &["asked", "read"]),
            ("admin", &["asked"]),
        ] {
            let asked = scopes::parse(Some(scope)).unwrap_or_default();
            let offered = accesses(&asked, None);
            assert_eq!(offered.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>(), expected, "{scope}");
            assert_eq!(offered.iter().filter(|choice| choice.is_chosen).count(), 1, "{scope}");
        }
    }
}
