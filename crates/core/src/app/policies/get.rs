//! Lookup of a policy.

use super::{PolicyName, find};
use crate::app::App;
use crate::model::Policy;
use crate::model::permissions::PolicyRead;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns the policy of a scope or a key.
///
/// # Errors
/// [`Error::NotFound`] for the scope, or without a policy of its own; [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &AuthorizedCaller<PolicyRead>, name: PolicyName) -> Result<Policy, Error> {
    let level = find(app, caller, name).await?.level;
    let found = app.store.policy(caller.organization.organization_id, &level).await?;
    found.ok_or_else(|| Error::not_found(Resource::Policy, level.kind()))
}
