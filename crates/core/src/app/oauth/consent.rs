//! Consent of a signed-in person to the access of a client.

use std::net::IpAddr;

use time::Duration;

use super::organizations::membership_in;
use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::members::fields;
use crate::error::LimitedRows;
use crate::model::{
    Access, AuditAction, AuditActor, AuthorizationCode, BrowserSession, Connection, InboxId, Membership, OAuthClient,
    OAuthErrorCode, OrganizationId, Permissions, Reach,
};
use crate::rules::oauth::{bounds, pkce, redirects, refuse, resources, scopes};
use crate::rules::{roles, suspension};

/// The access that a person grants to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRequest {
    /// The client, from a lookup of this moment.
    pub client: OAuthClient,
    /// The redirect URI that receives the code.
    pub redirect_uri: String,
    /// The challenge of PKCE, method S256.
    pub code_challenge: String,
    /// The resource that the client names; this server without one.
    pub resource: Option<String>,
    /// The scopes that the client asks for; the default ones without them.
    pub scope: Option<String>,
    /// The organization that the person chose.
    pub organization_id: OrganizationId,
    /// The inboxes that the person chose; `None` for all that the person has.
    pub inbox_ids: Option<Vec<InboxId>>,
    /// The extent that the person chose.
    pub access: Access,
    /// The time for which the person grants the access, up to a year.
    pub lifetime: Duration,
    /// The address of the browser.
    pub client_address: Option<IpAddr>,
}

/// Checks an authorization request apart from its client, and returns the permissions that it asks for.
///
/// # Errors
/// [`Error::OAuth`] with `invalid_request` for a challenge that is none of method S256, `invalid_scope`, or
/// `invalid_target`.
pub fn require_request(
    app: &App,
    scope: Option<&str>,
    resource: Option<&str>,
    code_challenge: &str,
) -> Result<Permissions, Error> {
    let issuer = super::issuer(app)?;
    if !pkce::is_challenge(code_challenge) {
        let description = "code_challenge has to be the base64url SHA-256 of the verifier (method S256)";
        return Err(refuse(OAuthErrorCode::InvalidRequest, description));
    }
    if resource.is_some_and(|resource| !resources::is_this_server(issuer, resource)) {
        return Err(wrong_target(issuer));
    }
    scopes::parse(scope)
}

/// Returns the refusal of a resource that is not this server.
pub(super) fn wrong_target(issuer: &str) -> Error {
    let description = format!("the resource is not this server; use {issuer}/mcp or {issuer}/v0");
    refuse(OAuthErrorCode::InvalidTarget, description)
}

/// Creates a connection and returns the code that the client exchanges for tokens.
///
/// # Errors
/// [`Error::OAuth`] as [`require_request`], with `invalid_request` for another redirect URI, and with `invalid_scope` if
/// the person leaves nothing; [`Error::Invalid`] for inboxes or a lifetime that cannot be chosen,
/// [`Error::NotTheirInbox`], [`Error::NotFound`] for an organization that the person has not joined,
/// [`Error::OrganizationSuspended`], [`Error::RowLimitReached`].
pub async fn grant(app: &App, session: &BrowserSession, request: GrantRequest) -> Result<String, Error> {
    let asked = require_request(app, request.scope.as_deref(), request.resource.as_deref(), &request.code_challenge)?;
    if !redirects::is_registered(&request.client.redirect_uris, &request.redirect_uri) {
        return Err(refuse(OAuthErrorCode::InvalidRequest, "the redirect URI is not one of the client"));
    }
    if request.lifetime <= Duration::ZERO || request.lifetime > Connection::MAX_LIFETIME {
        return Err(Error::invalid("lifetime", "is between a moment and a year"));
    }
    let inbox_ids = request.inbox_ids.as_deref();
    if inbox_ids.is_some_and(<[InboxId]>::is_empty) {
        return Err(Error::invalid("inbox_ids", "names at least one inbox"));
    }
    fields::inbox_count(inbox_ids.unwrap_or_default()).map_err(|message| Error::invalid("inbox_ids", message))?;
    let permissions = scopes::narrowed(&asked, request.access);
    let membership = membership_in(app, session, request.organization_id).await?;
    suspension::require_active(&membership.organization)?;
    retried(is_contention, || grant_once(app, &membership, &permissions, &request)).await
}

async fn grant_once(
    app: &App,
    membership: &Membership,
    permissions: &Permissions,
    request: &GrantRequest,
) -> Result<String, Error> {
    let organization_id = membership.organization.organization_id;
    let member_id = membership.member.member_id;
    let mut tx = app.store.begin().await?;
    let chosen = request.inbox_ids.clone().unwrap_or_default();
    let inbox_ids = fields::inboxes(tx.as_mut(), &membership.organization, chosen).await?;
    let member = tx.members().lock(organization_id, member_id).await?;
    let member = member.ok_or_else(|| Error::no_organization(organization_id))?;
    if let Reach::Inboxes(theirs) = member.reach()
        && !inbox_ids.is_subset(&theirs)
    {
        return Err(Error::NotTheirInbox { theirs: theirs.into_iter().collect() });
    }
    let now = app.clock.now();
    let limit = app.settings.limits.get().rows.connections;
    if tx.connections().count(organization_id, member_id, now).await? >= limit {
        return Err(Error::RowLimitReached { rows: LimitedRows::Connections, limit });
    }
    // The consent page lists only what the role allows, and a later role gives no more than that.
    let permissions = scopes::retained(permissions, |permission| roles::allows(member.role, permission));
    let permissions = bounds::holdable(&permissions, &inbox_ids);
    if permissions.0.is_empty() {
        return Err(refuse(OAuthErrorCode::InvalidScope, "nothing that the client asks for was granted"));
    }
    let connection = Connection {
        organization_id,
        connection_id: app.mint(now),
        member_id,
        client_id: request.client.client_id.clone(),
        client_name: request.client.name.clone(),
        redirect_host: redirects::shown_host(&request.redirect_uri),
        permissions,
        inbox_ids,
        resource: super::issuer(app)?.to_owned(),
        created_at: now,
        updated_at: now,
        used_at: None,
        expires_at: now + request.lifetime,
        revoked_at: None,
    };
    let text = AuthorizationCode::text(app.random.bytes());
    let code = AuthorizationCode {
        code_hash: AuthorizationCode::hash(&text),
        organization_id,
        connection_id: connection.connection_id,
        redirect_uri: request.redirect_uri.clone(),
        challenge: request.code_challenge.clone(),
        expires_at: now + AuthorizationCode::LIFETIME,
        used_at: None,
    };
    tx.connections().insert(&connection).await?;
    tx.oauth_tokens().insert_code(&code).await?;
    tx.oauth_clients().touch(&connection.client_id, now).await?;
    let author = (AuditActor::Caller(member.actor()), request.client_address);
    let change = AuditChange::created(AuditAction::ConnectionCreated, &connection);
    audit::record_by(app, tx.as_mut(), organization_id, author, change).await?;
    tx.commit().await?;
    Ok(text)
}
