//! Pages of the operator of this server (`INBOXD_OPERATOR_EMAILS`). For everybody else they do not exist.

mod captured;
mod organization;
mod overview;
mod postmaster;

use super::Routes;
use super::call::ConsoleCall;
use super::respond::{get, post};
use crate::error::ApiError;

/// Paths with their methods.
pub(super) fn routes() -> Routes {
    vec![
        ("/console/operator", vec![get(overview::show)]),
        ("/console/operator/captured", vec![get(captured::show)]),
        ("/console/operator/postmaster", vec![get(postmaster::show)]),
        ("/console/operator/postmaster/{mail_id}", vec![get(postmaster::show_mail)]),
        ("/console/operator/organizations/{organization_id}", vec![get(organization::show)]),
        ("/console/operator/organizations/{organization_id}/plan", vec![post(organization::change_plan)]),
        ("/console/operator/organizations/{organization_id}/lift-brake", vec![post(organization::lift_brake)]),
        ("/console/operator/organizations/{organization_id}/suspend", vec![post(organization::suspend)]),
        ("/console/operator/organizations/{organization_id}/resume", vec![post(organization::resume)]),
    ]
}

/// Refuses everybody but operators, in the words of an unknown path.
fn require_operator(call: &ConsoleCall) -> Result<(), ApiError> {
    let request = call.request();
    if call.is_operator() { Ok(()) } else { Err(ApiError::route_not_found(request.method().as_str(), request.path())) }
}
