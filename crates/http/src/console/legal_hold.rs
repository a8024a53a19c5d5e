//! Legal holds on the pages of settings.

use inboxd_core::app::legal_holds::{self, LegalHoldChange};
use inboxd_core::model::permissions::{LegalHoldRead, LegalHoldUpdate};
use inboxd_core::model::{Actor, Permission, Scope};

use super::call::ConsoleCall;
use super::text::shown;
use super::time::Moment;
use crate::error::ApiError;

/// Longest reason on a page, in characters.
const REASON_CHARS: usize = 300;

/// Section of a legal hold, for people who may see it.
pub(super) struct HoldPanel {
    /// Path of its form.
    pub(super) action: String,
    /// What it covers.
    pub(super) covers: &'static str,
    pub(super) held: Option<Held>,
}

/// A hold in force.
pub(super) struct Held {
    pub(super) reason: String,
    pub(super) by: String,
    pub(super) since: Moment,
}

/// Returns the section of a scope; `None` for a person who may not see holds.
pub(super) async fn panel(
    call: &ConsoleCall,
    scope: Scope,
    action: String,
    covers: &'static str,
) -> Result<Option<HoldPanel>, ApiError> {
    if !call.may(Permission::LegalHoldRead) {
        return Ok(None);
    }
    let caller = call.authorize::<LegalHoldRead>(scope)?;
    let in_force = call.with_fix(legal_holds::get(call.app(), &caller).await)?;
    let held = in_force.map(|hold| {
        let (Actor::Member { email: by, .. } | Actor::ApiKey { name: by, .. }) = &hold.placed_by;
        Held { reason: shown(&hold.reason, REASON_CHARS), by: shown(by, REASON_CHARS), since: Moment(hold.placed_at) }
    });
    Ok(Some(HoldPanel { action, covers, held }))
}

/// Places or ends the hold of a scope.
pub(super) async fn change(call: &ConsoleCall, scope: Scope) -> Result<(), ApiError> {
    let caller = call.authorize::<LegalHoldUpdate>(scope)?;
    let reason = call.form.one("reason").unwrap_or_default().to_owned();
    let change = LegalHoldChange { enabled: call.form.one("hold") != Some("off"), reason };
    call.with_fix(legal_holds::update(call.app(), &caller, change).await)?;
    Ok(())
}
