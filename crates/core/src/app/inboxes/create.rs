//! Creation of an inbox.

use inboxd_mail::EmailAddress;

use super::update::check_metadata;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, domains, pods, row_limits, scope};
use crate::model::permissions::InboxCreate;
use crate::model::{
    AuditAction, Caller, Inbox, InboxId, InboxStatus, Metadata, Organization, Permission, PodId, Reach,
};
use crate::ports::{Constraint, StoreError, Tx};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, limits, names, retention};
use crate::{Error, FieldError};

/// Request for a new inbox.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewInbox {
    /// The local part of the address; random without one.
    pub username: Option<String>,
    /// The domain of the address; that of the organization without one.
    pub domain: Option<String>,
    /// The display name in `From`.
    pub display_name: Option<String>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
    /// The client's own key-value pairs.
    pub metadata: Metadata,
    /// The initial status; active without one.
    pub status: Option<InboxStatus>,
    /// Days after which messages are deleted; without them they are kept.
    pub retention_days: Option<u32>,
}

/// Creates an inbox, or returns the earlier inbox of the same `client_id`.
///
/// # Errors
/// [`Error::Invalid`], [`Error::DomainNotVerified`], [`Error::ClientIdSpent`], [`Error::LimitReached`],
/// [`Error::AddressTaken`], [`Error::NotFound`] for a deleted pod, [`Error::MissingPermission`] for a retention without
/// the permission to delete messages.
pub async fn create(app: &App, caller: &AuthorizedCaller<InboxCreate>, new: NewInbox) -> Result<Inbox, Error> {
    Error::unless_empty(problems_of_new(app, &new))?;
    if new.retention_days.is_some() {
        access::require(caller, Permission::MessageDelete)?;
    }
    scope::resolve(app, caller).await?;
    let username = username(app, &new)?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();

    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if let Some(client_id) = &new.client_id
        && let Some((inbox, is_live)) = tx.inboxes().find_by_client_id(organization_id, client_id).await?
    {
        let in_reach = is_live && access::require_pod(caller, &inbox).is_ok();
        return if in_reach { Ok(inbox) } else { Err(Error::ClientIdSpent(client_id.clone())) };
    }
    let domain = domain_for(app, tx.as_mut(), caller, &organization, new.domain.as_deref()).await?;
    check_caps(tx.as_mut(), &organization).await?;
    if let Reach::Pod(pod_id) = caller.reach {
        pods::hold(tx.as_mut(), organization_id, pod_id).await?;
    }
    let inbox = Inbox {
        organization_id,
        pod_id: pod_for(caller, &organization),
        inbox_id: address(&username, &domain)?,
        display_name: new.display_name,
        client_id: new.client_id,
        metadata: new.metadata,
        paused_at: (new.status == Some(InboxStatus::Paused)).then_some(now),
        retention_days: new.retention_days,
        quarantine: None,
        created_at: now,
        updated_at: now,
    };
    store(app, tx, caller, inbox).await
}

async fn store(app: &App, mut tx: Box<dyn Tx>, caller: &Caller, inbox: Inbox) -> Result<Inbox, Error> {
    // Members sign in with codes mailed to their addresses. An inbox with such an address would disclose the codes to
    // its readers.
    if tx.members().reads(&inbox.inbox_id).await? {
        return Err(Error::AddressTaken(inbox.inbox_id.to_string()));
    }
    tx.inboxes().insert(&inbox).await.map_err(|error| match error {
        StoreError::Duplicate(Constraint::Address) => Error::AddressTaken(inbox.inbox_id.to_string()),
        error => error.into(),
    })?;
    row_limits::count_creation(app, tx.as_mut(), inbox.organization_id, inbox.created_at).await?;
    if inbox.retention_days.is_some() {
        let change = AuditChange::created(AuditAction::InboxRetentionUpdated, &inbox);
        audit::record(app, tx.as_mut(), caller, change).await?;
    }
    tx.commit().await?;
    Ok(inbox)
}

/// Returns every problem that a new inbox has by itself.
#[must_use]
pub fn problems_of_new(app: &App, new: &NewInbox) -> Vec<FieldError> {
    let checks = [
        ("display_name", new.display_name.as_deref().map_or(Ok(()), names::validate_display_name)),
        ("client_id", new.client_id.as_deref().map_or(Ok(()), names::validate_client_id)),
        ("metadata", check_metadata(&new.metadata)),
        ("retention_days", new.retention_days.map_or(Ok(()), retention::validate_days)),
        ("username", new.username.as_deref().map_or(Ok(()), |name| named(app, new, name).map(drop))),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}

fn username(app: &App, new: &NewInbox) -> Result<String, Error> {
    match &new.username {
        Some(username) => named(app, new, username).map_err(|message| Error::invalid("username", message)),
        None => Ok(names::random_username(app.random.bytes())),
    }
}

/// Returns the stored form of a username.
///
/// The service reserves some usernames on its own domains and their subdomains.
fn named(app: &App, new: &NewInbox, username: &str) -> Result<String, String> {
    let is_within =
        |domain: &str, own: &str| domain.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let asked = new.domain.as_deref().map(str::to_lowercase);
    match asked {
        Some(domain) if !app.settings.hosted_domains().iter().any(|own| is_within(&domain, own)) => {
            names::parse_custom_username(username)
        }
        _ => names::parse_username(username),
    }
}

/// Returns the domain of a new inbox.
///
/// Verified organizations use the service's domain and their verified custom domains, others use the sign-up domain.
async fn domain_for(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    organization: &Organization,
    asked: Option<&str>,
) -> Result<String, Error> {
    let own = if organization.is_verified() { &app.settings.domain } else { &app.settings.signup_domain };
    match asked.map(str::to_lowercase) {
        None => Ok(own.clone()),
        Some(domain) if domain == *own => Ok(domain),
        Some(domain) if organization.is_verified() => domains::allow_minting(app, tx, caller, &domain).await,
        Some(domain) => Err(Error::DomainNotVerified { domain, domain_id: None }),
    }
}

async fn check_caps(tx: &mut dyn Tx, organization: &Organization) -> Result<(), Error> {
    let limits = organization.limits();
    if limits.inboxes.is_some() {
        let live = tx.inboxes().count(organization.organization_id).await?;
        limits::allow_inbox(organization, live)?;
    }
    if limits.storage_bytes.is_some() {
        let stored = tx.usage().storage_bytes(organization.organization_id).await?;
        limits::allow_storage(organization, stored)?;
    }
    Ok(())
}

fn pod_for(caller: &Caller, organization: &Organization) -> PodId {
    match caller.reach {
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => pod_id,
        Reach::Organization | Reach::Inboxes(_) => organization.default_pod_id,
    }
}

fn address(username: &str, domain: &str) -> Result<InboxId, Error> {
    format!("{username}@{domain}")
        .parse::<EmailAddress>()
        .map(|address| InboxId::of(&address))
        .map_err(|error| Error::invalid("username", error.to_string()))
}
