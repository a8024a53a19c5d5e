//! Sign-in with a mailed code.

use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::code;
use super::sign_in::address;
use super::sign_in_key::{self, Bounds, SignedIn};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes, members};
use crate::model::{Member, Membership, OrganizationId, Role, Route, SignInCode};
use crate::ports::Tx;
use crate::rules::codes;
use crate::rules::sign_in::{choose_membership, digits};
use crate::rules::signing::same;
use crate::{CodeRefusal, Error, FieldError};

/// Request of a sign-in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignInProof {
    /// The address that signs in.
    pub email: String,
    /// The code that was mailed to the address.
    pub otp_code: String,
    /// The requested organization.
    pub organization_id: Option<String>,
    /// The address of the client.
    pub client_address: Option<IpAddr>,
}

/// Signs in an address and creates a key that acts as its member.
///
/// The code proves control of the mailbox, so every invitation of the address becomes a membership.
///
/// A wrong code and an address without an account have the same response. Both count against the requested code and
/// against the address.
///
/// # Errors
/// [`Error::Invalid`], [`Error::Code`],
/// [`Error::NotFound`] for an organization without a membership of the address.
pub async fn verify_sign_in(app: &App, sent: SignInProof) -> Result<SignedIn, Error> {
    let (email, otp_code) = checked_proof(&sent)?;
    let route = homes::of_one(app, &email).await?.route();
    retried(is_contention, || verify_once(app, &email, otp_code, &sent, route)).await
}

async fn verify_once(
    app: &App,
    email: &EmailAddress,
    otp_code: &str,
    sent: &SignInProof,
    route: Route,
) -> Result<SignedIn, Error> {
    let asked = sent.organization_id.as_deref();
    let mut tx = app.store.begin().await?;
    let TriedCode { code, is_right, now } = try_code(app, tx.as_mut(), email, otp_code).await?;
    let named: Option<OrganizationId> = asked.and_then(|asked| asked.parse().ok());
    let memberships = if is_right { tx.members().of_address(email, named).await? } else { Vec::new() };
    if memberships.is_empty() {
        tx.sign_ins().tried(&code.tried(now)).await?;
        tx.commit().await?;
        return Err(Error::Code(CodeRefusal::WrongSignIn));
    }
    let landed = chosen(&memberships, asked)?;
    let signed_in = land(app, tx.as_mut(), landed, route, sent.client_address).await?;
    members::join(app, tx.as_mut(), email, sent.client_address, now).await?;
    tx.sign_ins().end(email, now).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(signed_in)
}

/// A locked code that was compared with a sent one.
pub(in crate::app) struct TriedCode {
    /// The stored code.
    pub(in crate::app) code: SignInCode,
    /// Whether the sent code is right.
    pub(in crate::app) is_right: bool,
    /// The time of the comparison.
    pub(in crate::app) now: OffsetDateTime,
}

/// Locks the code of an address and compares it with a sent one. The caller counts a wrong one and ends a right one.
///
/// # Errors
/// [`Error::Code`] without a valid code, or after too many wrong ones.
pub(in crate::app) async fn try_code(
    app: &App,
    tx: &mut dyn Tx,
    email: &EmailAddress,
    otp_code: &str,
) -> Result<TriedCode, Error> {
    let code = tx.sign_ins().lock(email).await?;
    // Read the clock behind the lock: the previous holder of the lock may have used the code, which ends it.
    let now = app.clock.now();
    let code = code.filter(|code| !code.is_expired(now));
    let code = code.ok_or(Error::Code(CodeRefusal::WrongSignIn))?;
    if let Some(until) = code.paused_until(now) {
        return Err(Error::Code(CodeRefusal::SignInPaused { until }));
    }
    if code.is_exhausted() {
        return Err(Error::Code(CodeRefusal::SignInAttemptsExceeded));
    }
    let is_right = same(digits(&app.settings.signing_key, &code).as_bytes(), otp_code.as_bytes());
    Ok(TriedCode { code, is_right, now })
}

/// Returns the requested membership, or the default one.
/// An organization without a membership yields the same error as an unknown one.
fn chosen<'a>(memberships: &'a [Membership], asked: Option<&str>) -> Result<&'a Membership, Error> {
    let Some(asked) = asked else {
        return choose_membership(memberships, None).ok_or(Error::Code(CodeRefusal::WrongSignIn));
    };
    let organization_id: Option<OrganizationId> = asked.parse().ok();
    let landed = organization_id.and_then(|organization_id| choose_membership(memberships, Some(organization_id)));
    landed.ok_or_else(|| Error::no_such_organization(asked))
}

/// Creates the key. An owner whose address is unconfirmed also receives a new verification code.
async fn land(
    app: &App,
    tx: &mut dyn Tx,
    landed: &Membership,
    route: Route,
    client_address: Option<IpAddr>,
) -> Result<SignedIn, Error> {
    let now = app.clock.now();
    let organization_id = landed.organization.organization_id;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    // The member was removed after the first read.
    let member: Member = tx
        .members()
        .lock(organization_id, landed.member.member_id)
        .await?
        .ok_or(Error::Code(CodeRefusal::WrongSignIn))?;
    if member.role == Role::Owner && !organization.is_verified() {
        let known = tx.accounts().lock_code(organization_id).await?;
        let network = known.and_then(|code| code.sign_up_network);
        let (fresh, mail) = code::fresh(app, &organization, network, route, now)?;
        tx.accounts().put_code(&fresh).await?;
        tx.outgoing().enqueue(&[mail]).await?;
    }
    sign_in_key::make(app, tx, &member, Bounds { client_address, ..Bounds::default() }, now).await
}

/// Returns every problem that the request has by itself.
#[must_use]
pub fn problems_of_proof(sent: &SignInProof) -> Vec<FieldError> {
    checked_proof(sent).err().unwrap_or_default()
}

/// Returns the address and code of a request.
///
/// # Errors
/// Every problem of the fields.
pub(in crate::app) fn checked_proof(sent: &SignInProof) -> Result<(EmailAddress, &str), Vec<FieldError>> {
    match (address(&sent.email), codes::parse(&sent.otp_code)) {
        (Ok(email), Ok(otp_code)) => Ok((email, otp_code)),
        (email, otp_code) => {
            let problems = [("email", email.err()), ("otp_code", otp_code.err())];
            Err(problems.into_iter().filter_map(|(path, message)| Some(FieldError::new(path, message?))).collect())
        }
    }
}
