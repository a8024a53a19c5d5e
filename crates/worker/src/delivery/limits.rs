//! Limits of deliveries in progress: by organization, destination and size.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::app::MailRoom;
use inboxd_core::model::{OrganizationId, QueuedMail};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::shares::{ShareCounts, ShareGuard};

/// Concurrent deliveries of a process that sends all mail to one relay.
const MAX_RELAY_DELIVERIES: usize = 34;
/// Concurrent deliveries of a process that sends to the servers of the recipients. Servers that do not reply must leave
/// permits for the others.
const MAX_DIRECT_DELIVERIES: usize = 256;
/// Divisor of the permits for codes alone: codes leave however much other mail waits.
const CODE_RESERVE_DIVISOR: usize = 16;
/// Divisor of the permits that codes have at most: other mail leaves however many codes wait.
const CODE_LIMIT_DIVISOR: usize = 2;
/// Permits of one organization among the rest, which may name any number of destinations that do not reply.
const MAX_ORGANIZATION_DELIVERIES: u32 = 60;
/// Permits for messages that were tried before: mail to servers that do not reply mostly was.
const RETRY_SLOTS: usize = 128;
/// Concurrent deliveries to one destination.
const MAX_DESTINATION_DELIVERIES: u32 = 4;
/// Bytes of a message that needs no memory permit, like the service's own mail. With one at every permit they are 64 MiB.
const MAX_SMALL_BYTES: u64 = 256 * 1024;
/// KiB of larger messages in memory at the same time.
const MAX_KIB: u32 = 192 * 1024;
/// KiB of these of one organization.
const MAX_ORGANIZATION_KIB: u32 = 64 * 1024;
/// KiB of these for one destination, which may not reply. A larger message is alone there.
const MAX_DESTINATION_KIB: u32 = 40 * 1024;
/// The time that a message waits for memory. It is short against its lease.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(30);

/// The limits of this process.
pub(super) struct DeliveryLimits {
    all: Arc<Semaphore>,
    retries: Arc<Semaphore>,
    /// Permits for the mail of organizations.
    messages: Arc<Semaphore>,
    /// Permits for codes.
    codes: Arc<Semaphore>,
    per_organization: u32,
    held: ShareCounts<OrganizationId>,
    memory: Arc<Semaphore>,
    organization_memory: MemoryShares<OrganizationId>,
    destination_memory: MemoryShares<String>,
    destinations: ShareCounts<String>,
    /// Whether new mail may be dispatched at once: nothing waits in the queue.
    is_open: Mutex<bool>,
}

/// Memory shares in KiB, by owner.
type MemoryShares<K> = Mutex<HashMap<K, Arc<Semaphore>>>;

/// A permit for the bytes of a message. Dropping it frees them.
#[derive(Default)]
pub(super) struct BytePermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

/// A permit for one delivery. Dropping it frees it.
pub(super) struct DeliveryPermit {
    _all: Option<OwnedSemaphorePermit>,
    _retry: Option<OwnedSemaphorePermit>,
    /// Of codes, or of the mail of organizations.
    _kind: Option<OwnedSemaphorePermit>,
    /// Of the mail of organizations.
    _organization: Option<ShareGuard<OrganizationId>>,
    _destination: Option<ShareGuard<String>>,
}

impl DeliveryLimits {
    /// Creates limits with all permits free.
    pub(super) fn new(delivers_directly: bool) -> Self {
        // A relay accepts all mail alike, so no organization stops the others for long.
        let (all, retries, per_organization) = if delivers_directly {
            (MAX_DIRECT_DELIVERIES, RETRY_SLOTS, MAX_ORGANIZATION_DELIVERIES)
        } else {
            (MAX_RELAY_DELIVERIES, MAX_RELAY_DELIVERIES, u32::MAX)
        };
        Self {
            all: Arc::new(Semaphore::new(all)),
            retries: Arc::new(Semaphore::new(retries)),
            messages: Arc::new(Semaphore::new(all - all / CODE_RESERVE_DIVISOR)),
            codes: Arc::new(Semaphore::new(all / CODE_LIMIT_DIVISOR)),
            per_organization,
            held: ShareCounts::default(),
            memory: Arc::new(Semaphore::new(MAX_KIB as usize)),
            organization_memory: Mutex::default(),
            destination_memory: Mutex::default(),
            destinations: ShareCounts::default(),
            is_open: Mutex::new(false),
        }
    }

    /// Allows immediate dispatch: nothing waits in the queue.
    pub(super) fn open(&self) {
        *locked(&self.is_open) = true;
    }

    /// Ends immediate dispatch: messages may wait in the queue, and go first.
    pub(super) fn close(&self) {
        *locked(&self.is_open) = false;
    }

