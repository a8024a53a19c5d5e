//! Live feed channel: reads the feed of one organization once for all its subscribers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::{events_of, head, stretch};
use inboxd_core::model::OrganizationId;
use inboxd_core::model::feed::{FeedPosition, FeedSelection};
use inboxd_core::ports::{FeedPage, Placed};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, broadcast, watch};

use super::item::FeedItem;
use super::keys::FeedKeys;
use super::pending::{PendingEvents, PendingRange};
use super::recent::RecentItems;
use crate::metrics::FeedMetrics;

/// Number of events after which a lagging receiver has to read from the table.
const CHANNEL_CAPACITY: usize = 64;
/// Number of events per read. It is small because each event may have the maximum size.
const READ_BATCH: u8 = 16;
/// Number of subscribers of one organization that read the table at the same time.
const MAX_CATCH_UPS: usize = 4;
/// Memory in KiB of the large events on their way to the subscribers of one organization. Further subscribers wait, at most
/// until a subscriber that does not read is closed.
const MAX_EVENT_KIB: u16 = 60 * 1024;
/// Size up to which events need no reservation: the buffers of a connection already hold as many bytes.
const FREE_BYTES: usize = 64 * 1024;
/// Delay before a failed read is repeated.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Returns whether events of this size need a reservation.
pub(super) fn is_large(bytes: usize) -> bool {
    bytes > FREE_BYTES
}

/// Events of one organization for the subscribers that are connected to this process.
pub(crate) struct FeedChannel {
    pub(crate) organization_id: OrganizationId,
    pub(super) keys: FeedKeys,
    items: broadcast::Sender<Arc<FeedItem>>,
    /// Position up to which all events were sent; `None` until the first read.
    place: watch::Sender<Option<FeedPosition>>,
    bell: Notify,
    handed: PendingEvents,
    /// Whether the table needs a read, because events may exist that are not pending.
    look: AtomicBool,
    /// Whether the keys of the subscribers need a recheck even without a new event.
    recheck: AtomicBool,
    closed: AtomicBool,
    /// Permits for subscribers that catch up, so that one organization leaves database connections to others.
    pub(super) catching_up: Semaphore,
    /// Free memory of large events, in KiB.
    event_memory: Arc<Semaphore>,
}

impl FeedChannel {
    pub(super) fn new(organization_id: OrganizationId) -> Self {
        Self {
            organization_id,
            keys: FeedKeys::default(),
            items: broadcast::Sender::new(CHANNEL_CAPACITY),
            place: watch::Sender::new(None),
            bell: Notify::new(),
            handed: PendingEvents::default(),
            look: AtomicBool::new(false),
            recheck: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            catching_up: Semaphore::new(MAX_CATCH_UPS),
            event_memory: Arc::new(Semaphore::new(usize::from(MAX_EVENT_KIB))),
        }
    }

    /// Reserves memory for events until the permit is dropped. Small events need none.
    pub(super) async fn reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        if !is_large(bytes) {
            return None;
        }
        let most = u32::from(MAX_EVENT_KIB);
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(most).min(most);
        // This cannot fail, because the semaphore is never closed.
        Arc::clone(&self.event_memory).acquire_many_owned(kib).await.ok()
    }

    /// Requests a read of the table, and with `recheck` also a recheck of the keys.
    pub(super) fn ring(&self, recheck: bool) {
        if recheck {
            self.recheck.store(true, Ordering::Release);
        }
        self.look.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// Requests a read of the table and a recheck of the keys in the next pass.
    fn look_again(&self) {
        self.recheck.store(true, Ordering::Release);
        self.look.store(true, Ordering::Release);
    }

    /// Adds events that were sequenced in this process.
    pub(super) fn hand(&self, placed: &[Placed]) {
        self.handed.add(placed);
        self.bell.notify_one();
    }

    /// Stops the read loop of the channel.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    pub(super) fn place(&self) -> Option<FeedPosition> {
        *self.place.borrow()
    }

    /// Returns a receiver of all events sent from now on.
    ///
    /// Events sent before lie at or below a position that the caller reads afterwards. The follower skips an event that
    /// arrives both from the table and from the receiver.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<Arc<FeedItem>> {
        self.items.subscribe()
    }

    /// Returns a receiver of all events sent from now on and the position after which it receives every event.
    pub(crate) async fn listen(&self) -> (broadcast::Receiver<Arc<FeedItem>>, FeedPosition) {
        let items = self.subscribe();
        let mut places = self.place.subscribe();
        let place = places.wait_for(Option::is_some).await.ok().and_then(|place| *place);
        (items, place.unwrap_or(FeedPosition::START))
    }
}

