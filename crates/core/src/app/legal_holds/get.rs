//! Lookup of a legal hold.

use super::scope_of;
use crate::Error;
use crate::app::App;
use crate::model::LegalHold;
use crate::model::permissions::LegalHoldRead;
use crate::rules::authorization::AuthorizedCaller;

/// Returns the hold of the scope of the call. One of the organization covers its inboxes without being theirs.
///
/// # Errors
/// [`Error::NotFound`] for the inbox.
pub async fn get(app: &App, caller: &AuthorizedCaller<LegalHoldRead>) -> Result<Option<LegalHold>, Error> {
    Ok(app.store.legal_hold(&scope_of(app, caller).await?).await?)
}
