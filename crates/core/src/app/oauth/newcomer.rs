//! Organization of a person without one: created by the first sign-in with a browser, or by choice.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::app::account::{NewAccount, require_open};
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes, mail_limits};
use crate::model::{
    AuditAction, AuditActor, BrowserSession, InboxId, MailCharge, Membership, OrganizationId, Role, SignUpMode,
};
use crate::ports::Tx;
use crate::rules::names;

/// Maximum number of names tried for the first inbox.
const MAX_ATTEMPTS: u32 = 5;

/// Returns whether a signed-in person may make an own organization: they own no confirmed or suspended one, and their
/// mailbox is not one of this service. Sign-ups must be open.
///
/// # Errors
/// When storage fails.
pub async fn may_create_organization(
    app: &App,
    session: &BrowserSession,
    joined: &[Membership],
) -> Result<bool, Error> {
    Ok(app.settings.limits.get().sign_up == SignUpMode::Open
        && owned(joined).is_none()
        && !homes::of_one(app, &session.email).await?.is_ours())
}

/// Returns the own organization of a signed-in person, and creates it unless there is a confirmed or suspended one.
///
/// A stranger can sign up with the address of the person, and invite it. An organization that the person never used may
/// therefore be a trap, and this one is the way around it.
///
/// # Errors
/// [`Error::Invalid`] for a mailbox of this service; [`Error::MailLimitReached`] above the sign-ups of a mailbox.
pub async fn create_organization(app: &App, session: &BrowserSession) -> Result<OrganizationId, Error> {
    homes::refuse_ours(app, "email", &session.email).await?;
    with_free_name(async |attempt| retried(is_contention, || create_once(app, &session.email, attempt)).await).await
}

async fn create_once(app: &App, email: &EmailAddress, attempt: u32) -> Result<OrganizationId, Error> {
    let mut tx = app.store.begin().await?;
    let memberships = tx.members().of_address(email, None).await?;
    if let Some(own) = owned(&memberships) {
        return Ok(own);
    }
    let created = create(app, tx.as_mut(), email, attempt, app.clock.now()).await?;
    tx.commit().await?;
    Ok(created)
}

/// Returns the organization that the person of some memberships owns for sure. A suspended one counts too: nobody leaves
/// it for a new one.
fn owned(memberships: &[Membership]) -> Option<OrganizationId> {
    let is_owned = |one: &&Membership| {
        let organization = &one.organization;
        one.member.role == Role::Owner && (organization.is_verified() || organization.suspension.is_some())
    };
    memberships.iter().find(is_owned).map(|one| one.organization.organization_id)
}

/// Runs a unit of work with the number of the attempt until the name of the first inbox is free, and until no other browser
/// signs up at the same time.
pub(super) async fn with_free_name<T>(mut run: impl AsyncFnMut(u32) -> Result<T, Error>) -> Result<T, Error> {
    for attempt in 0..MAX_ATTEMPTS {
        match run(attempt).await {
            Err(Error::AddressTaken(_) | Error::AccountExists(_)) => {}
            done => return done,
        }
    }
    Err(Error::Internal("no name was free for the first inbox of a newcomer".to_owned()))
}

/// Creates the organization of a person: verified, because a mailed code proved the address, with a first inbox on the
/// domain of the service. Its name is the local part of the address; a later attempt appends random characters, for names
/// that are taken.
///
/// # Errors
/// [`Error::SignUp`] where sign-ups are not open; [`Error::AddressTaken`] for a taken name, after which the unit of work starts again with the next attempt;
/// [`Error::AccountExists`] for a sign-up that came first; [`Error::MailLimitReached`] above the sign-ups of a mailbox.
pub(super) async fn create(
    app: &App,
    tx: &mut dyn Tx,
    email: &EmailAddress,
    attempt: u32,
    now: OffsetDateTime,
) -> Result<OrganizationId, Error> {
    let inbox_id = first_inbox(app, email, attempt)?;
    require_open(app, None)?;
    let account = NewAccount::create(app, Some(email), inbox_id, Some(now), now);
    account.insert(tx).await?;
    // An inbox with the address of a member would disclose the codes of that member to its readers.
    if tx.members().reads(&account.inbox.inbox_id).await? {
        return Err(Error::AddressTaken(account.inbox.inbox_id.to_string()));
    }
    let mailbox = MailCharge::of_mailbox(email, app.settings.limits.get().mailbox_mails);
    mail_limits::charge(tx, &mailbox, "to this mailbox", now).await?;
    let author = account.owner.as_ref().map_or(audit::SERVICE, |owner| (AuditActor::Caller(owner.actor()), None));
    let change = AuditChange::created(AuditAction::OrganizationCreated, &account.organization);
    audit::record_by(app, tx, account.organization.organization_id, author, change).await?;
    Ok(account.organization.organization_id)
}

/// Returns the id of the first inbox.
fn first_inbox(app: &App, email: &EmailAddress, attempt: u32) -> Result<InboxId, Error> {
    let random = names::random_username(app.random.bytes());
    let wanted = wanted_username(email.local());
    let username = match (wanted, attempt) {
        (Some(wanted), 0) => wanted,
        (Some(wanted), 1 | 2) => {
            let suffix: String = random.chars().take(4).collect();
            names::parse_username(&format!("{wanted}-{suffix}")).unwrap_or(random)
        }
        _ => random,
    };
    let address: EmailAddress = format!("{username}@{}", app.settings.domain)
        .parse()
        .map_err(|error| Error::Internal(format!("INBOXD_DOMAIN makes no address: {error}")))?;
    Ok(InboxId::of(&address))
}

/// Returns the local part of an address as a username, without tag and unusable characters; `None` for a reserved or
/// empty one.
fn wanted_username(local: &str) -> Option<String> {
    let name = local.split('+').next().unwrap_or_default().to_lowercase();
    let usable: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')).collect();
    let usable: String = usable.trim_matches('.').chars().take(50).collect();
    names::parse_username(&usable).ok()
}

#[cfg(test)]
mod tests {
    use super::wanted_username;

    #[test]
    fn wanted_username_is_usable_local_part() {
        let table = [
            ("Ada.Lovelace+work", Some("ada.lovelace")),
            ("\"ada\"", Some("ada")),
            (".a.", Some("a")),
            ("admin", None),
            ("a..b", None),
            ("ü", None),
        ];
        for (local, expected) in table {
            assert_eq!(wanted_username(local).as_deref(), expected, "{local}");
        }
    }
}
