//! The mail that tells somebody of their invitation.

use time::OffsetDateTime;

use crate::Error;
use crate::app::App;
use crate::app::account::system_mail;
use crate::model::{Member, Organization, Outgoing, Role, Route};

/// The mail to a new member. It waits in the queue as mail of its organization. It holds no link: whoever has the mailbox signs in with a code of its own.
pub(super) fn invitation(
    app: &App,
    organization: &Organization,
    member: &Member,
    now: OffsetDateTime,
) -> Result<Outgoing, Error> {
    let rights = match (member.role, member.inbox_ids.is_empty()) {
        (Role::Owner | Role::Admin, _) => "everything, people included".to_owned(),
        (Role::Member, true) => "the mail of every inbox".to_owned(),
        (Role::Member, false) => {
            let inboxes: Vec<_> = member.inbox_ids.iter().map(ToString::to_string).collect();
            format!("the mail of {}", inboxes.join(", "))
        }
    };
    let text = format!(
        "You are invited to the organization of {owner}.\n\n\
         Your role is {role}: {rights}.\n\n\
         To join, sign in with this address ({email}): call POST /v0/agent/sign-in with it, then \
         POST /v0/agent/sign-in/verify with the code that is mailed to you.\n\n\
         If you know nothing of this, ignore this mail.\n",
        owner = organization.owner_email,
        role = member.role,
        email = member.email,
    );
    let mail =
        system_mail(app, organization.organization_id, &member.email, Route::Remote, "You are invited", text, now)?;
    Ok(Outgoing { is_code: false, ..mail })
}
