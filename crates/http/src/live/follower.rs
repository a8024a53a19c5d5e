//! One reader, with a place of their own in the feed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_core::Error;
use inboxd_core::app::feed::{Watched, head, place_of, stretch};
use inboxd_core::model::EventId;
use inboxd_core::model::feed::FeedPosition;
use inboxd_core::ports::FeedPage;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::hub::Subscriber;
use super::item::{FeedItem, RenderedItem};
use super::keys;
use crate::error::ApiError;

/// How many events are read at a time while a reader catches up: each may be as large as an event can be.
const CATCH_UP_BATCH: u32 = 16;
/// How many octets of events are kept for a reader who catches up, beside the event that exceeds it.
const MAX_READY_BYTES: usize = 1024 * 1024;
/// How long a reader may leave what they are sent unread; whoever then has missed more than a channel remembers is slow.
const READ_STALL_TIMEOUT: Duration = Duration::from_secs(2);

/// An event for a reader.
#[derive(Debug, Clone)]
pub(crate) struct FollowedEvent {
    pub(crate) event_id: EventId,
    /// The event, in JSON.
    pub(crate) json: Bytes,
}

/// Why a reader is told nothing more.
#[derive(Debug)]
pub(crate) enum FollowError {
    /// They read more slowly than events happen. They can go on from the last one they have.
    TooSlow,
    /// They may not, or it could not be read.
    Refused(Box<ApiError>),
}

impl From<Error> for FollowError {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error.into()))
    }
}

/// A reader of the feed. First they catch up by reading the table, then they are told what happens as it does.
pub(crate) struct FeedFollower {
    watched: Watched,
    place: FeedPosition,
    /// What was read and not told yet.
    ready: VecDeque<Arc<FeedItem>>,
    items: broadcast::Receiver<Arc<FeedItem>>,
    /// Up to where the table has to be read before `items` go on without a gap; `None` once that is done.
    catching_up: Option<FeedPosition>,
    /// When they were told something and did not ask for more yet.
    sent_at: Option<Instant>,
    /// The stretch of the table that is being read: it goes on where a future that waits for it is dropped.
    reading: Option<BoxFuture<'static, Result<FeedPage, Error>>>,
    /// Whether they have left something unread for too long since they saw the end of the feed.
    has_stalled: bool,
}

impl FeedFollower {
    /// A reader who goes on behind an event, or from now.
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
            has_stalled: false,
        })
    }

    /// Changes what they are told of, without moving them.
    pub(crate) fn watch(&mut self, seat: &Subscriber, watched: Watched) {
        self.watched = watched;
        // What was read and not told yet was chosen by what they wanted before.
        self.look_up(seat);
    }

    /// The next event. Where this future is dropped, nothing is lost.
    pub(crate) async fn next(&mut self, seat: &Subscriber) -> Result<FollowedEvent, FollowError> {
        self.has_stalled |= self.sent_at.take().is_some_and(|at| at.elapsed() > READ_STALL_TIMEOUT);
        loop {
            let caller = seat.key.standing().map_err(|error| FollowError::Refused(Box::new(error)))?;
            while let Some(item) = self.ready.pop_front() {
                let said =
                    if self.watched.holds(&item.event) { item.render_for(&caller) } else { RenderedItem::Nothing };
                if let RenderedItem::Released = said {
                    self.look_up(seat);
                    break;
                }
                self.place = item.place;
                if let RenderedItem::Json(json) = said {
                    self.sent_at = Some(Instant::now());
                    return Ok(FollowedEvent { event_id: item.event.event_id, json });
                }
            }
            match self.catching_up {
                Some(until) => self.catch_up(seat, until).await?,
                None => self.hear(seat).await?,
            }
        }
    }

    /// Reads a stretch of the table.
    async fn catch_up(&mut self, seat: &Subscriber, until: FeedPosition) -> Result<(), FollowError> {
        if self.reading.is_none() {
            self.reading = Some(self.read(seat)?);
        }
        let page = match &mut self.reading {
            Some(reading) => reading.await,
            None => return Ok(()),
        };
        self.reading = None;
        let page = page?;
        let mut bytes = 0;
        for (place, event) in page.events {
            let item = FeedItem::new(place, event);
            bytes += item.bytes();
            self.ready.push_back(Arc::new(item));
            if bytes > MAX_READY_BYTES {
                // The rest is read again when it is asked for: nobody holds much in memory for a reader who does not read.
                return Ok(());
            }
        }
        if self.ready.is_empty() {
            self.place = page.place;
        }
        if page.place >= until || page.is_end {
            self.catching_up = None;
        }
        Ok(())
    }

    /// Begins to read a stretch of the table.
    fn read(&self, seat: &Subscriber) -> Result<BoxFuture<'static, Result<FeedPage, Error>>, FollowError> {
        let caller = seat.key.standing().map_err(|error| FollowError::Refused(Box::new(error)))?;
        let selection = self.watched.selection(&caller);
        let (app, channel, key) = (seat.app().clone(), Arc::clone(&seat.channel), Arc::clone(&seat.key));
        let place = self.place;
        let reading = async move {
            // The semaphore is never closed.
            let _permit = channel.catching_up.acquire().await;
            let page = stretch(&app, channel.organization_id, place, selection, CATCH_UP_BATCH, Some(&caller)).await?;
            // Between reading and telling, as the channel does.
            keys::recheck(&app, std::slice::from_ref(&key)).await?;
            Ok(page)
        };
        Ok(reading.boxed())
    }

    /// Has the table read from their place on, up to where what they hear from now on begins.
    fn look_up(&mut self, seat: &Subscriber) {
        self.ready.clear();
        self.reading = None;
        self.items = seat.channel.subscribe();
        self.catching_up = seat.channel.place();
    }

    /// Waits for what happens.
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
            // It was read from the table before.
            Ok(_) => {}
            Err(RecvError::Lagged(_)) if self.has_stalled => return Err(FollowError::TooSlow),
            // More happened at once than there is room for.
            Err(RecvError::Lagged(_) | RecvError::Closed) => {
                // At once: that they lag is said a single time, and would be forgotten with this future.
                self.look_up(seat);
            }
        }
        Ok(())
    }
}
