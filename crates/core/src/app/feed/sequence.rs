//! Assignment of feed positions to committed events.

use crate::Error;
use crate::app::App;
use crate::model::OrganizationId;

/// Assigns positions to all committed events of these organizations, and wakes the subscribers of this process.
///
/// # Errors
/// [`Error::Store`].
pub async fn sequence(app: &App, organizations: &[OrganizationId]) -> Result<(), Error> {
    let mut waiting = organizations.to_vec();
    while !waiting.is_empty() {
        let sequenced = app.store.sequence(&waiting, app.clock.now()).await?;
        waiting = sequenced.iter().filter(|done| done.is_more).map(|done| done.organization_id).collect();
        for done in sequenced.into_iter().filter(|done| !done.placed.is_empty()) {
            app.wake.placed(done);
        }
    }
    Ok(())
}