    /// Acquires a permit for a small new message that is about to be queued, where it may be dispatched at once.
    pub(super) fn acquire_immediate(&self, mail: &QueuedMail, bytes: usize) -> Option<DeliveryPermit> {
        // The lock excludes claims, which close the limits first.
        let is_open = locked(&self.is_open);
        let is_small = u64::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_SMALL_BYTES);
        let is_within = self.free() > 0
            && self.kind(mail).available_permits() > 0
            && self.held.count(&mail.organization_id) < self.per_organization
            && self.destinations.count(&mail.destination) < MAX_DESTINATION_DELIVERIES;
        (*is_open && is_small && is_within).then(|| self.acquire(mail))
    }

    /// Returns the number of free permits.
    pub(super) fn free(&self) -> usize {
        self.all.available_permits()
    }

    /// Returns the capacity for a claim.
    pub(super) fn capacity(&self) -> MailRoom {
        let count = |permits: &Semaphore| u32::try_from(permits.available_permits()).unwrap_or(u32::MAX);
        MailRoom {
            mails: count(&self.all),
            retries: count(&self.retries),
            messages: count(&self.messages),
            codes: count(&self.codes),
            per_organization: self.per_organization,
            held: self.held.list(),
            per_destination: MAX_DESTINATION_DELIVERIES,
            in_hand: self.destinations.list(),
        }
    }

    /// Acquires the permit of a message that was claimed within the capacity.
    pub(super) fn acquire(&self, mail: &QueuedMail) -> DeliveryPermit {
        let acquire = |permits: &Arc<Semaphore>| Arc::clone(permits).try_acquire_owned().ok();
        DeliveryPermit {
            _all: acquire(&self.all),
            _retry: (mail.attempts > 1).then(|| acquire(&self.retries)).flatten(),
            _kind: acquire(self.kind(mail)),
            _organization: (!mail.is_code).then(|| self.held.take(mail.organization_id)),
            _destination: (!mail.destination.is_empty()).then(|| self.destinations.take(mail.destination.clone())),
        }
    }

    /// Returns the permits of codes, or of the mail of organizations.
    fn kind(&self, mail: &QueuedMail) -> &Arc<Semaphore> {
        if mail.is_code { &self.codes } else { &self.messages }
    }

    /// Waits for the memory of a message; `None` after the time-out.
    ///
    /// The narrowest share is acquired first, so that a message that waits for a destination or an organization stops no
    /// other.
    pub(super) async fn acquire_bytes(&self, mail: &QueuedMail, size: u64) -> Option<BytePermit> {
        if size <= MAX_SMALL_BYTES || mail.message.is_none() {
            return Some(BytePermit::default());
        }
        let kib = u32::try_from(size.div_ceil(1024)).unwrap_or(u32::MAX);
        let mut shares = vec![
            (share(&self.organization_memory, &mail.organization_id, MAX_ORGANIZATION_KIB), MAX_ORGANIZATION_KIB),
            (Arc::clone(&self.memory), MAX_KIB),
        ];
        if !mail.destination.is_empty() {
            let at_destination = share(&self.destination_memory, &mail.destination, MAX_DESTINATION_KIB);
            shares.insert(0, (at_destination, MAX_DESTINATION_KIB));
        }
        let acquire = async {
            let mut permits = Vec::new();
            for (share, max) in shares {
                permits.push(share.acquire_many_owned(kib.min(max)).await.ok()?);
            }
            Some(BytePermit { _permits: permits })
        };
        timeout(MEMORY_TIMEOUT, acquire).await.ok()?
    }
}

/// Returns the share of an owner, and drops shares without permits in use or waiters.
fn share<K: Clone + Eq + Hash>(shares: &MemoryShares<K>, key: &K, max: u32) -> Arc<Semaphore> {
    let mut shares = locked(shares);
    shares.retain(|known, share| known == key || Arc::strong_count(share) > 1);
    Arc::clone(shares.entry(key.clone()).or_insert_with(|| Arc::new(Semaphore::new(max as usize))))
}

/// Locks a value, which stays whole even when a holder of the lock has panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Messages for tests.
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a fixture that cannot be made is a broken test")]
pub(super) mod fixtures {
    use inboxd_core::model::outgoing::{RawMail, SentMessage};
    use inboxd_core::model::{InboxId, MessageId, QueuedMail, Route};
    use uuid::Uuid;