/// Reads the feed of a channel until the channel is closed.
pub(super) async fn pump(app: App, channel: Arc<FeedChannel>, metrics: FeedMetrics) {
    let mut recent = RecentItems::default();
    while !channel.closed.load(Ordering::Acquire) {
        let Err(error) = read(&app, &channel, &mut recent, &metrics).await else {
            channel.bell.notified().await;
            continue;
        };
        tracing::warn!(%error, "feed read failed");
        tokio::select! {
            () = channel.bell.notified() => {}
            () = tokio::time::sleep(RETRY_DELAY) => {}
        }
    }
}

/// Sends all new events of the feed.
///
/// The keys are rechecked before each batch: a caller that lost a permission before an event must not receive it.
async fn read(app: &App, channel: &FeedChannel, recent: &mut RecentItems, metrics: &FeedMetrics) -> Result<(), Error> {
    let Some(mut place) = channel.place() else {
        channel.place.send_replace(Some(head(app, channel.organization_id).await?));
        return Ok(());
    };
    loop {
        let page = match channel.handed.behind(place, READ_BATCH.into()) {
            PendingRange::These(placed) => handed(app, channel, &placed).await,
            PendingRange::Nothing if !channel.look.swap(false, Ordering::AcqRel) => return Ok(()),
            PendingRange::Others | PendingRange::Nothing => read_table(app, channel, place).await,
        };
        // The events of a failed batch are no longer pending, so the next pass reads the table.
        let page = page.inspect_err(|_| channel.look_again())?;
        if !page.is_end {
            channel.look.store(true, Ordering::Release);
        }
        for (place, event) in page.events {
            // Publish the position before the event: a subscriber that joins in between reads the event from the table.
            channel.place.send_replace(Some(place));
            metrics.count_event(event.record.event.created_at, app.clock.now());
            let item = Arc::new(FeedItem::new(place, event));
            recent.add(&item);
            // The send fails when no receiver exists, which is harmless.
            let _ = channel.items.send(item);
        }
        place = page.place;
        channel.place.send_replace(Some(place));
    }
}

/// Loads pending events and rechecks the keys.
async fn handed(app: &App, channel: &FeedChannel, placed: &[Placed]) -> Result<FeedPage, Error> {
    let (page, ()) = tokio::try_join!(events_of(app, placed), channel.keys.recheck(app))?;
    Ok(page)
}

/// Reads the next batch after a position from the table.
async fn read_table(app: &App, channel: &FeedChannel, place: FeedPosition) -> Result<FeedPage, Error> {
    let page = stretch(app, channel.organization_id, place, FeedSelection::default(), READ_BATCH.into(), None).await?;
    if !page.events.is_empty() || channel.recheck.swap(false, Ordering::AcqRel) {
        channel.keys.recheck(app).await?;
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use inboxd_core::testing::fixtures::id;

    use super::*;

    #[tokio::test]
    async fn large_events_on_their_way_are_bounded() {
        let channel = FeedChannel::new(id(1));
        assert!(channel.reserve(FREE_BYTES).await.is_none(), "small events need no reservation");
        let reserve = || channel.reserve(1024 * 1024).now_or_never().flatten();
        let mut held: Vec<_> = std::iter::from_fn(reserve).collect();
        assert_eq!(held.len(), usize::from(MAX_EVENT_KIB) / 1024, "the next subscriber waits");
        held.pop();
        assert!(reserve().is_some(), "the memory of an accepted event is free again");
    }
}
