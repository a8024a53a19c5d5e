//! Creation of a domain.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::catch_all::require_catch_all;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, row_limits, scope};
use crate::model::permissions::DomainCreate;
use crate::model::{AuditAction, Caller, Domain, DomainId, DomainStatus, InboxId, Organization, PodId, Reach};
use crate::ports::{AskedDomain, KeyPair, Standing};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::{name, records};
use crate::rules::{access, limits, names};
use crate::{Error, FieldError, Resource};

/// Request for a new domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDomain {
    /// The name.
    pub domain: String,
    /// The id of the only pod of the domain; `None` for the whole organization.
    pub pod_id: Option<String>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
    /// Whether the organization receives bounces and complaints about mail of the domain.
    pub feedback_enabled: bool,
    /// Whether subdomains may have inboxes.
    pub subdomains_enabled: bool,
    /// Whether the service receives mail for the domain.
    pub inbound_enabled: bool,
    /// The inbox that receives mail for addresses without an inbox.
    pub catch_all_inbox_id: Option<InboxId>,
}

/// Creates a domain with its own key pair, or returns the earlier domain of the same `client_id`.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PodOutOfScope`], [`Error::ClientIdSpent`], [`Error::AlreadyExists`],
/// [`Error::LimitReached`].
pub async fn create(app: &App, caller: &AuthorizedCaller<DomainCreate>, new: NewDomain) -> Result<Domain, Error> {
    Error::unless_empty(problems_of_new(app, &new))?;
    scope::resolve(app, caller).await?;
    let asked = asked(app, caller, &new)?;
    require_catch_all(app, caller, new.catch_all_inbox_id.as_ref()).await?;
    // Key generation is slow, so an inadmissible request is refused before it. The checks are repeated under the
    // lock, since a concurrent request may have used the name or the limit meanwhile.
    let standing = app.store.domain_standing(&asked).await?;
    if let Some(original) = decide(caller, &caller.organization, &asked, standing)? {
        return Ok(original);
    }
    let keys = app.key_maker.rsa_2048().await.map_err(|error| Error::Internal(error.to_string()))?;
    let (domain, sealed) = born(app, new, &asked, &keys)?;

    let mut tx = app.store.begin().await?;
    let organization_id = asked.organization_id;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if let Some(pod_id) = asked.pod_id {
        // Waits for a deletion of the pod, which the next statement sees.
        tx.pods().hold(organization_id, pod_id).await?;
    }
    let standing = tx.domains().standing(&asked).await?;
    if let Some(original) = decide(caller, &organization, &asked, standing)? {
        return Ok(original);
    }
    tx.domains().insert(&domain, &sealed).await?;
    row_limits::count_creation(app, tx.as_mut(), organization_id, domain.created_at).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::created(AuditAction::DomainCreated, &domain)).await?;
    tx.commit().await?;
    Ok(domain)
}

/// Returns the existing domain of the `client_id`, or `None` if a new domain may be created.
fn decide(
    caller: &Caller,
    organization: &Organization,
    asked: &AskedDomain,
    standing: Standing,
) -> Result<Option<Domain>, Error> {
    if let (Some((original, is_live)), Some(client_id)) = (standing.of_client_id, &asked.client_id) {
        let in_reach = is_live && access::reaches_domain(caller, &original);
        return if in_reach { Ok(Some(original)) } else { Err(Error::ClientIdSpent(client_id.clone())) };
    }
    if !standing.has_pod {
        return Err(Error::invalid("pod_id", "there is no such pod in the organization"));
    }
    if let Some(domain_id) = standing.same_name {
        let (name, id) = (asked.name.to_string(), domain_id.to_string());
        return Err(Error::AlreadyExists { resource: Resource::Domain, name, id });
    }
    limits::allow_domain(organization, standing.live)?;
    Ok(None)
}

/// Returns every problem that a new domain has by itself.
#[must_use]
pub fn problems_of_new(app: &App, new: &NewDomain) -> Vec<FieldError> {
    let pod_id = new.pod_id.as_deref().map(pod_id).transpose();
    let checks = [
        ("domain", name::custom(&new.domain, &app.settings.hosted_domains()).map(drop)),
        ("client_id", new.client_id.as_deref().map_or(Ok(()), names::validate_client_id)),
        ("pod_id", pod_id.map(drop)),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}

/// Returns the validated request with its pod.
fn asked(app: &App, caller: &Caller, new: &NewDomain) -> Result<AskedDomain, Error> {
    let refused = |path: &'static str| move |message: String| Error::invalid(path, message);
    let name = name::custom(&new.domain, &app.settings.hosted_domains()).map_err(refused("domain"))?;
    let pod_id = new.pod_id.as_deref().map(pod_id).transpose().map_err(refused("pod_id"))?;
    let organization_id = caller.organization.organization_id;
    Ok(AskedDomain { organization_id, name, client_id: new.client_id.clone(), pod_id: pod_for(caller, pod_id)? })
}

fn pod_id(text: &str) -> Result<PodId, String> {
    text.parse::<PodId>().map_err(|error| error.to_string())
}

/// Returns the pod of the new domain. A caller limited to one pod creates domains in that pod alone.
fn pod_for(caller: &Caller, asked: Option<PodId>) -> Result<Option<PodId>, Error> {
    match (&caller.reach, asked) {
        (Reach::Organization | Reach::Inboxes(_), asked) => Ok(asked),
        (Reach::Pod(own) | Reach::Inbox { pod_id: own, .. }, Some(asked)) if asked != *own => Err(Error::PodOutOfScope),
        (Reach::Pod(own) | Reach::Inbox { pod_id: own, .. }, _) => Ok(Some(*own)),
    }
}

/// Returns the new domain and its sealed private key.
fn born(app: &App, new: NewDomain, asked: &AskedDomain, keys: &KeyPair) -> Result<(Domain, Vec<u8>), Error> {
    let now = app.clock.now();
    let domain_id: DomainId = app.mint(now);
    let sealed =
        app.vault.seal(domain_id.0.as_bytes(), &keys.private).map_err(|error| Error::Internal(error.to_string()))?;
    let public = STANDARD.encode(&keys.public);
    let domain = Domain {
        organization_id: asked.organization_id,
        domain_id,
        pod_id: asked.pod_id,
        client_id: new.client_id,
        name: asked.name.clone(),
        status: DomainStatus::NotStarted,
        feedback_enabled: new.feedback_enabled,
        subdomains_enabled: new.subdomains_enabled,
        inbound_enabled: new.inbound_enabled,
        catch_all_inbox_id: new.catch_all_inbox_id,
        records: records::wanted(
            &asked.name,
            &app.settings.domain,
            &public,
            new.inbound_enabled,
            new.subdomains_enabled,
        ),
        verified_at: None,
        created_at: now,
        updated_at: now,
    };
    Ok((domain, sealed))
}
