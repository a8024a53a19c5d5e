//! `subscriptions/listen`: notifications about changed inboxes, from the live feed.

use std::collections::BTreeMap;

use inboxd_core::app::feed::{Subscription, watch_all};
use inboxd_core::model::InboxId;
use rmcp::model::{ErrorData, SubscriptionFilter};
use rmcp::service::SubscriptionContext;

use super::request::McpRequest;
use super::resources::{NamedResource, refusal};
use crate::error::ApiError;
use crate::live::{FeedFollower, FollowError};

/// Maximum number of inboxes of one subscription.
const MAX_SUBSCRIBED_INBOXES: usize = 100;

/// Returns the part of a requested filter that the server offers: inboxes.
pub(super) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let uris = requested.resource_subscriptions.iter().flatten().filter(|uri| inbox_of(uri).is_some());
    SubscriptionFilter::builder().resource_subscriptions(uris.take(MAX_SUBSCRIBED_INBOXES).cloned()).build()
}

fn inbox_of(uri: &str) -> Option<InboxId> {
    match NamedResource::parse(uri)? {
        NamedResource::Inbox(inbox_id) => Some(inbox_id),
        NamedResource::Message(..) | NamedResource::Raw(..) => None,
    }
}

/// Notifies a subscriber of each event of its inboxes, until it is gone or the server stops.
///
/// # Errors
/// The refusal of an inbox, and that of a key that loses its access.
pub(super) async fn listen(context: &SubscriptionContext) -> Result<(), ErrorData> {
    let passed = McpRequest::of(&context.request_context().extensions)?;
    let uris = context.accepted().resource_subscriptions.iter().flatten();
    let inboxes: BTreeMap<InboxId, String> = uris.filter_map(|uri| Some((inbox_of(uri)?, uri.clone()))).collect();
    if inboxes.is_empty() {
        passed.rest();
        context.cancelled().await;
        return Ok(());
    }
    follow(context, &passed, inboxes).await.map_err(|error| refusal(&error, &passed.state().base_url))
}

async fn follow(
    context: &SubscriptionContext,
    passed: &McpRequest,
    inboxes: BTreeMap<InboxId, String>,
) -> Result<(), ApiError> {
    let (state, caller) = (passed.state(), passed.caller());
    let subscription = Subscription { inbox_ids: inboxes.keys().cloned().collect(), ..Subscription::default() };
    let slot = state.admission.enter(caller.organization.organization_id).await?;
    let watched = watch_all(&state.app, caller, &subscription).await;
    slot.finish();
    let watched = watched.map_err(|error| ApiError::with_fix(error, caller))?;
    let seat = state.live.enter(caller, passed.key_hash())?;
    let mut follower = FeedFollower::new(&seat, watched, None).await?;
    passed.rest();
    loop {
        let event = tokio::select! {
            event = follower.next(&seat) => event,
            refusal = seat.lost() => Err(FollowError::Refused(Box::new(refusal))),
            () = seat.stopping() => return Ok(()),
            () = context.cancelled() => return Ok(()),
        };
        match event {
            Ok(event) => {
                let Some(uri) = event.inbox_id.and_then(|inbox_id| inboxes.get(&inbox_id)) else { continue };
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            // The client subscribes again and reads the inbox.
            Err(FollowError::TooSlow) => return Ok(()),
            Err(FollowError::Refused(error)) => return Err(*error),
        }
    }
}
