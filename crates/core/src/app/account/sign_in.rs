//! Request for a sign-in code.
//!
//! Neither the response nor its time reveals whether an address has an account. The request writes one row for every
//! address and reads no membership. The worker decides later whether to send mail ([`super::mail_sign_in_codes`]). It
//! locks the row equally long for every address.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::App;
use crate::model::SignInCode;

/// Creates a code for an address.
///
/// The worker mails the code if the address has an account and the limit of codes permits it.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no address.
pub async fn sign_in(app: &App, email: &str) -> Result<(), Error> {
    request(app, email, false).await
}

/// Creates a code for an address that signs in with a browser.
///
/// The worker mails the code to an unknown address too, within the limit of its mailbox: with it a newcomer signs up.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no address.
pub(in crate::app) async fn request_browser_code(app: &App, email: &str) -> Result<(), Error> {
    request(app, email, true).await
}

async fn request(app: &App, email: &str, mails_newcomers: bool) -> Result<(), Error> {
    let email = address(email).map_err(|message| Error::invalid("email", message))?;
    let now = app.clock.now();
    let code = SignInCode { mails_newcomers, ..SignInCode::fresh(email, app.random.bytes(), now) };
    let mut tx = app.store.begin().await?;
    tx.sign_ins().ask(&code, now).await?;
    tx.commit().await?;
    app.wake.sign_ins();
    Ok(())
}

/// Parses the address of a sign-in.
pub(super) fn address(text: &str) -> Result<EmailAddress, String> {
    text.trim().parse::<EmailAddress>().map_err(|error| error.to_string())
}
