//! Inviting somebody.

use super::fields::{self, Problems};
use super::invitation::invitation;
use crate::Error;
use crate::app::App;
use crate::model::{Caller, InboxId, Member, MemberId, Permission};
use crate::ports::{Constraint, StoreError};
use crate::rules::{access, limits, names};

/// What the caller asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The address of the person.
    pub email: String,
    /// `admin` or `member`.
    pub role: String,
    /// The inboxes that a member is limited to; none is all.
    pub inbox_ids: Vec<InboxId>,
    /// Their name; what stands before the `@` where there is none.
    pub name: Option<String>,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
}

/// Invites somebody by mail, or answers the member that the same `client_id` invited before.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::InvitationUnverified`],
/// [`Error::ClientIdSpent`], [`Error::AlreadyMember`], [`Error::LimitReached`].
pub async fn invite(app: &App, caller: &Caller, new: NewMember) -> Result<Member, Error> {
    access::require_people(caller, Permission::MemberCreate)?;
    let mut problems = Problems::default();
    let email = problems.note("email", fields::email(app, &new.email));
    let role = problems.note("role", fields::role(&new.role));
    problems.note("inbox_ids", fields::inbox_count(&new.inbox_ids));
    problems.note("name", fields::name(new.name.as_deref()));
    problems.note("client_id", new.client_id.as_deref().map_or(Ok(()), names::client_id));
    problems.refuse()?;
    let (Some(email), Some(role)) = (email, role) else { return Err(Error::Invalid(Vec::new())) };

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
    let member = Member {
        organization_id,
        member_id: app.mint::<MemberId>(now),
        name: new.name.unwrap_or_else(|| Member::name_of(&email)),
        email,
        role,
        inbox_ids,
        client_id: new.client_id,
        joined_at: None,
        created_at: now,
        updated_at: now,
    };
    let members = tx.members().count(organization_id).await?;
    tx.members().insert(&member).await.map_err(|error| match error {
        StoreError::Duplicate(Constraint::MemberEmail) => Error::AlreadyMember(member.email.to_string()),
        error => error.into(),
    })?;
    // Checked after the address: somebody who is a member already is never refused for a cap.
    limits::allow_member(&organization, members)?;
    tx.outgoing().enqueue(&[invitation(app, &organization, &member, now)?]).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(member)
}
