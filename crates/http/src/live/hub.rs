//! One channel for each organization somebody waits in, for as long as they do.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::model::{Caller, OrganizationId};
use inboxd_core::ports::{Sequenced, Signal};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::channel::{FeedChannel, pump};
use super::keys::{self, FeedKey};
use crate::error::ApiError;

/// How often it is looked whether a feed has grown although nobody said so: signals can be lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many of these looks pass until the waiting are looked up although nobody said that their rights have changed.
const POLLS_PER_RECHECK: u32 = 5;

/// Everybody who waits for events in this process. Clones are one and the same.
#[derive(Clone)]
pub struct LiveFeed(Arc<FeedHub>);

/// What hands events to those who wait, and keeps nobody waiting: the application, which they know, may hold it.
pub struct LiveFeedHandle(Weak<FeedHub>);

impl LiveFeedHandle {
    /// Hands over what got its place.
    pub fn hand(&self, sequenced: &Sequenced) {
        let Some(hub) = self.0.upgrade() else { return };
        for channel in hub.channels(|organization_id| organization_id == sequenced.organization_id) {
            channel.hand(&sequenced.placed);
        }
    }
}

struct FeedHub {
    app: App,
    /// Where channels are read and letters are sent: not the runtime of whichever request came first, which may end before
    /// the others.
    home: Option<Handle>,
    /// The most who wait in one organization at a time.
    most_seats: usize,
    channels: Mutex<HashMap<OrganizationId, OpenChannel>>,
    /// Whether the server is stopping.
    stopping: watch::Sender<bool>,
}

/// A channel, and how many wait in it.
struct OpenChannel {
    channel: Arc<FeedChannel>,
    seats: usize,
}

/// Somebody who waits in an organization; left when it is dropped.
pub(crate) struct Subscriber {
    hub: Arc<FeedHub>,
    pub(crate) channel: Arc<FeedChannel>,
    pub(crate) key: Arc<FeedKey>,
}

impl LiveFeed {
    /// A hall without anybody in it, with so many seats for those who wait in one organization, so that it does not take
    /// the connections of all others. Its channels are read in the runtime that calls this.
    #[must_use]
    pub fn new(app: App, most_seats: usize) -> Self {
        let (stopping, _) = watch::channel(false);
        Self(Arc::new(FeedHub {
            app,
            home: Handle::try_current().ok(),
            most_seats,
            channels: Mutex::default(),
            stopping,
        }))
    }

    /// Hands events to those who wait here, for as long as they do.
    #[must_use]
    pub fn handle(&self) -> LiveFeedHandle {
        LiveFeedHandle(Arc::downgrade(&self.0))
    }

    /// Says that there may be something to tell.
    pub fn hear(&self, signal: Signal) {
        for channel in self.0.channels(|organization_id| match signal {
            Signal::Feed(grown) => grown == organization_id,
            Signal::Access(changed) => changed == organization_id,
            Signal::Lost => true,
        }) {
            channel.ring(!matches!(signal, Signal::Feed(_)));
        }
    }

    /// Looks from time to time whether anything was missed; never ends.
    pub async fn look(&self) {
        let mut looks = 0u32;
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            looks = looks.wrapping_add(1);
            let channels = self.0.channels(|_| true);
            if looks.is_multiple_of(POLLS_PER_RECHECK) {
                for channel in channels {
                    channel.ring(true);
                }
                continue;
            }
            let organizations: Vec<_> = channels.iter().map(|channel| channel.organization_id).collect();
            if organizations.is_empty() {
                continue;
            }
            // What cannot be read now is looked at again in a moment.
            let Ok(heads) = self.0.app.store.feed_heads(&organizations).await else { continue };
            for (organization_id, head) in heads {
                let behind = |channel: &&Arc<FeedChannel>| {
                    channel.organization_id == organization_id && channel.place().is_none_or(|place| place < head)
                };
                for channel in channels.iter().filter(behind) {
                    channel.ring(false);
                }
            }
        }
    }

    /// Runs a task where channels are read. There the connections of storage are at home as well: whoever asks storage
    /// often waits less there than in the runtime of a request, whose thread would be woken for each answer.
    pub(crate) fn spawn<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        match &self.0.home {
            Some(home) => home.spawn(task),
            None => tokio::spawn(task),
        }
    }

    /// Sends everybody away: the server stops.
    pub fn close(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Takes a seat in the caller's organization, for the holder of a key.
    ///
    /// # Errors
    /// When too many wait there already: one organization is not to take the connections of all others.
    pub(crate) fn enter(&self, caller: &Caller, key_hash: [u8; 32]) -> Result<Subscriber, ApiError> {
        let hub = &self.0;
        let organization_id = caller.organization.organization_id;
        let mut channels = hub.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let open = channels.entry(organization_id).or_insert_with(|| {
            let channel = Arc::new(FeedChannel::new(organization_id));
            let pumping = pump(hub.app.clone(), Arc::clone(&channel));
            drop(self.spawn(pumping));
            OpenChannel { channel, seats: 0 }
        });
        if open.seats >= hub.most_seats {
            return Err(ApiError::too_many_readers(hub.most_seats));
        }
        open.seats += 1;
        let channel = Arc::clone(&open.channel);
        drop(channels);
        let key = channel.keys.enter(key_hash, caller);
        Ok(Subscriber { hub: Arc::clone(hub), channel, key })
    }
}

impl FeedHub {
    fn channels(&self, is_meant: impl Fn(OrganizationId) -> bool) -> Vec<Arc<FeedChannel>> {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.iter().filter(|(id, _)| is_meant(**id)).map(|(_, open)| Arc::clone(&open.channel)).collect()
    }
}

impl Subscriber {
    pub(crate) fn app(&self) -> &App {
        &self.hub.app
    }

    /// Looks up who the holder of the key is: others who wait with it may have been looked up a while ago.
    pub(crate) async fn recheck(&self) -> Result<(), Error> {
        keys::recheck(self.app(), std::slice::from_ref(&self.key)).await
    }

    /// Waits until the holder of the key is to be told nothing more, and answers why.
    pub(crate) async fn lost(&self) -> ApiError {
        let expires_at = self.key.standing().ok().and_then(|caller| caller.expires_at);
        let expires = async {
            let Some(at) = expires_at else { return pending().await };
            let left = Duration::try_from(at - self.app().clock.now()).unwrap_or_default();
            tokio::time::sleep(left).await;
            at
        };
        tokio::select! {
            refusal = self.key.lost() => refusal,
            at = expires => Error::ApiKeyExpired { at }.into(),
        }
    }

    /// Waits until the server stops.
    pub(crate) async fn stopping(&self) {
        // A sender that is gone means the same.
        let _ = self.hub.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut channels = self.hub.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = channels.get_mut(&self.channel.organization_id) else { return };
        open.seats -= 1;
        if open.seats == 0 {
            open.channel.close();
            channels.remove(&self.channel.organization_id);
        }
    }
}
