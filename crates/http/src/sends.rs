//! Sends without an `Idempotency-Key` that are running, or whose answer may never have arrived (`wire.md`, section 1).
//!
//! Clients repeat a request when its connection breaks, without a word that it is a repeat. So a repeat shares the answer
//! of the first as long as that runs, and for a minute after a connection closed before its answer was handed over.
//! Whatever was handed over answers all the calls before it: what comes later is meant as it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inboxd_core::app::SendResult;
use inboxd_core::ports::Clock;
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};
use tokio::sync::watch;

/// How long an answer is kept that may not have arrived.
const KEPT: Duration = Duration::seconds(60);

/// What makes two requests the same: the SHA-256 of credential, path and octets.
pub(crate) type Digest = [u8; 32];

/// The SHA-256 of several parts, which are kept apart by their lengths.
pub(crate) fn digest_of(parts: &[&[u8]]) -> Digest {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// The sends of one process.
pub(crate) struct Sends {
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    sends: HashMap<Digest, Running>,
    /// How many there were.
    count: u64,
}

struct Running {
    /// Which of all it is: after it another may have the same digest.
    number: u64,
    outcome: watch::Sender<Outcome>,
    /// How many calls there were, and how many of them wait for their answer.
    calls: u64,
    waiting: u64,
    /// The latest call whose answer was handed over, and the latest whose connection closed before; 0 for none.
    answered: u64,
    lost: u64,
    /// The answer is kept from this time on.
    since: OffsetDateTime,
}

/// What came of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Open,
    Accepted(SendResult),
    /// Refusals are never repeated.
    Refused,
}

/// How a call is taken.
pub(crate) enum Call {
    /// It is the one that sends.
    First(Ticket, Receipt),
    /// It repeats one that is running or was never answered.
    Repeat(Waiting, Receipt),
}

/// Whoever holds it sends. Dropped without word, nothing was sent.
pub(crate) struct Ticket {
    sends: Arc<Sends>,
    digest: Digest,
    number: u64,
}

/// Whoever holds it waits for what comes of the send of another.
pub(crate) struct Waiting(watch::Receiver<Outcome>);

/// Whoever holds it answers a call. Dropped without word, the answer was lost.
#[derive(Debug)]
pub(crate) struct Receipt {
    sends: Arc<Sends>,
    digest: Digest,
    number: u64,
    call: u64,
    is_settled: bool,
    /// What was handed over.
    answer: Option<SendResult>,
}

impl std::fmt::Debug for Sends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sends").finish_non_exhaustive()
    }
}

impl Sends {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, known: Mutex::default() })
    }

    /// Takes a call.
    pub(crate) fn enter(self: &Arc<Self>, digest: Digest) -> Call {
        let now = self.clock.now();
        let mut known = self.lock();
        known.sends.retain(|_, send| send.is_wanted(now));
        if let Some(send) = known.sends.get_mut(&digest) {
            send.calls += 1;
            send.waiting += 1;
            let receipt = self.receipt(digest, send.number, send.calls);
            return Call::Repeat(Waiting(send.outcome.subscribe()), receipt);
        }
        known.count += 1;
        let number = known.count;
        let outcome = watch::Sender::new(Outcome::Open);
        let send = Running { number, outcome, calls: 1, waiting: 1, answered: 0, lost: 0, since: now };
        known.sends.insert(digest, send);
        Call::First(Ticket { sends: Arc::clone(self), digest, number }, self.receipt(digest, number, 1))
    }

    fn receipt(self: &Arc<Self>, digest: Digest, number: u64, call: u64) -> Receipt {
        Receipt { sends: Arc::clone(self), digest, number, call, is_settled: false, answer: None }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back that a call was answered.
    fn remember(&self, digest: Digest, number: u64, call: u64, answer: SendResult) {
        let since = self.clock.now();
        let mut known = self.lock();
        match known.sends.entry(digest) {
            Entry::Occupied(mut entry) => {
                let send = entry.get_mut();
                if send.number == number {
                    send.answered = if send.answered == call { 0 } else { send.answered };
                    send.lost = send.lost.max(call);
                    send.since = since;
                }
            }
            Entry::Vacant(entry) => {
                let outcome = watch::Sender::new(Outcome::Accepted(answer));
                entry.insert(Running { number, outcome, calls: call, waiting: 0, answered: 0, lost: call, since });
            }
        }
    }

    /// Changes a send, if it is still known, and forgets it when nobody wants it any more.
    fn change(&self, digest: &Digest, number: u64, change: impl FnOnce(&mut Running, OffsetDateTime)) {
        let now = self.clock.now();
        let mut known = self.lock();
        let Some(send) = known.sends.get_mut(digest).filter(|send| send.number == number) else { return };
        change(send, now);
        if !send.is_wanted(now) {
            known.sends.remove(digest);
        }
    }
}

impl Running {
    fn is_wanted(&self, now: OffsetDateTime) -> bool {
        match *self.outcome.borrow() {
            Outcome::Open => true,
            Outcome::Refused => false,
            Outcome::Accepted(_) => self.waiting > 0 || (self.lost > self.answered && now - self.since < KEPT),
        }
    }

    fn accepted(&self) -> Option<SendResult> {
        match &*self.outcome.borrow() {
            Outcome::Accepted(sent) => Some(sent.clone()),
            Outcome::Open | Outcome::Refused => None,
        }
    }
}

impl Ticket {
    /// Says what came of the send.
    pub(crate) fn done(&self, sent: Option<&SendResult>) {
        let outcome = sent.cloned().map_or(Outcome::Refused, Outcome::Accepted);
        self.sends.change(&self.digest, self.number, |send, now| {
            send.since = now;
            send.outcome.send_if_modified(|known| {
                let is_open = *known == Outcome::Open;
                if is_open {
                    *known = outcome;
                }
                is_open
            });
        });
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.done(None);
    }
}

