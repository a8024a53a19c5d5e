//! Use cases of legal holds.

mod get;
mod require;
mod update;

pub use get::get;
pub(in crate::app) use require::{require_deletable, require_deletable_inbox, require_removable};
pub use update::{LegalHoldChange, problems_of_change, update};

use super::{App, scope};
use crate::Error;
use crate::model::{LegalHoldScope, Reach};
use crate::rules::authorization::AuthorizedCaller;

/// Returns the scope of a hold that a call names.
async fn scope_of<P>(app: &App, caller: &AuthorizedCaller<P>) -> Result<LegalHoldScope, Error> {
    let inbox_id = match scope::resolve(app, caller).await? {
        Reach::Inbox { inbox_id, .. } => Some(inbox_id),
        _ => None,
    };
    Ok(LegalHoldScope { organization_id: caller.organization.organization_id, inbox_id })
}
