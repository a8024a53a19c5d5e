//! The feed: every committed event has one position in a constant order, and no event appears before a cursor.

mod places;
mod readers;
mod signals;

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::feed::{FeedPosition, FeedSelection, ScopeFilter};
use inboxd_core::model::{Event, EventBody, EventId, EventType, HidingLabels, NewMail, OrganizationId, UsageChange};
use inboxd_core::ports::{
    CommitWatch, CommittedChanges, EventKey, FeedPage, FeedQuery, FeedReads, Placed, Sequenced, Signal, Signals, Store,
};
use inboxd_core::rules::trust::Verdict;
use inboxd_postgres::{PgStore, connect};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::consume_budget;
use uuid::Uuid;

use crate::support::*;

fn event(world: &World, number: i64) -> Event {
    let recipients = strings(&["a@example.org"]);
    Event {
        event_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
        event_type: EventType::MessageSent,
        organization_id: world.organization_id(),
        pod_id: Some(world.inbox.pod_id),
        inbox_id: Some(world.inbox.inbox_id.clone()),
        thread_id: Some(thread_id(number)),
        message_id: Some(message_id(&number.to_string())),
        body: EventBody::Send { recipients },
        created_at: at(number),
        traceparent: None,
    }
}

async fn append(store: &PgStore, event: Event) {
    let mut tx = store.begin().await.unwrap();
    tx.events().append(&[event]).await.unwrap();
    tx.commit().await.unwrap();
}

/// Appends an event without a position.
async fn append_unplaced(world: &World, event: Event) {
    let mut holder = world.hold_heads().await;
    append(&world.store, event).await;
    holder.batch_execute("COMMIT").await.unwrap();
}

async fn sequence(store: &PgStore, organization_id: OrganizationId) -> usize {
    store.sequence(&[organization_id], at(0)).await.unwrap().len()
}

fn behind(world: &World, after: FeedPosition) -> FeedQuery {
    FeedQuery {
        organization_id: world.organization_id(),
        after,
        selection: FeedSelection::default(),
        limit: 100,
        most: 1000,
        with_mail: false,
        readable: HidingLabels::NONE,
        largest_body: 1000,
    }
}

fn ids(page: &FeedPage) -> Vec<u128> {
    page.events.iter().map(|(_, event)| event.record.event.event_id.0.as_u128()).collect()
}

/// Creates a mail that only yields an event.
fn with(event: Event) -> NewMail {
    NewMail { events: vec![event], ..NewMail::default() }
}
