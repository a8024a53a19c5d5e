//! How many mails are in hand, of which destinations, and how large they are together.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::app::MailRoom;
use inboxd_core::model::{OrganizationId, Outgoing};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::shares::{ShareCounts, ShareGuard};

/// How many mails one process delivers at the same time where all go the same way.
const ONE_WAY: usize = 34;
/// How many where each destination has its own: the silent ones among them must leave room for the others.
const MANY_WAYS: usize = 256;
/// One of so many places is for codes alone: they leave whatever tenants' mail does.
const CODES_PART: usize = 16;
/// One of so many places is the most that codes take: tenants' mail leaves however many codes wait.
const MAX_CODES_PART: usize = 2;
/// How many of the rest one organization has: there is no end of silent destinations under one name.
const PER_ORGANIZATION: u32 = 60;
/// How many of these may have been tried before: silent destinations mostly have.
const AGAIN: usize = 128;
/// How many mails to one destination are in hand at the same time.
const PER_DESTINATION: u32 = 4;
/// Mails of this many octets, and the service's own, wait for no memory: with one at every place they are 64 MiB.
const SMALL: u64 = 256 * 1024;
/// How many octets of larger mails are in memory at the same time, in KiB.
const OCTETS: u32 = 192 * 1024;
/// How many of these are one organization's.
const OCTETS_PER_ORGANIZATION: u32 = 64 * 1024;
/// How many are on their way to one destination: it may be silent. A mail that is larger is alone there.
const OCTETS_PER_DESTINATION: u32 = 40 * 1024;
/// How long a mail waits for its octets to have room. It is short against its lease.
const PATIENCE: Duration = Duration::from_secs(30);

/// The room of this process.
pub(super) struct Room {
    all: Arc<Semaphore>,
    again: Arc<Semaphore>,
    /// For tenants' mail.
    messages: Arc<Semaphore>,
    /// For codes.
    codes: Arc<Semaphore>,
    per_organization: u32,
    held: ShareCounts<OrganizationId>,
    octets: Arc<Semaphore>,
    octets_of: Shares<OrganizationId>,
    octets_to: Shares<String>,
    in_hand: ShareCounts<String>,
    /// Whether mail may leave before it is looked for in the queue: nobody waits there.
    is_open: Mutex<bool>,
}

/// Octets in KiB, of a share for each of those who take any.
type Shares<K> = Mutex<HashMap<K, Arc<Semaphore>>>;

/// Room for the octets of a mail. It is free again when this is dropped.
#[derive(Default)]
pub(super) struct Octets {
    _taken: Vec<OwnedSemaphorePermit>,
}

/// A place in the room. It is free again when this is dropped.
pub(super) struct Place {
    _all: Option<OwnedSemaphorePermit>,
    _again: Option<OwnedSemaphorePermit>,
    /// For a code, or for tenants' mail.
    _kind: Option<OwnedSemaphorePermit>,
    /// For tenants' mail.
    _held: Option<ShareGuard<OrganizationId>>,
    _in_hand: Option<ShareGuard<String>>,
}

impl Room {
    /// An empty room.
    pub(super) fn new(delivers_directly: bool) -> Self {
        // Where all go one way, nobody's mail is in the way of another's for long.
        let (all, again, per_organization) =
            if delivers_directly { (MANY_WAYS, AGAIN, PER_ORGANIZATION) } else { (ONE_WAY, ONE_WAY, u32::MAX) };
        Self {
            all: Arc::new(Semaphore::new(all)),
            again: Arc::new(Semaphore::new(again)),
            messages: Arc::new(Semaphore::new(all - all / CODES_PART)),
            codes: Arc::new(Semaphore::new(all / MAX_CODES_PART)),
            per_organization,
            held: ShareCounts::default(),
            octets: Arc::new(Semaphore::new(OCTETS as usize)),
            octets_of: Mutex::default(),
            octets_to: Mutex::default(),
            in_hand: ShareCounts::default(),
            is_open: Mutex::new(false),
        }
    }

    /// Nobody waits in the queue: what is queued now may leave at once.
    pub(super) fn open(&self) {
        *locked(&self.is_open) = true;
    }

    /// Somebody may wait in the queue, and goes first.
    pub(super) fn shut(&self) {
        *locked(&self.is_open) = false;
    }

    /// Takes a place for a mail that is about to be queued, if it may leave at once. It is small and new.
    pub(super) fn take_at_once(&self, mail: &Outgoing, octets: usize) -> Option<Place> {
        // Nobody else takes a place meanwhile: who claims has shut the room before.
        let is_open = locked(&self.is_open);
        let is_small = u64::try_from(octets).is_ok_and(|octets| octets <= SMALL);
        let is_in_room = self.places() > 0
            && self.kind(mail).available_permits() > 0
            && self.held.count(&mail.organization_id) < self.per_organization
            && self.in_hand.count(&mail.destination) < PER_DESTINATION;
        (*is_open && is_small && is_in_room).then(|| self.take(mail))
    }

