//! Feed follower: one subscriber with its own position in the feed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_core::Error;
use inboxd_core::app::feed::{Watched, head, place_of, stretch};
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::model::{EventId, InboxId};
use inboxd_core::ports::FeedPage;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::channel::is_large;
use super::hub::Subscriber;
use super::item::{FeedItem, RenderedItem};
use super::keys;
use crate::error::ApiError;

/// Number of events per read while a follower catches up. It is small because each event may have the maximum size.
const CATCH_UP_BATCH: u32 = 16;
/// Size in bytes at which a follower stops buffering events; the event that exceeds it is still buffered.
const MAX_READY_BYTES: usize = 1024 * 1024;
/// Time after which an unread event marks a reader as stalled. A stalled reader that lags is too slow.
const READ_STALL_TIMEOUT: Duration = Duration::from_secs(2);

/// An event to send to a reader.
#[derive(Debug, Clone)]
pub(crate) struct FollowedEvent {
    pub(crate) event_id: EventId,
    /// The inbox of the event.
    pub(crate) inbox_id: Option<InboxId>,
    /// The event as JSON.
    pub(crate) json: Bytes,
}

/// Reason that ends a follower.
#[derive(Debug)]
pub(crate) enum FollowError {
    /// The reader is slower than the feed. It can resume after the last event that it received.
    TooSlow,
    /// The key lost its access, or a read failed.
    Refused(Box<ApiError>),
}

impl From<Error> for FollowError {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error.into()))
    }
}

/// Events that were read from the table.
struct ReadBatch {
    items: VecDeque<Arc<FeedItem>>,
    /// Position after the batch, and whether the feed ends there; `None` if only the first events are kept.
    end: Option<(FeedPosition, bool)>,
    /// Memory of the events and of the one that is written.
    reserved: Option<OwnedSemaphorePermit>,
}

impl ReadBatch {
    /// Returns the events of a page, and their bytes. Later reads fetch those beyond the limit: a reader that does not read
    /// must not occupy much memory.
    fn of(page: FeedPage) -> (Self, usize) {
        let (mut items, mut bytes) = (VecDeque::new(), 0);
        for (place, event) in page.events {
            let item = FeedItem::new(place, event);
            bytes += item.bytes();
            items.push_back(Arc::new(item));
            if bytes > MAX_READY_BYTES {
                break;
            }
        }
        let end = (bytes <= MAX_READY_BYTES).then_some((page.place, page.is_end));
        (Self { items, end, reserved: None }, bytes)
    }
}

/// A reader of the feed. It first catches up from the table and then receives events from the channel.
pub(crate) struct FeedFollower {
    watched: Watched,
    place: FeedPosition,
    /// Buffered events that were not returned yet.
    ready: VecDeque<Arc<FeedItem>>,
    items: broadcast::Receiver<Arc<FeedItem>>,
    /// Position up to which the table must be read before `items` continue without a gap; `None` once that is done.
    catching_up: Option<FeedPosition>,
    /// Time at which the last event was returned, until the reader requests the next.
    sent_at: Option<Instant>,
    /// Running read of the table. It survives when a future that awaits it is dropped.
    reading: Option<BoxFuture<'static, Result<ReadBatch, Error>>>,
    /// Memory of the buffered events and of the last returned one, if they are large.
    reserved: Option<OwnedSemaphorePermit>,
    /// Reservation that waits for memory. It keeps its place in the queue when a future that awaits it is dropped.
    reserving: Option<BoxFuture<'static, Option<OwnedSemaphorePermit>>>,
    /// Whether the reader left an event unread for too long since it last reached the end of the feed.
    has_stalled: bool,
}

impl FeedFollower {
    /// Returns a follower that starts after an event, or at the current end of the feed.
    pub(crate) async fn new(seat: &Subscriber, watched: Watched, after: Option<EventId>) -> Result<Self, Error> {
        let (items, reached) = seat.channel.listen().await;
        let organization_id = seat.channel.organization_id;
        let place = match after {
            Some(event_id) => place_of(seat.app(), organization_id, event_id).await?,
            None => head(seat.app(), organization_id).await?,
        };
        let catching_up = (place < reached).then_some(reached);
        Ok(Self {
            watched,
            place,
            ready: VecDeque::new(),
            items,
            catching_up,
            sent_at: None,
            reading: None,
            reserved: None,
            reserving: None,
            has_stalled: false,
        })
    }

    /// Changes the selection of events; the position stays the same.
    pub(crate) fn watch(&mut self, seat: &Subscriber, watched: Watched) {
        self.watched = watched;
        // Buffered events were selected by the old selection.
        self.look_up(seat);
    }

