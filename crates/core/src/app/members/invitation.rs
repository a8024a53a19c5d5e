//! The mail that tells somebody of their invitation.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::app::account::system_mail;
use crate::model::{Member, Organization, Outgoing, Role, Route};

/// The longest name and the longest domain of an owner that an invitation shows.
const MAX_SHOWN_CHARS: usize = 64;

/// Returns the mail to a new member. It holds no link and no text that a tenant chose, but for an address that was confirmed:
/// the mailbox may be that of a stranger. It waits in the queue as mail of its organization.
pub(super) fn invitation(
    app: &App,
    organization: &Organization,
    member: &Member,
    now: OffsetDateTime,
) -> Result<Outgoing, Error> {
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
        owner = owned_by(&organization.owner_email),
        role = member.role,
    );
    let mail =
        system_mail(app, organization.organization_id, &member.email, Route::Remote, "You are invited", text, now)?;
    Ok(Outgoing { is_code: false, ..mail })
}

/// Returns a sentence that names the owner, unless the address could hold a message of its own.
fn owned_by(owner: &EmailAddress) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    let is_name = owner.local().len() <= MAX_SHOWN_CHARS && owner.local().chars().all(is_plain);
    if is_name && owner.domain().len() <= MAX_SHOWN_CHARS { format!("Its owner is {owner}.") } else { String::new() }
}