    /// How many mails there is room for.
    pub(super) fn places(&self) -> usize {
        self.all.available_permits()
    }

    /// What there is room for.
    pub(super) fn left(&self) -> MailRoom {
        let count = |places: &Semaphore| u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
        MailRoom {
            mails: count(&self.all),
            retries: count(&self.again),
            messages: count(&self.messages),
            codes: count(&self.codes),
            per_organization: self.per_organization,
            held: self.held.list(),
            per_destination: PER_DESTINATION,
            in_hand: self.in_hand.list(),
        }
    }

    /// Takes the place of a mail that was claimed within what was left.
    pub(super) fn take(&self, mail: &Outgoing) -> Place {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        Place {
            _all: take(&self.all),
            _again: (mail.attempts > 1).then(|| take(&self.again)).flatten(),
            _kind: take(self.kind(mail)),
            _held: (!mail.is_code).then(|| self.held.take(mail.organization_id)),
            _in_hand: (!mail.destination.is_empty()).then(|| self.in_hand.take(mail.destination.clone())),
        }
    }

    /// The places of codes, or of tenants' mail.
    fn kind(&self, mail: &Outgoing) -> &Arc<Semaphore> {
        if mail.is_code { &self.codes } else { &self.messages }
    }

    /// Waits until there is room for the octets of a mail; `None` when there was none for long.
    ///
    /// It is taken from the narrowest share to the widest, so that who waits for a destination, or for an organization,
    /// holds up no other.
    pub(super) async fn octets(&self, mail: &Outgoing, size: u64) -> Option<Octets> {
        if size <= SMALL || mail.message.is_none() {
            return Some(Octets::default());
        }
        let kibibytes = u32::try_from(size.div_ceil(1024)).unwrap_or(u32::MAX);
        let mut shares = vec![
            (share(&self.octets_of, &mail.organization_id, OCTETS_PER_ORGANIZATION), OCTETS_PER_ORGANIZATION),
            (Arc::clone(&self.octets), OCTETS),
        ];
        if !mail.destination.is_empty() {
            let at_destination = share(&self.octets_to, &mail.destination, OCTETS_PER_DESTINATION);
            shares.insert(0, (at_destination, OCTETS_PER_DESTINATION));
        }
        let take = async {
            let mut taken = Vec::new();
            for (share, most) in shares {
                taken.push(share.acquire_many_owned(kibibytes.min(most)).await.ok()?);
            }
            Some(Octets { _taken: taken })
        };
        timeout(PATIENCE, take).await.ok()?
    }
}

/// The share of one of many. Those that nobody has taken of, or waits for, are forgotten.
fn share<K: Clone + Eq + Hash>(shares: &Shares<K>, key: &K, most: u32) -> Arc<Semaphore> {
    let mut shares = locked(shares);
    shares.retain(|known, share| known == key || Arc::strong_count(share) > 1);
    Arc::clone(shares.entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(most as usize))))
}

/// The map stays whole even when a holder of the lock has panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Mails that tests begin with.
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a fixture that cannot be made is a broken test")]
pub(super) mod fixtures {
    use inboxd_core::model::outgoing::{RawMail, SentMessage};
    use inboxd_core::model::{InboxId, MessageId, Outgoing, Route};
    use uuid::Uuid;