    /// Returns the next event. This future is cancel safe: no event is lost when it is dropped.
    pub(crate) async fn next(&mut self, seat: &Subscriber) -> Result<FollowedEvent, FollowError> {
        self.has_stalled |= self.sent_at.take().is_some_and(|at| at.elapsed() > READ_STALL_TIMEOUT);
        if self.ready.is_empty() {
            // The reader has accepted the event before.
            self.reserved = None;
        }
        loop {
            if self.reserved.is_none()
                && let Some(item) = self.ready.front().filter(|item| self.watched.holds(&item.event))
            {
                let bytes = item.bytes();
                self.reserve(seat, bytes).await;
            }
            let caller = seat.key.standing().map_err(|error| FollowError::Refused(Box::new(error)))?;
            while let Some(item) = self.ready.pop_front() {
                let rendered =
                    if self.watched.holds(&item.event) { item.render_for(&caller) } else { RenderedItem::Nothing };
                if let RenderedItem::Released = rendered {
                    self.look_up(seat);
                    break;
                }
                self.place = item.place;
                if let RenderedItem::Json(json) = rendered {
                    self.sent_at = Some(Instant::now());
                    let (event_id, inbox_id) = (item.event.event_id, item.event.inbox_id.clone());
                    return Ok(FollowedEvent { event_id, inbox_id, json });
                }
            }
            self.reserved = None;
            match self.catching_up {
                Some(until) => self.catch_up(seat, until).await?,
                None => self.hear(seat).await?,
            }
        }
    }

    /// Reserves the memory of the next event, if it is large.
    async fn reserve(&mut self, seat: &Subscriber, bytes: usize) {
        if is_large(bytes) {
            let reserving = self.reserving.get_or_insert_with(|| {
                let channel = Arc::clone(&seat.channel);
                async move { channel.reserve(bytes).await }.boxed()
            });
            self.reserved = reserving.await;
            self.reserving = None;
        }
    }

    /// Reads the next batch from the table into the buffer.
    async fn catch_up(&mut self, seat: &Subscriber, until: FeedPosition) -> Result<(), FollowError> {
        if self.reading.is_none() {
            self.reading = Some(self.read(seat)?);
        }
        let batch = match &mut self.reading {
            Some(reading) => reading.await,
            None => return Ok(()),
        };
        self.reading = None;
        let ReadBatch { items, end, reserved } = batch?;
        self.ready.extend(items);
        self.reserved = reserved;
        let Some((place, is_end)) = end else { return Ok(()) };
        if self.ready.is_empty() {
            self.place = place;
        }
        if place >= until || is_end {
            self.catching_up = None;
        }
        Ok(())
    }

    /// Starts to read the next batch from the table.
    fn read(&self, seat: &Subscriber) -> Result<BoxFuture<'static, Result<ReadBatch, Error>>, FollowError> {
        let caller = seat.key.standing().map_err(|error| FollowError::Refused(Box::new(error)))?;
        let selection = self.watched.selection(&caller);
        let (app, channel, key) = (seat.app().clone(), Arc::clone(&seat.channel), Arc::clone(&seat.key));
        let place = self.place;
        let reading = async move {
            // `acquire` cannot fail, because the semaphore is never closed.
            let _permit = channel.catching_up.acquire().await;
            let page = stretch(&app, channel.organization_id, place, selection, CATCH_UP_BATCH, Some(&caller)).await?;
            let (batch, bytes) = ReadBatch::of(page);
            // An event is copied when it is written. The permit bounds the batches that wait here.
            let reserved = channel.reserve(bytes.saturating_mul(2)).await;
            // Recheck the key between the read and the send, as the channel does.
            keys::recheck(&app, std::slice::from_ref(&key)).await?;
            Ok(ReadBatch { reserved, ..batch })
        };
        Ok(reading.boxed())
    }

    /// Restarts from the table at the current position, up to the position at which a new receiver begins.
    fn look_up(&mut self, seat: &Subscriber) {
        self.ready.clear();
        (self.reserved, self.reserving, self.reading) = (None, None, None);
        self.items = seat.channel.subscribe();
        self.catching_up = seat.channel.place();
    }

    /// Waits for the next event of the channel.
    async fn hear(&mut self, seat: &Subscriber) -> Result<(), FollowError> {
        let heard = match self.items.try_recv() {
            Ok(item) => Ok(item),
            Err(TryRecvError::Lagged(missed)) => Err(RecvError::Lagged(missed)),
            Err(TryRecvError::Closed) => Err(RecvError::Closed),
            Err(TryRecvError::Empty) => {
                self.has_stalled = false;
                self.items.recv().await
            }
        };
        match heard {
            Ok(item) if item.place > self.place => self.ready.push_back(item),
            // The table already returned this event.
            Ok(_) => {}
            Err(RecvError::Lagged(_)) if self.has_stalled => return Err(FollowError::TooSlow),
            // A burst exceeded the channel capacity.
            Err(RecvError::Lagged(_) | RecvError::Closed) => {
                // No await before this call: the receiver reports a lag only once, and a dropped future would lose it.
                self.look_up(seat);
            }
        }
        Ok(())
    }
}
