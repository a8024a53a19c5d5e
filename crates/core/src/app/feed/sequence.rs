//! Giving committed events their places in the feed.

use std::collections::BTreeSet;

use crate::Error;
use crate::app::App;
use crate::model::OrganizationId;

/// Gives every committed event of these organizations its place. Answers the organizations whose feed has grown.
///
/// # Errors
/// [`Error::Store`].
pub async fn sequence(app: &App, organizations: &[OrganizationId]) -> Result<Vec<OrganizationId>, Error> {
    let mut grown = BTreeSet::new();
    let mut waiting = organizations.to_vec();
    while !waiting.is_empty() {
        let sequenced = app.store.sequence(&waiting, app.clock.now()).await?;
        grown.extend(sequenced.iter().map(|done| done.organization_id));
        waiting = sequenced.iter().filter(|done| done.is_more).map(|done| done.organization_id).collect();
    }
    Ok(grown.into_iter().collect())
}