    /// Returns a message of an organization to a destination.
    pub(in super::super) fn message(organization: u128, destination: &str) -> QueuedMail {
        let now = time::OffsetDateTime::UNIX_EPOCH;
        QueuedMail {
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
            traceparent: None,
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

    fn code(destination: &str) -> QueuedMail {
        QueuedMail { message: None, raw: RawMail::Sealed(Vec::new()), is_code: true, ..message(1, destination) }
    }

    #[tokio::test]
    async fn large_messages_leave_memory_to_small_ones_and_other_owners() {
        let limits = DeliveryLimits::new(true);
        let one = limits.acquire_bytes(&message(1, "hung.example"), LARGE).await.unwrap();
        // Both a destination and an organization have their shares.
        assert!(limits.acquire_bytes(&message(2, "hung.example"), LARGE).now_or_never().is_none());
        assert!(limits.acquire_bytes(&message(1, "other.example"), LARGE).now_or_never().is_none());
        let _two = limits.acquire_bytes(&message(2, "other.example"), LARGE).await.unwrap();
        for mail in [message(1, "hung.example"), message(3, "hung.example")] {
            assert!(limits.acquire_bytes(&mail, MAX_SMALL_BYTES).await.is_some());
        }
        drop(one);
        // All organizations share the memory of a destination.
        assert!(limits.acquire_bytes(&message(1, "other.example"), 20 * 1024 * 1024).now_or_never().is_none());
        assert!(limits.acquire_bytes(&message(1, "hung.example"), LARGE).await.is_some());
    }

    #[tokio::test]
    async fn code_needs_no_memory_permit() {
        let limits = DeliveryLimits::new(true);
        let mut held = Vec::new();
        for number in 0_u64..4 {
            let mail = message(u128::from(number), &format!("hung{number}.example"));
            held.push(limits.acquire_bytes(&mail, LARGE).await.unwrap());
        }
        assert!(limits.acquire_bytes(&message(9, "out.example"), LARGE).now_or_never().is_none());
        assert!(limits.acquire_bytes(&code("out.example"), LARGE).await.is_some());
        assert!(limits.acquire_bytes(&message(9, "out.example"), MAX_SMALL_BYTES).await.is_some());
        drop(held);
        assert!(
            limits.acquire_bytes(&message(9, "out.example"), 10 * LARGE).await.is_some(),
            "a message above the limit is alone"
        );
    }

    #[tokio::test]
    async fn immediate_dispatch_needs_an_empty_queue_and_a_free_share() {
        let limits = DeliveryLimits::new(true);
        assert!(limits.acquire_immediate(&message(1, "a.example"), 1).is_none(), "the queue was not read yet");
        limits.open();
        let small = usize::try_from(MAX_SMALL_BYTES).unwrap();
        assert!(limits.acquire_immediate(&message(1, "a.example"), small + 1).is_none());
        let at_destination: Vec<DeliveryPermit> =
            (0..10).filter_map(|number| limits.acquire_immediate(&message(number, "a.example"), small)).collect();
        assert_eq!(at_destination.len(), 4);
        let destinations = (0..100).map(|number| format!("{number}.example"));
        let of_organization: Vec<DeliveryPermit> =
            destinations.filter_map(|destination| limits.acquire_immediate(&message(99, &destination), 1)).collect();
        assert_eq!(of_organization.len(), 60);
        limits.close();
        assert!(limits.acquire_immediate(&message(7, "b.example"), 1).is_none(), "queued messages go first");
        drop((at_destination, of_organization));
        assert_eq!(limits.free(), MAX_DIRECT_DELIVERIES);
    }

    #[tokio::test]
    async fn immediate_dispatch_ends_with_the_permits() {
        let limits = DeliveryLimits::new(false);
        limits.open();
        let taken: Vec<DeliveryPermit> =
            (0..100).filter_map(|_| limits.acquire_immediate(&message(1, ""), 1)).collect();
        let codes = MAX_RELAY_DELIVERIES / CODE_RESERVE_DIVISOR;
        assert_eq!((taken.len(), limits.free()), (MAX_RELAY_DELIVERIES - codes, codes));
    }

    #[tokio::test]
    async fn deliveries_are_counted_by_organization_and_codes_have_a_reserve() {
        let limits = DeliveryLimits::new(true);
        let permits = [
            limits.acquire(&message(1, "a.example")),
            limits.acquire(&message(1, "b.example")),
            limits.acquire(&code("a.example")),
        ];
        let capacity = limits.capacity();
        assert_eq!((capacity.mails, capacity.messages, capacity.per_organization), (253, 238, 60));
        assert_eq!(capacity.held, [(message(1, "").organization_id, 2)]);
        drop(permits);
        let capacity = limits.capacity();
        assert_eq!(
            (capacity.mails, capacity.messages, capacity.held, capacity.in_hand),
            (256, 240, Vec::new(), Vec::new())
        );
        assert!(4 * capacity.per_organization <= capacity.messages, "no organization has more than a quarter");
    }

    #[tokio::test]
    async fn codes_have_at_most_half_of_the_permits() {
        for delivers_directly in [false, true] {
            let limits = DeliveryLimits::new(delivers_directly);
            let all = limits.free();
            let capacity = limits.capacity();
            assert!(capacity.messages < capacity.mails, "some permits are for codes alone");
            let codes: Vec<DeliveryPermit> = (0..capacity.codes).map(|_| limits.acquire(&code(""))).collect();
            let capacity = limits.capacity();
            assert_eq!((capacity.codes, capacity.mails), (0, u32::try_from(all.div_ceil(2)).unwrap()));
            drop(codes);
            assert_eq!(limits.free(), all);
        }
    }
}
