//! Catch-all inbox of a domain, which receives mail for addresses without an inbox.

use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId};
use crate::rules::access;

/// Requires that the catch-all is a live inbox within the caller's reach.
pub(super) async fn require_catch_all(app: &App, caller: &Caller, inbox_id: Option<&InboxId>) -> Result<(), Error> {
    let Some(inbox_id) = inbox_id else { return Ok(()) };
    let refused = || Error::invalid("catch_all_inbox_id", "names no inbox of the organization that this key reaches");
    access::require_inbox(caller, inbox_id).map_err(|_| refused())?;
    match inboxes::find(app, caller, inbox_id).await {
        Ok(_) => Ok(()),
        Err(Error::Store(error)) => Err(error.into()),
        Err(_) => Err(refused()),
    }
}
