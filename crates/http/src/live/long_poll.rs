//! Long polling: requests that wait for an event.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::feed::FeedCredential;
use inboxd_core::model::{Caller, Event};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::item::FeedItem;
use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::state::State;

/// Caller of a request that waits.
pub(crate) struct WaitingCaller<'a, R> {
    pub(crate) state: &'a State,
    pub(crate) caller: &'a Caller,
    /// Proof of the caller, which is rechecked during the wait.
    pub(crate) credential: FeedCredential,
    /// Frees the admission slot of the request.
    pub(crate) rest: R,
}

/// Returns the caller of a request with a key.
pub(crate) fn waiting_caller(call: &AuthenticatedRequest) -> WaitingCaller<'_, impl FnOnce()> {
    let AuthenticatedRequest { caller, key_hash, .. } = call;
    WaitingCaller { state: call.state(), caller, credential: (*key_hash).into(), rest: || call.rest() }
}

/// Runs a query of a request as [`wait`] does.
///
/// # Errors
/// As [`wait`].
pub(crate) async fn until<T, Query: Future<Output = Result<Option<T>, ApiError>>>(
    call: &AuthenticatedRequest,
    patience: Duration,
    may_change: impl Fn(&Event) -> bool,
    ask: impl FnMut(Caller) -> Query,
) -> Result<Option<T>, ApiError> {
    wait(waiting_caller(call), patience, may_change, ask).await
}

/// Runs a query until it returns a value, again after each event that may change the result.
///
/// Returns `None` when the time expires or the server stops.
///
/// # Errors
/// The error of the query, and the refusal when the key loses its access.
pub(crate) async fn wait<T, Query: Future<Output = Result<Option<T>, ApiError>>>(
    waiting: WaitingCaller<'_, impl FnOnce()>,
    patience: Duration,
    may_change: impl Fn(&Event) -> bool,
    mut ask: impl FnMut(Caller) -> Query,
) -> Result<Option<T>, ApiError> {
    let WaitingCaller { state, caller, credential, rest } = waiting;
    if let Some(answer) = ask(caller.clone()).await? {
        return Ok(Some(answer));
    }
    if patience.is_zero() {
        return Ok(None);
    }
    let mut out_of_time = pin!(tokio::time::sleep(patience));
    rest();
    let seat = state.live.enter(caller, credential)?;
    let organization_id = caller.organization.organization_id;
    // A waiting request holds an admission slot only while its query runs.
    let mut look = |caller: Caller| {
        let query = ask(caller);
        async move {
            let slot = state.admission.enter(organization_id).await?;
            let found = query.await;
            slot.finish();
            found
        }
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
        // The receiver existed before this query, so the select below sees every later event.
        if let Some(answer) = look(seat.key.standing()?).await? {
            return Ok(Some(answer));
        }
        tokio::select! {
            // The result may have changed without an event, so the query runs once more.
            () = &mut out_of_time => return look(seat.key.standing()?).await,
            () = &mut stopping => return Ok(None),
            refusal = &mut lost => return Err(refusal),
            () = heard(&mut items, &may_change) => {}
        }
    }
}

/// Waits for a relevant event, or until the receiver lags and may have missed one.
async fn heard(items: &mut Receiver<Arc<FeedItem>>, is_meant: impl Fn(&Event) -> bool) {
    loop {
        match items.recv().await {
            Ok(item) if is_meant(&item.event) => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            // The subscriber keeps the channel open, so this case does not occur.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