    /// A message of an organization, to a destination.
    pub(in super::super) fn message(organization: u128, destination: &str) -> Outgoing {
        let now = time::OffsetDateTime::UNIX_EPOCH;
        Outgoing {
            outgoing_id: Uuid::from_u128(organization).into(),
            organization_id: Uuid::from_u128(organization).into(),
            message: Some(SentMessage {
                pod_id: Uuid::nil().into(),
                inbox_id: InboxId::stored("scout@agents.example".to_owned()),
                thread_id: Uuid::nil().into(),
                message_id: MessageId::stored("<1@agents.example>".to_owned()),
            }),
            route: Route::Remote,
            destination: destination.to_owned(),
            envelope_from: "scout@agents.example".parse().unwrap(),
            recipients: Vec::new(),
            raw: RawMail::OfMessage,
            attempts: 1,
            claim_id: None,
            is_delay_told: false,
            is_code: false,
            created_at: now,
            due_at: now,
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use futures_util::FutureExt as _;
    use inboxd_core::model::RawMail;

    use super::fixtures::message;
    use super::*;

    const LARGE: u64 = 40 * 1024 * 1024;

    fn code(destination: &str) -> Outgoing {
        Outgoing { message: None, raw: RawMail::Sealed(Vec::new()), is_code: true, ..message(1, destination) }
    }

    #[tokio::test]
    async fn large_mails_hold_up_neither_small_ones_nor_those_of_others() {
        let room = Room::new(true);
        let one = room.octets(&message(1, "hung.example"), LARGE).await.unwrap();
        // A destination has its share, and so has an organization, whatever waits there.
        assert!(room.octets(&message(2, "hung.example"), LARGE).now_or_never().is_none());
        assert!(room.octets(&message(1, "other.example"), LARGE).now_or_never().is_none());
        let _two = room.octets(&message(2, "other.example"), LARGE).await.unwrap();
        for mail in [message(1, "hung.example"), message(3, "hung.example")] {
            assert!(room.octets(&mail, SMALL).await.is_some());
        }
        drop(one);
        // The share of the destination is what is taken there, by whomever.
        assert!(room.octets(&message(1, "other.example"), 20 * 1024 * 1024).now_or_never().is_none());
        assert!(room.octets(&message(1, "hung.example"), LARGE).await.is_some());
    }

    #[tokio::test]
    async fn a_code_leaves_while_all_memory_is_taken() {
        let room = Room::new(true);
        let mut held = Vec::new();
        for number in 0_u64..4 {
            let mail = message(u128::from(number), &format!("hung{number}.example"));
            held.push(room.octets(&mail, LARGE).await.unwrap());
        }
        assert!(room.octets(&message(9, "out.example"), LARGE).now_or_never().is_none());
        assert!(room.octets(&code("out.example"), LARGE).await.is_some());
        assert!(room.octets(&message(9, "out.example"), SMALL).await.is_some());
        drop(held);
        assert!(room.octets(&message(9, "out.example"), 10 * LARGE).await.is_some(), "one that is too large is alone");
    }

    #[tokio::test]
    async fn mail_leaves_at_once_where_nobody_waits_in_the_queue_and_only_within_its_share() {
        let room = Room::new(true);
        assert!(room.take_at_once(&message(1, "a.example"), 1).is_none(), "nobody has looked into the queue yet");
        room.open();
        let small = usize::try_from(SMALL).unwrap();
        assert!(room.take_at_once(&message(1, "a.example"), small + 1).is_none());
        let at_destination: Vec<Place> =
            (0..10).filter_map(|number| room.take_at_once(&message(number, "a.example"), small)).collect();
        assert_eq!(at_destination.len(), 4);
        let destinations = (0..100).map(|number| format!("{number}.example"));
        let of_organization: Vec<Place> =
            destinations.filter_map(|destination| room.take_at_once(&message(99, &destination), 1)).collect();
        assert_eq!(of_organization.len(), 60);
        room.shut();
        assert!(room.take_at_once(&message(7, "b.example"), 1).is_none(), "who waits in the queue goes first");
        drop((at_destination, of_organization));
        assert_eq!(room.places(), MANY_WAYS);
    }

    #[tokio::test]
    async fn no_more_leaves_at_once_than_there_are_places() {
        let room = Room::new(false);
        room.open();
        let taken: Vec<Place> = (0..100).filter_map(|_| room.take_at_once(&message(1, ""), 1)).collect();
        let codes = ONE_WAY / CODES_PART;
        assert_eq!((taken.len(), room.places()), (ONE_WAY - codes, codes));
    }

    #[tokio::test]
    async fn what_is_in_hand_is_counted_by_organization_and_some_places_are_our_own() {
        let room = Room::new(true);
        let places =
            [room.take(&message(1, "a.example")), room.take(&message(1, "b.example")), room.take(&code("a.example"))];
        let left = room.left();
        assert_eq!((left.mails, left.messages, left.per_organization), (253, 238, 60));
        assert_eq!(left.held, [(message(1, "").organization_id, 2)]);
        drop(places);
        let left = room.left();
        assert_eq!((left.mails, left.messages, left.held, left.in_hand), (256, 240, Vec::new(), Vec::new()));
        assert!(4 * left.per_organization <= left.messages, "no organization has more than a quarter");
    }

    #[tokio::test]
    async fn codes_take_no_more_than_half_of_the_places() {
        for delivers_directly in [false, true] {
            let room = Room::new(delivers_directly);
            let all = room.places();
            let left = room.left();
            assert!(left.messages < left.mails, "some places are for codes alone");
            let codes: Vec<Place> = (0..left.codes).map(|_| room.take(&code(""))).collect();
            let left = room.left();
            assert_eq!((left.codes, left.mails), (0, u32::try_from(all.div_ceil(2)).unwrap()));
            drop(codes);
            assert_eq!(room.places(), all);
        }
    }
}