impl Waiting {
    /// What the send was answered; `None` when it was refused, or came to nothing.
    pub(crate) async fn outcome(mut self) -> Option<SendResult> {
        match self.0.wait_for(|outcome| *outcome != Outcome::Open).await.ok().as_deref() {
            Some(Outcome::Accepted(sent)) => Some(sent.clone()),
            _ => None,
        }
    }
}

impl Receipt {
    /// The answer was handed over.
    pub(crate) fn handed_over(&mut self) {
        let call = self.call;
        let mut answer = None;
        self.settle(|send, _| {
            send.answered = send.answered.max(call);
            answer = send.accepted();
        });
        self.answer = answer;
    }

    /// The connection closed before the answer was read, even if it was handed over.
    pub(crate) fn lost(&mut self) {
        let call = self.call;
        self.settle(|send, now| {
            send.lost = send.lost.max(call);
            send.since = now;
        });
        if let Some(answer) = self.answer.take() {
            self.sends.remember(self.digest, self.number, call, answer);
        }
    }

    /// Says once how the call ended.
    fn settle(&mut self, change: impl FnOnce(&mut Running, OffsetDateTime)) {
        if std::mem::replace(&mut self.is_settled, true) {
            return;
        }
        self.sends.change(&self.digest, self.number, |send, now| {
            send.waiting = send.waiting.saturating_sub(1);
            change(send, now);
        });
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if !self.is_settled {
            self.lost();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "a test that panics is a test that fails")]

    use inboxd_core::testing::FixedClock;
    use inboxd_core::testing::fixtures::{self, NOW};

    use super::*;

    fn sends() -> (FixedClock, Arc<Sends>) {
        let clock = FixedClock::at(NOW);
        (clock.clone(), Sends::new(Arc::new(clock)))
    }

    fn sent() -> SendResult {
        SendResult { message_id: fixtures::message_id("<a@inboxd.example>"), thread_id: fixtures::id(1) }
    }

    fn first(sends: &Arc<Sends>) -> (Ticket, Receipt) {
        match sends.enter([1; 32]) {
            Call::First(ticket, receipt) => (ticket, receipt),
            Call::Repeat(..) => panic!("it is taken for a repeat"),
        }
    }

    fn repeat(sends: &Arc<Sends>) -> (Waiting, Receipt) {
        match sends.enter([1; 32]) {
            Call::Repeat(waiting, receipt) => (waiting, receipt),
            Call::First(..) => panic!("it is taken for a new mail"),
        }
    }

    /// A send that was accepted, with the receipt of its call.
    fn accepted(sends: &Arc<Sends>) -> Receipt {
        let (ticket, receipt) = first(sends);
        ticket.done(Some(&sent()));
        receipt
    }

    #[tokio::test]
    async fn a_repeat_shares_the_answer_while_the_first_is_running() {
        let (_, sends) = sends();
        let (ticket, mut receipt) = first(&sends);
        let (waiting, _unanswered) = repeat(&sends);
        ticket.done(Some(&sent()));
        assert_eq!(waiting.outcome().await, Some(sent()));
        receipt.handed_over();
    }

    #[test]
    fn a_deliberate_repeat_after_an_answer_is_a_new_mail() {
        let (_, sends) = sends();
        accepted(&sends).handed_over();
        first(&sends);
        assert!(sends.lock().sends.is_empty(), "nothing is remembered");
    }

    #[tokio::test]
    async fn a_lost_answer_is_given_again_for_a_minute() {
        let (clock, sends) = sends();
        drop(accepted(&sends));
        clock.advance(Duration::seconds(59));
        let (waiting, mut receipt) = repeat(&sends);
        assert_eq!(waiting.outcome().await, Some(sent()));
        receipt.handed_over();
        first(&sends);

        drop(accepted(&sends));
        clock.advance(Duration::seconds(60));
        first(&sends);
    }

    #[test]
    fn a_connection_that_closed_while_the_send_was_running_lost_its_answer() {
        let (_, sends) = sends();
        let (ticket, receipt) = first(&sends);
        drop(receipt);
        ticket.done(Some(&sent()));
        drop(ticket);
        repeat(&sends);
    }

    #[test]
    fn an_answer_covers_the_calls_before_it_and_none_behind_it() {
        let (_, sends) = sends();
        let (ticket, lost) = first(&sends);
        let (_, mut retry) = repeat(&sends);
        ticket.done(Some(&sent()));
        drop(lost);
        retry.handed_over();
        let (ticket, mut answered) = first(&sends);
        let (_, lost) = repeat(&sends);
        ticket.done(Some(&sent()));
        drop(lost);
        answered.handed_over();
        repeat(&sends);
    }

    #[test]
    fn an_answer_that_was_handed_over_and_never_read_lost_answer_after_all() {
        let (_, sends) = sends();
        let mut receipt = accepted(&sends);
        receipt.handed_over();
        receipt.lost();
        repeat(&sends);
    }

    #[tokio::test]
    async fn refusals_and_sends_that_broke_off_are_never_repeated() {
        let (_, sends) = sends();
        let (ticket, refused) = first(&sends);
        let (waiting, _) = repeat(&sends);
        ticket.done(None);
        assert_eq!(waiting.outcome().await, None);
        drop(refused);
        let (ticket, _receipt) = first(&sends);
        let (waiting, _) = repeat(&sends);
        drop(ticket);
        assert_eq!(waiting.outcome().await, None);
        first(&sends);
    }
}
