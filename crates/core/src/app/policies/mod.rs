//! Policies of sending.

mod change;
mod get;

pub use change::{delete, put};
pub(in crate::app) use change::{hand_down, remove, remove_of_keys};
pub use get::get;

use super::{App, api_keys, scope};
use crate::Error;
use crate::model::{ApiKeyId, Inbox, PolicyLevel, Scope};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;

/// What a policy is named by in a call: the scope of the path, or an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyName {
    /// The organization, pod or inbox of the scope.
    Scope,
    /// An API key.
    ApiKey(ApiKeyId),
}

/// A level with what is locked before a write.
struct Named {
    level: PolicyLevel,
    /// The inbox of an inbox level.
    inbox: Option<Inbox>,
}

/// Returns the level that a call names, after checking that it exists.
async fn find<P>(app: &App, caller: &AuthorizedCaller<P>, name: PolicyName) -> Result<Named, Error> {
    if let PolicyName::ApiKey(api_key_id) = name {
        let key = api_keys::find(app, caller, api_key_id).await?;
        if key.member_id.is_some() {
            return Err(Error::invalid(
                "api_key_id",
                "is the key of a person; policies of the organization, the pod and the inbox bind people",
            ));
        }
        return Ok(Named { level: PolicyLevel::ApiKey(api_key_id), inbox: None });
    }
    Ok(match caller.scope() {
        // Its lists name correspondents of every inbox. A verdict shows the rule that applies to a message.
        Scope::Organization => {
            access::require_organization(caller)?;
            Named { level: PolicyLevel::Organization, inbox: None }
        }
        Scope::Pod(pod_id) => {
            scope::resolve(app, caller).await?;
            Named { level: PolicyLevel::Pod(*pod_id), inbox: None }
        }
        Scope::Inbox(inbox_id) => {
            let inbox = scope::find_inbox(app, caller, inbox_id).await?;
            Named { level: PolicyLevel::Inbox(inbox_id.clone()), inbox: Some(inbox) }
        }
    })
}
