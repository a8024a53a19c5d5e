//! The feed of one organization, read once for everybody who waits in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::{events_of, head, stretch};
use inboxd_core::model::OrganizationId;
use inboxd_core::model::feed::{FeedPosition, FeedSelection};
use inboxd_core::ports::{FeedPage, Placed};
use tokio::sync::{Notify, Semaphore, broadcast, watch};

use super::item::FeedItem;
use super::keys::FeedKeys;
use super::pending::{PendingEvents, PendingRange};
use super::recent::RecentItems;

/// How many events a reader may be behind the newest before they have to read on from the table.
const CHANNEL_CAPACITY: usize = 64;
/// How many events are read at a time: each may be as large as an event can be.
const READ_BATCH: u8 = 16;
/// How many readers of one organization read the table at a time.
const MAX_CATCH_UPS: usize = 4;
/// How long it takes until reading is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// What happens in one organization, for those who wait in it.
pub(crate) struct FeedChannel {
    pub(crate) organization_id: OrganizationId,
    pub(super) keys: FeedKeys,
    items: broadcast::Sender<Arc<FeedItem>>,
    /// Up to where everything was sent; `None` until reading has begun.
    place: watch::Sender<Option<FeedPosition>>,
    bell: Notify,
    handed: PendingEvents,
    /// Whether it is to be looked for what was not handed over.
    look: AtomicBool,
    /// Whether the waiting are to be looked up even if nothing has happened.
    recheck: AtomicBool,
    closed: AtomicBool,
    /// The readers that catch up at a time: those of one organization leave connections to others.
    pub(super) catching_up: Semaphore,
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
        }
    }

    /// Has it look for news, and at the waiting too.
    pub(super) fn ring(&self, recheck: bool) {
        if recheck {
            self.recheck.store(true, Ordering::Release);
        }
        self.look.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    /// Has it look once more, when it does so next.
    fn look_again(&self) {
        self.recheck.store(true, Ordering::Release);
        self.look.store(true, Ordering::Release);
    }

    /// Hands over what got its place.
    pub(super) fn hand(&self, placed: &[Placed]) {
        self.handed.add(placed);
        self.bell.notify_one();
    }

    /// Ends it: nobody waits here any more.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.bell.notify_one();
    }

    pub(super) fn place(&self) -> Option<FeedPosition> {
        *self.place.borrow()
    }

    /// What is sent from now on. All that was sent before stands up to the place that is read after this; what is sent in
    /// between comes twice, and is passed over.
    pub(super) fn subscribe(&self) -> broadcast::Receiver<Arc<FeedItem>> {
        self.items.subscribe()
    }

    /// What is sent from now on, and the place behind which all of it will be.
    pub(crate) async fn listen(&self) -> (broadcast::Receiver<Arc<FeedItem>>, FeedPosition) {
        let items = self.subscribe();
        let mut places = self.place.subscribe();
        let place = places.wait_for(Option::is_some).await.ok().and_then(|place| *place);
        (items, place.unwrap_or(FeedPosition::START))
    }
}

/// Reads the feed of a channel until nobody waits there.
pub(super) async fn pump(app: App, channel: Arc<FeedChannel>) {
    let mut recent = RecentItems::default();
    while !channel.closed.load(Ordering::Acquire) {
        let Err(error) = read(&app, &channel, &mut recent).await else {
            channel.bell.notified().await;
            continue;
        };
        tracing::warn!(%error, "the feed could not be read for those who wait; it is tried again");
        tokio::select! {
            () = channel.bell.notified() => {}
            () = tokio::time::sleep(RETRY_DELAY) => {}
        }
    }
}

/// Tells up to the end. The waiting are looked up before they are told anything: whoever lost a right before an event
/// happened is not told of it.
async fn read(app: &App, channel: &FeedChannel, recent: &mut RecentItems) -> Result<(), Error> {
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
        // What was handed over is not found there again.
        let page = page.inspect_err(|_| channel.look_again())?;
        if !page.is_end {
            channel.look.store(true, Ordering::Release);
        }
        for (place, event) in page.events {
            // The place first: whoever begins to listen in between finds the event in the table, if not here.
            channel.place.send_replace(Some(place));
            let item = Arc::new(FeedItem::new(place, event));
            recent.add(&item);
            // Nobody may be listening just now.
            let _ = channel.items.send(item);
        }
        place = page.place;
        channel.place.send_replace(Some(place));
    }
}

/// What was handed over.
async fn handed(app: &App, channel: &FeedChannel, placed: &[Placed]) -> Result<FeedPage, Error> {
    let (page, ()) = tokio::try_join!(events_of(app, placed), channel.keys.recheck(app))?;
    Ok(page)
}

/// What stands behind a place in the table.
async fn read_table(app: &App, channel: &FeedChannel, place: FeedPosition) -> Result<FeedPage, Error> {
    let page = stretch(app, channel.organization_id, place, FeedSelection::default(), READ_BATCH.into(), None).await?;
    if !page.events.is_empty() || channel.recheck.swap(false, Ordering::AcqRel) {
        channel.keys.recheck(app).await?;
    }
    Ok(page)
}
