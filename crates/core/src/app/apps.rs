//! Apps that inboxes sign in to, and the accounts there. This service has none.

use super::{App, scope};
use crate::Error;
use crate::rules::authorization::AuthorizedCaller;

/// Checks that the pod or inbox of a call exists.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn check_scope<P>(app: &App, caller: &AuthorizedCaller<P>) -> Result<(), Error> {
    scope::resolve(app, caller).await.map(drop)
}
