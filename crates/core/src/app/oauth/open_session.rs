//! Sign-in with a browser by a mailed code.

use inboxd_mail::EmailAddress;

use super::newcomer;
use super::session::{OpenedSession, new_token};
use crate::app::account::{SignInProof, TriedCode, checked_proof, try_code};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, homes, members};
use crate::model::BrowserSession;
use crate::{CodeRefusal, Error};

/// Opens a session for an address with the code that was mailed to it.
///
/// The code proves control of the mailbox, so every invitation of the address becomes a membership. A newcomer receives
/// an organization with a first inbox in the same unit of work.
///
/// # Errors
/// [`Error::Invalid`], [`Error::Code`],
/// [`Error::MailLimitReached`] above the sign-ups of a mailbox.
pub async fn open_session(app: &App, email: &str, otp_code: &str) -> Result<OpenedSession, Error> {
    let sent = SignInProof {
        email: email.to_owned(),
        otp_code: otp_code.to_owned(),
        organization_id: None,
        client_address: None,
    };
    let (email, otp_code) = checked_proof(&sent)?;
    // No code is mailed to such an address, unless it has joined an organization before.
    let may_sign_up = !homes::of_one(app, &email).await?.is_ours();
    newcomer::with_free_name(async |attempt| {
        retried(is_contention, || open_once(app, &email, otp_code, may_sign_up, attempt)).await
    })
    .await
}

async fn open_once(
    app: &App,
    email: &EmailAddress,
    otp_code: &str,
    may_sign_up: bool,
    attempt: u32,
) -> Result<OpenedSession, Error> {
    let mut tx = app.store.begin().await?;
    let TriedCode { code, is_right, now } = try_code(app, tx.as_mut(), email, otp_code).await?;
    let memberships = if is_right { tx.members().of_address(email, None).await? } else { Vec::new() };
    if !is_right || (memberships.is_empty() && !may_sign_up) {
        tx.sign_ins().tried(&code.tried(now)).await?;
        tx.commit().await?;
        return Err(Error::Code(CodeRefusal::WrongSignIn));
    }
    if memberships.is_empty() {
        newcomer::create(app, tx.as_mut(), email, attempt, now).await?;
    } else {
        members::join(app, tx.as_mut(), email, None, now).await?;
    }
    tx.sign_ins().end(email, now).await?;
    let token = new_token(app);
    let session = BrowserSession::open(email.clone(), &token, now);
    tx.browser_sessions().insert(&session, BrowserSession::MAX_PER_ADDRESS).await?;
    tx.commit().await?;
    Ok(OpenedSession { token, session })
}
