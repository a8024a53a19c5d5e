//! Feed positions at which a reader resumes.

use super::sequence;
use crate::app::App;
use crate::model::feed::FeedPosition;
use crate::model::{EventId, OrganizationId};
use crate::{Error, Resource};

/// Returns the position of the last event that a reader has seen. A committed event without a position receives one
/// first, because a reader may resume from any event of a list.
///
/// # Errors
/// [`Error::CursorExpired`] for an event older than the retention period, [`Error::NotFound`] for an event that the
/// organization does not have.
pub async fn place_of(app: &App, organization_id: OrganizationId, event_id: EventId) -> Result<FeedPosition, Error> {
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

/// Returns the position of the newest committed event.
///
/// # Errors
/// [`Error::Store`].
pub async fn head(app: &App, organization_id: OrganizationId) -> Result<FeedPosition, Error> {
    sequence(app, &[organization_id]).await?;
    let heads = app.store.feed_heads(&[organization_id]).await?;
    Ok(heads.into_iter().next().map_or(FeedPosition::START, |(_, place)| place))
}
