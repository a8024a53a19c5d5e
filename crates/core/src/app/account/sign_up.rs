//! Sign-up: creates an organization, its default pod, a first inbox and a key.

use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::code;
use super::new_account::NewAccount;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, homes, mail_limits};
use crate::model::api_key::PlaintextKey;
use crate::model::{
    Actor, ApiKey, ApiKeyId, AuditAction, AuditActor, InboxId, MailCharge, OrganizationId, Reach, Route,
    SignUpInvitation, SignUpMode,
};
use crate::ports::Tx;
use crate::rules::names;
use crate::rules::networks::network_of;
use crate::{Error, FieldError, SignUpRefusal};

/// Request of a sign-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignUp {
    /// The address of the owner; without one the organization cannot send.
    pub human_email: Option<String>,
    /// The username of the first inbox.
    pub username: String,
    /// Invitation of the operator.
    pub invitation: Option<String>,
    /// The IP address of the client, if known.
    pub client: Option<IpAddr>,
}

/// Result of a sign-up.
pub struct SignedUp {
    /// The new organization.
    pub organization_id: OrganizationId,
    /// The first inbox.
    pub inbox_id: InboxId,
    /// A key for the whole organization.
    pub api_key: PlaintextKey,
}

/// Signs up an organization and mails a verification code to its owner, if the request names one.
///
/// # Errors
/// [`Error::Invalid`], [`Error::SignUp`], [`Error::AccountExists`], [`Error::AddressTaken`],
/// [`Error::MailLimitReached`].
pub async fn sign_up(app: &App, request: SignUp) -> Result<SignedUp, Error> {
    let (owner_email, inbox_id) = checked(app, &request)?;
    require_open(app, request.invitation.as_deref())?;
    if let Some(owner_email) = &owner_email {
        homes::refuse_ours(app, "human_email", owner_email).await?;
        if app.store.organization_of_owner(owner_email).await?.is_some() {
            return Err(Error::AccountExists(owner_email.to_string()));
        }
    }
    let now = app.clock.now();
    let account = NewAccount::create(app, owner_email.as_ref(), inbox_id.clone(), None, now);
    let organization_id = account.organization.organization_id;
    let plaintext = PlaintextKey::from_random(app.random.bytes());
    let api_key = ApiKey {
        organization_id,
        api_key_id: app.mint::<ApiKeyId>(now),
        prefix: plaintext.prefix(),
        name: "Sign-up".to_owned(),
        reach: Reach::Organization,
        member_id: None,
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: now,
        updated_at: now,
    };
    let network = request.client.map(network_of);

    let mut tx = app.store.begin().await?;
    if let Some(invitation) = &request.invitation
        && !tx.accounts().use_invitation(&SignUpInvitation::hash(invitation), now).await?
    {
        return Err(SignUpRefusal::InvitationInvalid.into());
    }
    account.insert(tx.as_mut()).await?;
    tx.api_keys().insert(&api_key, &plaintext.hash()).await?;
    match &owner_email {
        Some(owner_email) => {
            let (code, mail) = code::fresh(app, &account.organization, network, Route::Remote, now)?;
            tx.accounts().put_code(&code).await?;
            tx.outgoing().enqueue(&[mail]).await?;
            let mail = MailCharge::of_mailbox(owner_email, app.settings.limits.get().mailbox_mails);
            mail_limits::charge(tx.as_mut(), &mail, "to this mailbox", now).await?;
        }
        None => charge_ownerless(tx.as_mut(), network.as_deref().unwrap_or("unknown"), now).await?,
    }
    let actor = Actor::ApiKey { api_key_id: api_key.api_key_id, name: api_key.name.clone() };
    let author = (AuditActor::Caller(actor), request.client);
    let change = AuditChange::created(AuditAction::OrganizationCreated, &account.organization);
    audit::record_by(app, tx.as_mut(), organization_id, author, change).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(SignedUp { organization_id, inbox_id, api_key: plaintext })
}

/// Counts a sign-up without an owner address: no mailbox limits those.
async fn charge_ownerless(tx: &mut dyn Tx, network: &str, now: OffsetDateTime) -> Result<(), Error> {
    match tx.mail_quotas().charge(&MailCharge::of_ownerless_sign_up(network), now).await? {
        Some(until) => Err(SignUpRefusal::TooManyOwnerless { until }.into()),
        None => Ok(()),
    }
}

/// Refuses a new organization where the operator accepts none, or none without an invitation.
///
/// # Errors
/// [`Error::SignUp`].
pub(in crate::app) fn require_open(app: &App, invitation: Option<&str>) -> Result<(), Error> {
    match (app.settings.limits.get().sign_up, invitation) {
        (SignUpMode::Open, _) | (SignUpMode::Invite, Some(_)) => Ok(()),
        (SignUpMode::Invite, None) => Err(SignUpRefusal::InvitationRequired.into()),
        (SignUpMode::Closed, _) => Err(SignUpRefusal::Closed.into()),
    }
}

/// Returns every problem that a sign-up has by itself.
#[must_use]
pub fn problems_of_sign_up(app: &App, request: &SignUp) -> Vec<FieldError> {
    checked(app, request).err().unwrap_or_default()
}

fn checked(app: &App, request: &SignUp) -> Result<(Option<EmailAddress>, InboxId), Vec<FieldError>> {
    let email = request.human_email.as_deref().map(|email| homes::persons(app, email)).transpose();
    let address = names::parse_username(&request.username).and_then(|username| {
        format!("{username}@{}", app.settings.signup_domain).parse::<EmailAddress>().map_err(|error| error.to_string())
    });
    match (email, address) {
        (Ok(email), Ok(address)) => Ok((email, InboxId::of(&address))),
        (email, address) => Err(email
            .err()
            .map(|error| FieldError::new("human_email", error))
            .into_iter()
            .chain(address.err().map(|message| FieldError::new("username", message)))
            .collect()),
    }
}
