//! Giving committed events their places in the feed.

use crate::Error;
use crate::app::App;
use crate::model::OrganizationId;

/// Gives every committed event of these organizations its place, and hands what got one to those who wait for it here.
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
