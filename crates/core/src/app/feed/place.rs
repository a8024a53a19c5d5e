//! From where a reader goes on.

use super::sequence;
use crate::app::App;
use crate::model::feed::FeedPlace;
use crate::model::{EventId, OrganizationId};
use crate::{Error, Resource};

/// The place of the event that a reader saw last. A committed event without one gets it first: whoever has seen it in a
/// list can go on from it.
///
/// # Errors
/// [`Error::CursorExpired`] for an event that is older than events are kept, [`Error::NotFound`] for one that the
/// organization has not had.
pub async fn place_of(app: &App, organization_id: OrganizationId, event_id: EventId) -> Result<FeedPlace, Error> {
    let kept_since = app.clock.now() - app.settings.event_retention;
    if event_id.made_at() < kept_since {
        return Err(Error::CursorExpired { event_id, kept_since });
    }
    if let Some(place) = app.store.feed_place(organization_id, event_id).await? {
        return Ok(place);
    }
    sequence(app, &[organization_id]).await?;
    let place = app.store.feed_place(organization_id, event_id).await?;
    place.ok_or_else(|| Error::not_found(Resource::Event, event_id))
}

/// The place of the newest event that is committed now.
///
/// # Errors
/// [`Error::Store`].
pub async fn head(app: &App, organization_id: OrganizationId) -> Result<FeedPlace, Error> {
    sequence(app, &[organization_id]).await?;
    let heads = app.store.feed_heads(&[organization_id]).await?;
    Ok(heads.into_iter().next().map_or(FeedPlace::START, |(_, place)| place))
}
