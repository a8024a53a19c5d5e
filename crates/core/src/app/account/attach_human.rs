//! Owner address of an organization that signed up without one, or with another.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::code;
use super::new_account::owner_of;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes, mail_limits};
use crate::model::permissions::OrganizationUpdate;
use crate::model::{AuditAction, Caller, MailCharge, Membership, Organization, Role, Route};
use crate::ports::{Constraint, StoreError, Tx};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::networks::network_of;
use crate::{Error, SignUpRefusal};

/// Owner address of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedHuman {
    /// The address.
    pub human_email: EmailAddress,
    /// Whether a code was mailed now; an earlier one still works otherwise.
    pub is_mailed: bool,
}

/// Names the owner of an unverified organization and mails a code to the address.
///
/// Another address replaces the present owner, unless that person has signed in. A valid code of the same address stays,
/// with its attempts.
///
/// # Errors
/// [`Error::Invalid`], [`Error::AlreadyVerified`], [`Error::AccountExists`], [`Error::OwnerProtected`], [`Error::SignUp`],
/// [`Error::MailLimitReached`].
pub async fn attach_human(
    app: &App,
    caller: &AuthorizedCaller<OrganizationUpdate>,
    human_email: &str,
) -> Result<AttachedHuman, Error> {
    let email = homes::persons(app, human_email).map_err(|problem| Error::invalid("human_email", problem))?;
    homes::refuse_ours(app, "human_email", &email).await?;
    let attached = retried(is_contention, || attach(app, caller, &email)).await?;
    app.wake.outgoing();
    Ok(attached)
}

async fn attach(app: &App, caller: &Caller, email: &EmailAddress) -> Result<AttachedHuman, Error> {
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let found = tx.accounts().lock(organization_id).await?;
    let organization = found.ok_or_else(|| Error::no_organization(organization_id))?;
    if organization.is_verified() {
        return Err(Error::AlreadyVerified);
    }
    let organization = if organization.owner_email.as_ref() == Some(email) {
        let code = tx.accounts().lock_code(organization_id).await?;
        if code.is_some_and(|code| !code.is_expired(now)) {
            return Ok(AttachedHuman { human_email: email.clone(), is_mailed: false });
        }
        organization
    } else {
        replace(app, tx.as_mut(), caller, organization, email, now).await?
    };
    let network = caller.client_address.map(network_of);
    let (code, mail) = code::fresh(app, &organization, network, Route::Remote, now)?;
    tx.accounts().put_code(&code).await?;
    tx.outgoing().enqueue(&[mail]).await?;
    let charge = MailCharge::of_mailbox(email, app.settings.limits.get().mailbox_mails);
    mail_limits::charge(tx.as_mut(), &charge, "to this mailbox", now).await?;
    tx.commit().await?;
    Ok(AttachedHuman { human_email: email.clone(), is_mailed: true })
}

/// Makes the address that of the owner, and removes the member that owned the organization.
async fn replace(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    organization: Organization,
    email: &EmailAddress,
    now: OffsetDateTime,
) -> Result<Organization, Error> {
    let mut owner_changes = organization.owner_changes;
    if let Some(previous) = &organization.owner_email {
        if owner_changes >= Organization::MAX_OWNER_CHANGES {
            return Err(SignUpRefusal::OwnerChangesSpent { limit: Organization::MAX_OWNER_CHANGES }.into());
        }
        owner_changes += 1;
        remove_owner(app, tx, caller, previous, now).await?;
    }
    let owner = owner_of(app, organization.organization_id, email, now);
    let organization =
        Organization { owner_email: Some(email.clone()), owner_changes, updated_at: now, ..organization };
    tx.accounts().set_owner(&organization).await.map_err(|error| match error {
        StoreError::Duplicate(Constraint::OwnerEmail) => Error::AccountExists(email.to_string()),
        error => error.into(),
    })?;
    tx.members().insert(&owner).await?;
    audit::record(app, tx, caller, AuditChange::created(AuditAction::MemberCreated, &owner)).await?;
    Ok(organization)
}

/// Removes the owner of an address, unless the person has signed in: only they may then confirm or leave it.
async fn remove_owner(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    email: &EmailAddress,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let organization_id = caller.organization.organization_id;
    let memberships = tx.members().of_address(email, Some(organization_id)).await?;
    let is_owner =
        |one: &Membership| one.organization.organization_id == organization_id && one.member.role == Role::Owner;
    let Some(owner) = memberships.into_iter().find(is_owner) else { return Ok(()) };
    if owner.used_at.is_some() {
        return Err(Error::OwnerProtected);
    }
    let revoked = tx.members().remove(&owner.member, now).await?;
    tx.threads().unassign(organization_id, &owner.member.actor().id(), &BTreeSet::new(), now).await?;
    let change = AuditChange::deleted(AuditAction::MemberDeleted, &owner.member).with_revoked(&revoked);
    audit::record(app, tx, caller, change).await
}
