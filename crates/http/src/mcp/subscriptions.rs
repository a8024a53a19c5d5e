//! `subscriptions/listen`: notifications about changed inboxes, from the live feed.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;

use inboxd_core::app::feed::{Subscription, watch_all};
use inboxd_core::model::InboxId;
use rmcp::model::{ErrorData, SubscriptionFilter};
use rmcp::service::SubscriptionContext;

use super::request::McpRequest;
use super::resources::{NamedResource, refusal};
use crate::error::ApiError;
use crate::live::{FeedFollower, FollowError, Subscriber};

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

/// Returns the inboxes that URIs name, with all of their URIs: a client gives several for one inbox if it encodes them
/// differently, and knows each by itself.
fn by_inbox<'a>(uris: impl Iterator<Item = &'a String>) -> BTreeMap<InboxId, BTreeSet<String>> {
    let mut inboxes: BTreeMap<InboxId, BTreeSet<String>> = BTreeMap::new();
    for uri in uris {
        if let Some(inbox_id) = inbox_of(uri) {
            inboxes.entry(inbox_id).or_default().insert(uri.clone());
        }
    }
    inboxes
}

/// Notifies a subscriber of each event of its inboxes, until it is gone, its key loses its access or the server stops.
///
/// A subscription without inboxes is a subscription too: it occupies a connection and counts as one.
///
/// # Errors
/// The refusal of an inbox, of one subscription too many, and that of a key that loses its access.
pub(super) async fn listen(context: &SubscriptionContext) -> Result<(), ErrorData> {
    let passed = McpRequest::of(&context.request_context().extensions)?;
    let listened = async {
        let seat = passed.state().live.enter(passed.caller(), passed.key_hash())?;
        tokio::select! {
            ended = follow(context, &passed, &seat) => ended,
            refusal = seat.lost() => Err(refusal),
            () = seat.stopping() => Ok(()),
            () = context.cancelled() => Ok(()),
        }
    };
    listened.await.map_err(|error: ApiError| refusal(&error, &passed.state().base_url))
}

/// Notifies a subscriber of each event of its inboxes.
async fn follow(context: &SubscriptionContext, passed: &McpRequest, seat: &Subscriber) -> Result<(), ApiError> {
    let inboxes = by_inbox(context.accepted().resource_subscriptions.iter().flatten());
    if inboxes.is_empty() {
        passed.rest();
        return pending().await;
    }
    let (state, caller) = (passed.state(), passed.caller());
    let subscription = Subscription { inbox_ids: inboxes.keys().cloned().collect(), ..Subscription::default() };
    let slot = state.admission.enter(caller.organization.organization_id).await?;
    let watched = watch_all(&state.app, caller, &subscription).await;
    slot.finish();
    let watched = watched.map_err(|error| ApiError::with_fix(error, caller))?;
    let mut follower = FeedFollower::new(seat, watched, None).await?;
    passed.rest();
    loop {
        let event = match follower.next(seat).await {
            Ok(event) => event,
            // The client subscribes again and reads the inbox.
            Err(FollowError::TooSlow) => return Ok(()),
            Err(FollowError::Refused(error)) => return Err(*error),
        };
        let uris = event.inbox_id.and_then(|inbox_id| inboxes.get(&inbox_id));
        for uri in uris.into_iter().flatten() {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscription_beyond_its_bound_follows_the_first_inboxes() {
        let uri = |number: usize| format!("inboxd://inboxes/a{number}%40example.org");
        let uris = |count: usize| (0..count).map(uri).collect::<Vec<_>>();
        let requested = SubscriptionFilter::builder().resource_subscriptions(uris(MAX_SUBSCRIBED_INBOXES + 1)).build();
        assert_eq!(accepted(&requested).resource_subscriptions, Some(uris(MAX_SUBSCRIBED_INBOXES)));
    }

    #[test]
    fn inbox_retains_every_uri_that_names_it() {
        let uris = ["a%40example.org", "a@example.org", "b%40example.org", "a@example.org"];
        let uris = uris.map(|id| format!("inboxd://inboxes/{id}"));
        let found: Vec<Vec<String>> =
            by_inbox(uris.iter()).into_values().map(|uris| uris.into_iter().collect()).collect();
        assert_eq!(found, [&uris[..2], &uris[2..3]]);
    }
}
