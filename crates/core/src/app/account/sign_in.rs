//! Asking for a code to sign in with.
//!
//! The answer tells nothing of whether anybody has the address, and neither does its time: this does the same work for
//! every address, one row written, and never asks who is there. Whether a mail is owed is found out afterwards, by the
//! worker ([`super::mail_sign_in_codes`]), which holds the row no longer for one address than for another.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::App;
use crate::model::SignInCode;

/// Makes a code for an address; it is mailed if the address belongs to anybody, and as long as not too many were asked for.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no address.
pub async fn sign_in(app: &App, email: &str) -> Result<(), Error> {
    let email = address(email).map_err(|message| Error::invalid("email", message))?;
    let now = app.clock.now();
    let code = SignInCode::fresh(email, app.random.octets(), now);
    let mut tx = app.store.begin().await?;
    tx.sign_ins().ask(&code, now).await?;
    tx.commit().await?;
    app.wake.sign_ins();
    Ok(())
}

/// The address of somebody who signs in.
pub(super) fn address(text: &str) -> Result<EmailAddress, String> {
    text.trim().parse::<EmailAddress>().map_err(|error| error.to_string())
}
