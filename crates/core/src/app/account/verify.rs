//! Confirming the owner address with the mailed code.

use super::code;
use crate::Error;
use crate::app::{App, homes};
use crate::model::{Caller, InboxId, PageRequest, Permission, VerificationCode};
use crate::ports::InboxQuery;
use crate::rules::signing::same;
use crate::rules::{access, codes};

/// What confirming opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Where the organization mints inboxes from now on.
    pub inbox_domain: String,
    /// Its inboxes on the sign-up domain.
    pub inboxes_on_signup_domain: Vec<InboxId>,
}

/// Confirms the owner address. A code that has run out is replaced by a fresh one, which is mailed.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::AlreadyVerified`], [`Error::Invalid`], [`Error::WrongCode`],
/// [`Error::CodeExpired`], [`Error::CodeAttemptsExceeded`].
pub async fn verify(app: &App, caller: &Caller, otp_code: &str) -> Result<Verified, Error> {
    access::require(caller, Permission::OrganizationUpdate)?;
    let otp_code = codes::check(otp_code).map_err(|message| Error::invalid("otp_code", message))?;
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
    let Some(expected) = expected.filter(|code| !code.is_expired(now)) else {
        let (fresh, mail) = code::fresh(app, &organization, route, now)?;
        tx.accounts().put_code(&fresh).await?;
        tx.outgoing().enqueue(&[mail]).await?;
        tx.commit().await?;
        app.wake.outgoing();
        return Err(Error::CodeExpired);
    };
    if expected.is_exhausted() {
        return Err(Error::CodeAttemptsExceeded { until: expected.expires_at });
    }
    if !same(&expected.code_hash, &app.settings.signing_key.code_hash(organization_id, otp_code)) {
        let tried = VerificationCode { attempts: expected.attempts + 1, ..expected };
        tx.accounts().put_code(&tried).await?;
        tx.commit().await?;
        return Err(Error::WrongCode { attempts_left: VerificationCode::MAX_ATTEMPTS - tried.attempts });
    }
    tx.accounts().update(&organization.verified(now)).await?;
    tx.accounts().delete_code(organization_id).await?;
    tx.commit().await?;
    Ok(Verified {
        inbox_domain: app.settings.domain.clone(),
        inboxes_on_signup_domain: inboxes
            .items
            .into_iter()
            .map(|inbox| inbox.inbox_id)
            .filter(|inbox_id| inbox_id.domain() == app.settings.signup_domain)
            .collect(),
    })
}
