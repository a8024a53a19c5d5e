//! Invitation of a member.

use inboxd_mail::EmailAddress;

use super::fields;
use super::invitation::invitation;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes, mail_limits, row_limits, standing};
use crate::model::{AuditAction, Caller, InboxId, MailCharge, Member, MemberId, Permission, Role};
use crate::rules::{access, limits, names};
use crate::{Error, FieldError, Resource};

/// Request for a new member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The address of the member.
    pub email: String,
    /// `admin` or `member`.
    pub role: String,
    /// The inboxes that limit the member; empty for all inboxes.
    pub inbox_ids: Vec<InboxId>,
    /// The display name; the local part of the address without one.
    pub name: Option<String>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
}

/// Invites a member by mail, or returns the earlier member of the same `client_id`.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::Invalid`],
/// [`Error::RoleEscalation`] for a role beyond the caller's rights, [`Error::InvitationUnverified`],
/// [`Error::ClientIdSpent`], [`Error::AlreadyExists`], [`Error::LimitReached`], [`Error::RowLimitReached`],
/// [`Error::MailLimitReached`]; [`Error::UnknownApiKey`] for a caller that was removed meanwhile.
pub async fn invite(app: &App, caller: &Caller, new: NewMember) -> Result<Member, Error> {
    access::require(caller, Permission::MemberCreate)?;
    Error::unless_empty(problems_of_new(app, &new))?;
    let email = homes::persons(app, &new.email).map_err(|message| Error::invalid("email", message))?;
    let role = fields::role(&new.role).map_err(|message| Error::invalid("role", message))?;
    access::require_grantable(caller, role)?;
    homes::refuse_ours(app, "email", &email).await?;
    retried(is_contention, || invite_once(app, caller, &email, role, new.clone())).await
}

async fn invite_once(
    app: &App,
    caller: &Caller,
    email: &EmailAddress,
    role: Role,
    new: NewMember,
) -> Result<Member, Error> {
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if !organization.is_verified() {
        return Err(Error::InvitationUnverified);
    }
    if let Some(client_id) = &new.client_id
        && let Some((member, is_there)) = tx.members().find_by_client_id(organization_id, client_id).await?
    {
        return if is_there { Ok(member) } else { Err(Error::ClientIdSpent(client_id.clone())) };
    }
    let inbox_ids = fields::inboxes(tx.as_mut(), &organization, new.inbox_ids).await?;
    access::require(&standing::present(app, tx.as_mut(), caller).await?, Permission::MemberCreate)?;
    let member = Member {
        organization_id,
        member_id: app.mint::<MemberId>(now),
        name: new.name.unwrap_or_else(|| Member::name_of(email)),
        email: email.clone(),
        role,
        inbox_ids,
        client_id: new.client_id,
        joined_at: None,
        created_at: now,
        updated_at: now,
    };
    let known = tx.members().of_address(&member.email, Some(organization_id)).await?;
    if let Some(known) = known.iter().find(|known| known.member.organization_id == organization_id) {
        let (name, id) = (member.email.to_string(), known.member.member_id.to_string());
        return Err(Error::AlreadyExists { resource: Resource::Member, name, id });
    }
    limits::allow_member(&organization, tx.members().count(organization_id).await?)?;
    row_limits::require_invitation(app, tx.as_mut(), organization_id).await?;
    tx.members().insert(&member).await?;
    tx.outgoing().enqueue(&[invitation(app, &organization, &member, now)?]).await?;
    // A withdrawn invitation still counts, since it was mailed.
    let limits = limits::invitations(&organization, app.settings.limits.get().invitations);
    let of_organization = MailCharge::of_organization(organization_id, limits);
    let of_mailbox = MailCharge::of_mailbox(&member.email, app.settings.limits.get().mailbox_mails);
    mail_limits::charge(tx.as_mut(), &of_mailbox, "to this mailbox", now).await?;
    mail_limits::charge(tx.as_mut(), &of_organization, "by this organization", now).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::created(AuditAction::MemberCreated, &member)).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(member)
}

/// Returns every problem that an invitation has by itself.
#[must_use]
pub fn problems_of_new(app: &App, new: &NewMember) -> Vec<FieldError> {
    let checks = [
        ("email", homes::persons(app, &new.email).map(drop)),
        ("role", fields::role(&new.role).map(drop)),
        ("inbox_ids", fields::inbox_count(&new.inbox_ids)),
        ("name", fields::name(new.name.as_deref())),
        ("client_id", new.client_id.as_deref().map_or(Ok(()), names::validate_client_id)),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}
