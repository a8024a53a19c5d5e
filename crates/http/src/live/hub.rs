//! Live feed hub: one channel for each organization that has subscribers.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::FeedCredential;
use inboxd_core::model::{Caller, OrganizationId};
use inboxd_core::ports::{Sequenced, Signal};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::channel::{FeedChannel, pump};
use super::keys::{self, FeedKey};
use crate::error::ApiError;
use crate::metrics::FeedMetrics;

/// Interval at which the feeds are polled for new events, because signals can be lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of polls after which keys are rechecked without a signal.
const POLLS_PER_RECHECK: u32 = 5;

/// All feed subscribers of this process. Clones share the same hub.
#[derive(Clone)]
pub struct LiveFeed(Arc<FeedHub>);

/// Weak handle that passes sequenced events to the hub. The application may own it without a reference cycle.
pub struct LiveFeedHandle(Weak<FeedHub>);

impl LiveFeedHandle {
    /// Passes sequenced events to the channel of their organization.
    pub fn hand(&self, sequenced: &Sequenced) {
        let Some(hub) = self.0.upgrade() else { return };
        for channel in hub.channels(|organization_id| organization_id == sequenced.organization_id) {
            channel.hand(&sequenced.placed);
        }
    }
}

struct FeedHub {
    app: App,
    /// Runtime of the channels and sends. The runtime of a request does not suit, because it may end earlier.
    home: Option<Handle>,
    /// Maximum number of subscribers of one organization.
    most_seats: usize,
    metrics: FeedMetrics,
    channels: Mutex<HashMap<OrganizationId, OpenChannel>>,
    /// Whether the server is stopping.
    stopping: watch::Sender<bool>,
}

/// A channel and the number of its subscribers.
struct OpenChannel {
    channel: Arc<FeedChannel>,
    seats: usize,
}

/// A subscriber of an organization's feed. Dropping it frees its position.
pub(crate) struct Subscriber {
    hub: Arc<FeedHub>,
    pub(crate) channel: Arc<FeedChannel>,
    pub(crate) key: Arc<FeedKey>,
}

impl LiveFeed {
    /// Returns a hub without subscribers that uses the current runtime for its channels.
    ///
    /// `most_seats` limits the subscribers of one organization, so that it cannot occupy the connections of all others.
    #[must_use]
    pub fn new(app: App, most_seats: usize, metrics: FeedMetrics) -> Self {
        let (stopping, _) = watch::channel(false);
        Self(Arc::new(FeedHub {
            app,
            home: Handle::try_current().ok(),
            most_seats,
            metrics,
            channels: Mutex::default(),
            stopping,
        }))
    }

    /// Returns a weak handle for the sequencer.
    #[must_use]
    pub fn handle(&self) -> LiveFeedHandle {
        LiveFeedHandle(Arc::downgrade(&self.0))
    }

    /// Wakes the channels that a signal concerns.
    pub fn hear(&self, signal: Signal) {
        for channel in self.0.channels(|organization_id| match signal {
            Signal::Feed(grown) => grown == organization_id,
            Signal::Access(changed) => changed == organization_id,
            Signal::Lost => true,
        }) {
            channel.ring(!matches!(signal, Signal::Feed(_)));
        }
    }

    /// Polls the feeds for missed events; never returns.
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
            // The next poll repeats a failed read.
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

    /// Spawns a task on the runtime of the channels.
    ///
    /// The storage connections run on that runtime too. A task with many queries waits less there than on the runtime
    /// of a request, whose thread would wake for each result.
    pub(crate) fn spawn<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        match &self.0.home {
            Some(home) => home.spawn(task),
            None => tokio::spawn(task),
        }
    }

    /// Disconnects all subscribers, because the server stops.
    pub fn close(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Subscribes the holder of a key or session to the feed of the organization.
    ///
    /// # Errors
    /// 429 when the organization or the browser session has the maximum number of subscribers.
    pub(crate) fn enter(&self, caller: &Caller, credential: impl Into<FeedCredential>) -> Result<Subscriber, ApiError> {
        let hub = &self.0;
        let organization_id = caller.organization.organization_id;
        let mut channels = hub.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let open = channels.entry(organization_id).or_insert_with(|| {
            let channel = Arc::new(FeedChannel::new(organization_id));
            let pumping = pump(hub.app.clone(), Arc::clone(&channel), hub.metrics.clone());
            drop(self.spawn(pumping));
            OpenChannel { channel, seats: 0 }
        });
        if open.seats >= hub.most_seats {
            return Err(ApiError::too_many_readers(hub.most_seats));
        }
        let channel = Arc::clone(&open.channel);
        let key = channel.keys.enter(credential.into(), caller)?;
        open.seats += 1;
        hub.metrics.subscribers.inc();
        drop(channels);
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

    /// Rechecks the key. The stored state may be old, because subscribers with the same key share it.
    pub(crate) async fn recheck(&self) -> Result<(), Error> {
        keys::recheck(self.app(), std::slice::from_ref(&self.key)).await
    }

    /// Waits until the key loses its access and returns the reason.
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
        // A dropped sender also means that the server stops.
        let _ = self.hub.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut channels = self.hub.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = channels.get_mut(&self.channel.organization_id) else { return };
        open.seats -= 1;
        self.hub.metrics.subscribers.dec();
        if open.seats == 0 {
            open.channel.close();
            channels.remove(&self.channel.organization_id);
        }
    }
}
