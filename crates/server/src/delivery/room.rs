//! How many mails are in hand, of which destinations, and how large they are together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::app::MailRoom;
use inboxd_core::model::Outgoing;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How many mails one process delivers at the same time where all go the same way.
const ONE_WAY: usize = 32;
/// How many where each destination has its own: the silent ones among them must leave room for the others.
const MANY_WAYS: usize = 256;
/// How many of these may have been tried before: silent destinations mostly have.
const AGAIN: usize = 128;
/// How many mails to one destination are in hand at the same time.
const PER_DESTINATION: u32 = 4;
/// How many octets of mails are in memory at the same time, in KiB. A mail that is larger is alone.
const OCTETS: u32 = 256 * 1024;
/// How long a mail waits for its octets to have room. It is short against its lease.
const PATIENCE: Duration = Duration::from_mins(2);

/// The room of this process.
pub(super) struct Room {
    all: Arc<Semaphore>,
    again: Arc<Semaphore>,
    octets: Arc<Semaphore>,
    in_hand: InHand,
}

type InHand = Arc<Mutex<HashMap<String, u32>>>;

/// A place in the room. It is free again when this is dropped.
pub(super) struct Place {
    _all: Option<OwnedSemaphorePermit>,
    _again: Option<OwnedSemaphorePermit>,
    destination: String,
    in_hand: InHand,
}

impl Room {
    /// An empty room.
    pub(super) fn new(delivers_directly: bool) -> Self {
        let (all, again) = if delivers_directly { (MANY_WAYS, AGAIN) } else { (ONE_WAY, ONE_WAY) };
        Self {
            all: Arc::new(Semaphore::new(all)),
            again: Arc::new(Semaphore::new(again)),
            octets: Arc::new(Semaphore::new(OCTETS as usize)),
            in_hand: InHand::default(),
        }
    }

    /// How many mails there is room for.
    pub(super) fn places(&self) -> usize {
        self.all.available_permits()
    }

    /// What there is room for.
    pub(super) fn left(&self) -> MailRoom {
        let count = |places: &Semaphore| u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
        let in_hand = locked(&self.in_hand).iter().map(|(destination, taken)| (destination.clone(), *taken)).collect();
        MailRoom { mails: count(&self.all), retries: count(&self.again), per_destination: PER_DESTINATION, in_hand }
    }

    /// Takes the place of a mail that was claimed within what was left.
    pub(super) fn take(&self, mail: &Outgoing) -> Place {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        let destination = mail.destination.clone();
        if !destination.is_empty() {
            *locked(&self.in_hand).entry(destination.clone()).or_default() += 1;
        }
        Place {
            _all: take(&self.all),
            _again: (mail.attempts > 1).then(|| take(&self.again)).flatten(),
            destination,
            in_hand: Arc::clone(&self.in_hand),
        }
    }

    /// Waits until there is room for the octets of a mail; `None` when there was none for long.
    pub(super) async fn octets(&self, size: u64) -> Option<OwnedSemaphorePermit> {
        let kibibytes = u32::try_from(size.div_ceil(1024)).unwrap_or(OCTETS).min(OCTETS);
        timeout(PATIENCE, Arc::clone(&self.octets).acquire_many_owned(kibibytes)).await.ok()?.ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut in_hand = locked(&self.in_hand);
        if let Some(taken) = in_hand.get_mut(&self.destination) {
            *taken = taken.saturating_sub(1);
            if *taken == 0 {
                in_hand.remove(&self.destination);
            }
        }
    }
}

/// The map stays whole even when a holder of the lock has panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
