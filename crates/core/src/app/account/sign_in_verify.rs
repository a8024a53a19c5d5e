//! Signing in with the mailed code.

use inboxd_mail::EmailAddress;

use super::code;
use super::sign_in::address;
use super::sign_in_key::{self, Bounds, SignedIn};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes};
use crate::model::{Member, Membership, OrganizationId, Role, Route};
use crate::ports::Tx;
use crate::rules::codes;
use crate::rules::sign_in::{digits, landing};
use crate::rules::signing::same;
use crate::{Error, FieldError};

/// What somebody sends who signs in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignInProof {
    /// Their address.
    pub email: String,
    /// The code that was mailed to it.
    pub otp_code: String,
    /// The organization that they want to be in.
    pub organization_id: Option<String>,
}

/// Signs in: proves control of a mailbox and makes a key that acts as the person. Every invitation of the address becomes
/// a membership.
///
/// A wrong code and an address that nobody has are told apart by nothing: both are counted against the code that was asked
/// for, and against the address.
///
/// # Errors
/// [`Error::Invalid`], [`Error::WrongSignInCode`], [`Error::SignInAttemptsExceeded`], [`Error::SignInPaused`],
/// [`Error::NotFound`] for an organization that they do not belong to.
pub async fn verify_sign_in(app: &App, sent: SignInProof) -> Result<SignedIn, Error> {
    let (email, otp_code) = checked(&sent)?;
    let route = homes::of_one(app, &email).await?.route();
    retried(is_contention, || verify_once(app, &email, otp_code, sent.organization_id.as_deref(), route)).await
}

async fn verify_once(
    app: &App,
    email: &EmailAddress,
    otp_code: &str,
    asked: Option<&str>,
    route: Route,
) -> Result<SignedIn, Error> {
    let mut tx = app.store.begin().await?;
    let code = tx.sign_ins().lock(email).await?;
    // Looked up behind the lock: whoever was waited for may just have used the code, which ended it.
    let now = app.clock.now();
    let code = code.filter(|code| !code.is_expired(now));
    let code = code.ok_or(Error::WrongSignInCode)?;
    if let Some(until) = code.paused_until(now) {
        return Err(Error::SignInPaused { until });
    }
    if code.is_exhausted() {
        return Err(Error::SignInAttemptsExceeded);
    }
    let is_right = same(digits(&app.settings.signing_key, &code).as_bytes(), otp_code.as_bytes());
    let named: Option<OrganizationId> = asked.and_then(|asked| asked.parse().ok());
    let memberships = if is_right { tx.members().of_address(email, named).await? } else { Vec::new() };
    if memberships.is_empty() {
        tx.sign_ins().tried(&code.tried(now)).await?;
        tx.commit().await?;
        return Err(Error::WrongSignInCode);
    }
    let landed = chosen(&memberships, asked)?;
    let signed_in = land(app, tx.as_mut(), landed, route).await?;
    tx.members().join(email, now).await?;
    tx.sign_ins().end(email, now).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(signed_in)
}

/// Where they go. An organization that they do not belong to is as if there were none.
fn chosen<'a>(memberships: &'a [Membership], asked: Option<&str>) -> Result<&'a Membership, Error> {
    let Some(asked) = asked else { return landing(memberships, None).ok_or(Error::WrongSignInCode) };
    let organization_id: Option<OrganizationId> = asked.parse().ok();
    let landed = organization_id.and_then(|organization_id| landing(memberships, Some(organization_id)));
    landed.ok_or_else(|| Error::no_such_organization(asked))
}

/// Makes the key. An owner whose address is not confirmed yet is mailed a fresh code for that.
async fn land(app: &App, tx: &mut dyn Tx, landed: &Membership, route: Route) -> Result<SignedIn, Error> {
    let now = app.clock.now();
    let organization_id = landed.organization.organization_id;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    // Removed since it was read: there is nobody to sign in any more.
    let member: Member =
        tx.members().lock(organization_id, landed.member.member_id).await?.ok_or(Error::WrongSignInCode)?;
    if member.role == Role::Owner && !organization.is_verified() {
        let known = tx.accounts().lock_code(organization_id).await?;
        let network = known.and_then(|code| code.sign_up_network);
        let (fresh, mail) = code::fresh(app, &organization, network, route, now)?;
        tx.accounts().put_code(&fresh).await?;
        tx.outgoing().enqueue(&[mail]).await?;
    }
    sign_in_key::make(app, tx, &member, Bounds::default(), now).await
}

/// Everything that is wrong with what somebody sends by itself.
#[must_use]
pub fn problems_of_proof(sent: &SignInProof) -> Vec<FieldError> {
    checked(sent).err().unwrap_or_default()
}

fn checked(sent: &SignInProof) -> Result<(EmailAddress, &str), Vec<FieldError>> {
    match (address(&sent.email), codes::check(&sent.otp_code)) {
        (Ok(email), Ok(otp_code)) => Ok((email, otp_code)),
        (email, otp_code) => {
            let problems = [("email", email.err()), ("otp_code", otp_code.err())];
            Err(problems.into_iter().filter_map(|(path, message)| Some(FieldError::new(path, message?))).collect())
        }
    }
}
