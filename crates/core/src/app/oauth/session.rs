//! Browser sessions.

use time::Duration;

use crate::Error;
use crate::app::App;
use crate::app::account;
use crate::model::BrowserSession;

/// Start of a token.
const PREFIX: &str = "bs_";
/// Purpose of the signature of a token.
const PURPOSE: &str = "browser session";
/// Maximum lag of the recorded use of a session.
const USED_AT_LAG: Duration = Duration::seconds(60);

/// A new session with the token for the cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct OpenedSession {
    /// The token; it is neither stored nor logged.
    pub token: String,
    /// The session.
    pub session: BrowserSession,
}

/// Mails a code to an address, with or without an account.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no address.
pub async fn request_code(app: &App, email: &str) -> Result<(), Error> {
    account::request_browser_code(app, email).await
}

/// Returns a new token. It is signed, so that any other text is refused without a read.
pub(super) fn new_token(app: &App) -> String {
    let random: [u8; 32] = app.random.bytes();
    format!("{PREFIX}{}", app.settings.signing_key.sign(PURPOSE, &random))
}

fn is_token(app: &App, text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|signed| app.settings.signing_key.verify(PURPOSE, signed).is_some())
}

/// Returns the live session of a token and records its use.
///
/// # Errors
/// When storage fails.
pub async fn session(app: &App, token: &str) -> Result<Option<BrowserSession>, Error> {
    if !is_token(app, token) {
        return Ok(None);
    }
    let now = app.clock.now();
    let found = app.store.browser_session(&BrowserSession::hash(token)).await?;
    let Some(session) = found.filter(|session| !session.is_expired(now)) else { return Ok(None) };
    if now - session.used_at < USED_AT_LAG {
        return Ok(Some(session));
    }
    let session = session.used(now);
    // A failure is harmless: the next request records the use.
    let _ = app.store.touch_browser_session(&session).await;
    Ok(Some(session))
}

/// Returns the live sessions of a signed-in person, the last used first.
///
/// # Errors
/// When storage fails.
pub async fn sessions_of(app: &App, session: &BrowserSession) -> Result<Vec<BrowserSession>, Error> {
    let now = app.clock.now();
    let mut found = app.store.browser_sessions_of(&session.email).await?;
    found.retain(|found| !found.is_expired(now));
    Ok(found)
}

/// Ends all sessions of a signed-in person.
///
/// # Errors
/// When storage fails.
pub async fn close_all_sessions(app: &App, session: &BrowserSession) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.browser_sessions().delete_of(&session.email).await?;
    Ok(tx.commit().await?)
}

/// Ends the session of a token. An unknown token changes nothing.
///
/// # Errors
/// When storage fails.
pub async fn close_session(app: &App, token: &str) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.browser_sessions().delete(&BrowserSession::hash(token)).await?;
    Ok(tx.commit().await?)
}
