//! Invitation mail.

use inboxd_mail::{EmailAddress, canonical_local};
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::app::account::system_mail;
use crate::model::{Member, Organization, QueuedMail, Role, Route};

/// Maximum length of the local part and of the domain of an owner address in an invitation.
const MAX_SHOWN_CHARS: usize = 64;

/// Returns the mail to a new member.
///
/// The mailbox may belong to a stranger. The mail therefore contains no link and no tenant text except the confirmed
/// owner address. It is queued as ordinary mail of its organization.
pub(super) fn invitation(
    app: &App,
    organization: &Organization,
    member: &Member,
    now: OffsetDateTime,
) -> Result<QueuedMail, Error> {
    let rights = match (member.role, member.inbox_ids.is_empty()) {
        (Role::Owner | Role::Admin, _) => "everything, people included".to_owned(),
        (Role::Member, true) => "the mail of every inbox".to_owned(),
        (Role::Member, false) => format!("the mail of {} of its inboxes", member.inbox_ids.len()),
    };
    let text = format!(
        "You are invited to an organization. {owner}\n\n\
         Your role is {role}: {rights}.\n\n\
         To join, sign in with the address that this mail came to: call POST /v0/agent/sign-in with it, then \
         POST /v0/agent/sign-in/verify with the code that is mailed to you.\n\n\
         If you know nothing of this, ignore this mail.\n",
        owner = organization.owner_email.as_ref().map(owned_by).unwrap_or_default(),
        role = member.role,
    );
    let mail =
        system_mail(app, organization.organization_id, &member.email, Route::Remote, "You are invited", text, now)?;
    Ok(QueuedMail { is_code: false, ..mail })
}

/// Returns a sentence with the owner address, or no text if the address could contain a message.
fn owned_by(owner: &EmailAddress) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    let (local, domain) = (canonical_local(owner.local()), owner.domain());
    let is_name = local.len() <= MAX_SHOWN_CHARS && local.chars().all(is_plain);
    if is_name && domain.len() <= MAX_SHOWN_CHARS { format!("Its owner is {local}@{domain}.") } else { String::new() }
}
