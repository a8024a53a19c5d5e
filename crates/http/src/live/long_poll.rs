//! Requests that wait until something happens.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::model::{Caller, Event};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::item::FeedItem;
use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;

/// Asks until there is an answer, again whenever something happens that may change it; `None` when the time has run out, or
/// the server stops.
///
/// # Errors
/// What the question answers, and the refusal where the caller may ask no longer.
pub(crate) async fn until<T>(
    call: &AuthenticatedRequest,
    patience: Duration,
    may_change: impl Fn(&Event) -> bool,
    mut ask: impl AsyncFnMut(&Caller) -> Result<Option<T>, ApiError>,
) -> Result<Option<T>, ApiError> {
    let AuthenticatedRequest { caller, key_hash, .. } = call;
    if let Some(answer) = ask(caller).await? {
        return Ok(Some(answer));
    }
    if patience.is_zero() {
        return Ok(None);
    }
    let mut out_of_time = pin!(tokio::time::sleep(patience));
    call.rest();
    let seat = call.state().live.enter(caller, *key_hash)?;
    let organization_id = caller.organization.organization_id;
    // Whoever waits has no place among the requests that run, but while it looks.
    let mut look = async |caller: &Caller| {
        let slot = call.state().admission.enter(organization_id).await?;
        let found = ask(caller).await;
        slot.finish();
        found
    };
    let mut stopping = pin!(seat.stopping());
    let mut lost = pin!(seat.lost());
    let mut items = tokio::select! {
        () = &mut out_of_time => return Ok(None),
        () = &mut stopping => return Ok(None),
        (items, _) = seat.channel.listen() => items,
    };
    seat.recheck().await?;
    loop {
        // Listening came first: what happens from here on is heard below.
        if let Some(answer) = look(&seat.key.standing()?).await? {
            return Ok(Some(answer));
        }
        tokio::select! {
            // What it asked about may have gone meanwhile, which is no event.
            () = &mut out_of_time => return look(&seat.key.standing()?).await,
            () = &mut stopping => return Ok(None),
            refusal = &mut lost => return Err(refusal),
            () = heard(&mut items, &may_change) => {}
        }
    }
}

/// Waits for an event that is meant, or for more events than could be heard.
async fn heard(items: &mut Receiver<Arc<FeedItem>>, is_meant: impl Fn(&Event) -> bool) {
    loop {
        match items.recv().await {
            Ok(item) if is_meant(&item.event) => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            // The channel lives as long as the seat.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
