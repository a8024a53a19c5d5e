//! Confirmation of the owner address with the mailed code.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::code;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, homes, mail_limits, policies};
use crate::model::{
    ApiKey, ApiKeyId, AuditAction, AuditActor, Caller, InboxId, MailCharge, PageRequest, Permission, VerificationCode,
    Webhook,
};
use crate::ports::{InboxQuery, Tx};
use crate::rules::signing::same;
use crate::rules::{access, codes};
use crate::{CodeRefusal, Error, SignUpRefusal};

/// Request of a confirmation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// The six digits mailed to the owner.
    pub otp_code: String,
    /// Whether earlier keys and webhooks stay if a member confirms.
    pub keep_existing_keys: bool,
}

/// Result of a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The domain of inboxes that the organization creates from now on.
    pub inbox_domain: String,
    /// The inboxes of the organization on the sign-up domain.
    pub inboxes_on_signup_domain: Vec<InboxId>,
    /// The earlier keys and webhooks.
    pub existing: Existing,
}

/// Keys and webhooks that an organization had before its verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Existing {
    /// The keys, without that of the caller.
    pub api_keys: Vec<ApiKey>,
    /// The webhooks.
    pub webhooks: Vec<Webhook>,
    /// Whether the confirmation revoked all of them.
    pub is_revoked: bool,
}

/// Confirms the owner address.
///
/// If the code has expired, a new one is mailed.
///
/// A sign-up can name any address. The key of a sign-in proves control of the mailbox, the key of a sign-up does not.
/// If the former confirms, all earlier keys and webhooks are revoked unless the request retains them.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::SignUp`] without an owner, [`Error::AlreadyVerified`], [`Error::Invalid`],
/// [`Error::Code`], [`Error::MailLimitReached`].
pub async fn verify(app: &App, caller: &Caller, confirmation: &Confirmation) -> Result<Verified, Error> {
    access::require(caller, Permission::OrganizationUpdate)?;
    let otp_code = codes::parse(&confirmation.otp_code).map_err(|message| Error::invalid("otp_code", message))?;
    let organization_id = caller.organization.organization_id;
    // Read the inboxes first: after the code is used, nothing may fail. One page holds the few inboxes of an
    // unverified organization.
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() };
    let inboxes = app
        .store
        .list_inboxes(&InboxQuery { organization_id, pod_id: None, inbox_id: None, among: None, page })
        .await?;
    let owner = caller.organization.owner_email.as_ref().ok_or(SignUpRefusal::OwnerMissing)?;
    let route = homes::of_one(app, owner).await?.route();
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if organization.is_verified() {
        return Err(Error::AlreadyVerified);
    }
    let expected = tx.accounts().lock_code(organization_id).await?;
    let network = expected.as_ref().and_then(|code| code.sign_up_network.clone());
    let Some(expected) = expected.filter(|code| !code.is_expired(now)) else {
        let (fresh, mail) = code::fresh(app, &organization, network, route, now)?;
        tx.accounts().put_code(&fresh).await?;
        tx.outgoing().enqueue(&[mail]).await?;
        let mail = MailCharge::of_mailbox(owner, app.settings.limits.get().mailbox_mails);
        mail_limits::charge(tx.as_mut(), &mail, "to this mailbox", now).await?;
        tx.commit().await?;
        app.wake.outgoing();
        return Err(Error::Code(CodeRefusal::Expired));
    };
    // A person who signed in has proved the mailbox, so the holder of another key cannot use up their attempts. The client of
    // a connection could try all codes.
    let is_person = caller.member.is_some() && caller.connection.is_none();
    if expected.is_exhausted() && !is_person {
        return Err(Error::Code(CodeRefusal::AttemptsExceeded { until: expected.expires_at }));
    }
    if !same(&expected.code_hash, &app.settings.signing_key.code_hash(organization_id, otp_code)) {
        let tried = VerificationCode { attempts: expected.attempts.saturating_add(1), ..expected };
        tx.accounts().put_code(&tried).await?;
        tx.commit().await?;
        let attempts_left = VerificationCode::MAX_ATTEMPTS.saturating_sub(tried.attempts);
        return Err(Error::Code(CodeRefusal::Wrong { attempts_left }));
    }
    let verified = organization.clone().verified(now);
    tx.accounts().update(&verified).await?;
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &organization, &verified);
    audit::record(app, tx.as_mut(), caller, change).await?;
    tx.accounts().delete_code(organization_id).await?;
    let is_revoked = caller.member.is_some() && !confirmation.keep_existing_keys;
    let existing = take_over(app, tx.as_mut(), caller, is_revoked, now).await?;
    tx.commit().await?;
    Ok(Verified {
        inbox_domain: app.settings.domain.clone(),
        inboxes_on_signup_domain: inboxes
            .items
            .into_iter()
            .map(|inbox| inbox.inbox_id)
            .filter(|inbox_id| inbox_id.domain() == app.settings.signup_domain)
            .collect(),
        existing,
    })
}

/// Reads the keys and webhooks of the organization without the caller's key, and revokes them if required.
///
/// The caller holds the lock of the organization, so no key or webhook is created meanwhile.
async fn take_over(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    is_revoked: bool,
    now: OffsetDateTime,
) -> Result<Existing, Error> {
    let organization_id = caller.organization.organization_id;
    let mut api_keys = tx.api_keys().all(organization_id).await?;
    api_keys.retain(|key| Some(key.api_key_id) != caller.api_key_id);
    let webhooks = tx.webhooks().all(organization_id).await?;
    if is_revoked {
        for key in &api_keys {
            tx.api_keys().revoke(organization_id, key.api_key_id, now).await?;
            audit::record(app, tx, caller, AuditChange::deleted(AuditAction::ApiKeyDeleted, key)).await?;
        }
        let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
        let api_key_ids: Vec<ApiKeyId> = api_keys.iter().map(|key| key.api_key_id).collect();
        policies::remove_of_keys(app, tx, organization_id, &author, &api_key_ids).await?;
        for key in &api_keys {
            // No thread stays assigned to a key that cannot open the inbox. Threads of members stay assigned.
            tx.threads().unassign(organization_id, &key.api_key_id.to_string(), &BTreeSet::new(), now).await?;
        }
        tx.calendar().close_feeds(organization_id).await?;
        for webhook in tx.polling().delete_all(organization_id).await? {
            audit::record(app, tx, caller, AuditChange::deleted(AuditAction::WebhookDeleted, &webhook)).await?;
        }
        for webhook in &webhooks {
            tx.webhooks().delete(organization_id, webhook.webhook_id).await?;
            audit::record(app, tx, caller, AuditChange::deleted(AuditAction::WebhookDeleted, webhook)).await?;
        }
    }
    Ok(Existing { api_keys, webhooks, is_revoked })
}
