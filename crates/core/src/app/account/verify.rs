//! Confirming the owner address with the mailed code.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::code;
use crate::Error;
use crate::app::{App, homes, mail_limits};
use crate::model::{ApiKey, Caller, InboxId, MailCharge, PageRequest, Permission, VerificationCode, Webhook};
use crate::ports::{InboxQuery, Tx};
use crate::rules::signing::same;
use crate::rules::{access, codes};

/// What the caller sends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// The six digits that were mailed to the owner.
    pub otp_code: String,
    /// Whether keys and webhooks made before stay, where a person confirms.
    pub keep_existing_keys: bool,
}

/// What confirming opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Where the organization mints inboxes from now on.
    pub inbox_domain: String,
    /// Its inboxes on the sign-up domain.
    pub inboxes_on_signup_domain: Vec<InboxId>,
    /// The keys and webhooks made before.
    pub existing: Existing,
}

/// The keys and webhooks that were made before an organization was verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Existing {
    /// The keys, without the one of the caller.
    pub api_keys: Vec<ApiKey>,
    /// The webhooks.
    pub webhooks: Vec<Webhook>,
    /// Whether all of them were revoked.
    pub is_revoked: bool,
}

/// Confirms the owner address. A code that has run out is replaced by a fresh one, which is mailed.
///
/// Anyone can sign up with any address. The key of a sign-in proves control of the mailbox, the key of the sign-up does not:
/// where the former confirms, all keys and webhooks made before are revoked unless the request keeps them.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::AlreadyVerified`], [`Error::Invalid`], [`Error::WrongCode`],
/// [`Error::CodeExpired`], [`Error::CodeAttemptsExceeded`], [`Error::MailLimitReached`].
pub async fn verify(app: &App, caller: &Caller, confirmation: &Confirmation) -> Result<Verified, Error> {
    access::require(caller, Permission::OrganizationUpdate)?;
    let otp_code = codes::check(&confirmation.otp_code).map_err(|message| Error::invalid("otp_code", message))?;
    let organization_id = caller.organization.organization_id;
    // Read first: once the code is used up, nothing may fail any more. An unverified organization has few inboxes, so
    // that one page holds them all.
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, ..PageRequest::default() };
    let inboxes = app
        .store
        .list_inboxes(&InboxQuery { organization_id, pod_id: None, inbox_id: None, among: None, page })
        .await?;
    let route = homes::of_one(app, &caller.organization.owner_email).await?.route();
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
        let mail = MailCharge::of_mailbox(&organization.owner_email, app.settings.mailbox_limits);
        mail_limits::charge(tx.as_mut(), &mail, "to this mailbox", now).await?;
        tx.commit().await?;
        app.wake.outgoing();
        return Err(Error::CodeExpired);
    };
    // A person has proven the mailbox by signing in: the holder of another key cannot use up their attempts.
    if expected.is_exhausted() && caller.member.is_none() {
        return Err(Error::CodeAttemptsExceeded { until: expected.expires_at });
    }
    if !same(&expected.code_hash, &app.settings.signing_key.code_hash(organization_id, otp_code)) {
        let tried = VerificationCode { attempts: expected.attempts.saturating_add(1), ..expected };
        tx.accounts().put_code(&tried).await?;
        tx.commit().await?;
        let attempts_left = VerificationCode::MAX_ATTEMPTS.saturating_sub(tried.attempts);
        return Err(Error::WrongCode { attempts_left });
    }
    tx.accounts().update(&organization.verified(now)).await?;
    tx.accounts().delete_code(organization_id).await?;
    let is_person = caller.member.is_some();
    let existing = take_over(tx.as_mut(), caller, is_person && !confirmation.keep_existing_keys, now).await?;
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

/// Reads the keys and webhooks that others made in the caller's organization, and revokes them if asked to. The organization
/// is locked, so that none is being made meanwhile.
async fn take_over(tx: &mut dyn Tx, caller: &Caller, is_revoked: bool, now: OffsetDateTime) -> Result<Existing, Error> {
    let organization_id = caller.organization.organization_id;
    let mut api_keys = tx.api_keys().all(organization_id).await?;
    api_keys.retain(|key| Some(key.api_key_id) != caller.api_key_id);
    let webhooks = tx.webhooks().all(organization_id).await?;
    if is_revoked {
        for key in &api_keys {
            tx.api_keys().revoke(organization_id, key.api_key_id, now).await?;
        }
        for key in &api_keys {
            // A thread is never assigned to a key that cannot open the inbox. What is a person's stays theirs.
            tx.threads().unassign(organization_id, &key.api_key_id.to_string(), &BTreeSet::new(), now).await?;
        }
        for webhook in &webhooks {
            tx.webhooks().delete(organization_id, webhook.webhook_id).await?;
        }
    }
    Ok(Existing { api_keys, webhooks, is_revoked })
}
