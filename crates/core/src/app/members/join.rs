//! Acceptance of invitations by a sign-in.

use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::{AuditAction, AuditActor};
use crate::ports::Tx;

/// Converts all invitations of an address to memberships. Each organization records its new member.
///
/// # Errors
/// [`Error::Store`].
pub(in crate::app) async fn join(
    app: &App,
    tx: &mut dyn Tx,
    email: &EmailAddress,
    client_address: Option<IpAddr>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    for member in tx.members().join(email, now).await? {
        let author = (AuditActor::Caller(member.actor()), client_address);
        let change = AuditChange::created(AuditAction::MemberJoined, &member);
        audit::record_by(app, tx, member.organization_id, author, change).await?;
    }
    Ok(())
}
