//! Detection of repeated sends without an `Idempotency-Key` (`wire.md`, section 1).
//!
//! Clients repeat a request when its connection breaks, and do not mark the repeat. A repeat therefore shares the
//! response of the first request while that request runs. It also does so for a minute after a connection that closed
//! before the response was delivered. A delivered response settles all calls before it: a later equal request is
//! a new send.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inboxd_core::app::SendResult;
use inboxd_core::ports::Clock;
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};
use tokio::sync::watch;

/// Time for which an undelivered response is retained.
const OUTCOME_TTL: Duration = Duration::seconds(60);

/// SHA-256 digest that identifies equal requests.
pub(crate) type RequestDigest = [u8; 32];

/// Returns the SHA-256 of several parts, each prefixed with its length.
pub(crate) fn digest_of(parts: &[&[u8]]) -> RequestDigest {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Sends of this process that run or may have lost their response.
pub(crate) struct InFlightSends {
    clock: Arc<dyn Clock>,
    known: Mutex<SendTable>,
}

#[derive(Default)]
struct SendTable {
    sends: HashMap<RequestDigest, RunningSend>,
    /// Number of sends so far.
    count: u64,
}

struct RunningSend {
    /// Serial number of the send, because a later send may have the same digest.
    number: u64,
    outcome: watch::Sender<SendOutcome>,
    /// Number of calls; `waiting` counts those without a response yet.
    calls: u64,
    waiting: u64,
    /// Latest call with a delivered response; `lost` is the latest with a connection that closed before. 0 means none.
    answered: u64,
    lost: u64,
    /// Start of the retention time.
    since: OffsetDateTime,
}

/// Outcome of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SendOutcome {
    Open,
    Accepted(SendResult),
    /// The send was refused. A refusal is never shared with a repeat.
    Refused,
}

/// Role of a call among the calls with the same digest.
pub(crate) enum SendRole {
    /// The call that performs the send.
    First(SendGuard, DeliveryReceipt),
    /// A repeat of a send that is running, or may have lost its response.
    Repeat(OutcomeWaiter, DeliveryReceipt),
}

/// Right to perform a send. Dropping it without a call of `done` records that nothing was sent.
pub(crate) struct SendGuard {
    sends: Arc<InFlightSends>,
    digest: RequestDigest,
    number: u64,
}

/// Waiter for the outcome of a send that another call performs.
pub(crate) struct OutcomeWaiter(watch::Receiver<SendOutcome>);

/// Delivery state of one response. Dropping it unsettled records the response as lost.
#[derive(Debug)]
pub(crate) struct DeliveryReceipt {
    sends: Arc<InFlightSends>,
    digest: RequestDigest,
    number: u64,
    call: u64,
    is_settled: bool,
    /// The delivered response.
    answer: Option<SendResult>,
}

impl std::fmt::Debug for InFlightSends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sends").finish_non_exhaustive()
    }
}

impl InFlightSends {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { clock, known: Mutex::default() })
    }

    /// Registers a call and returns its role.
    pub(crate) fn enter(self: &Arc<Self>, digest: RequestDigest) -> SendRole {
        let now = self.clock.now();
        let mut known = self.lock();
        known.sends.retain(|_, send| send.is_wanted(now));
        if let Some(send) = known.sends.get_mut(&digest) {
            send.calls += 1;
            send.waiting += 1;
            let receipt = self.receipt(digest, send.number, send.calls);
            return SendRole::Repeat(OutcomeWaiter(send.outcome.subscribe()), receipt);
        }
        known.count += 1;
        let number = known.count;
        let outcome = watch::Sender::new(SendOutcome::Open);
        let send = RunningSend { number, outcome, calls: 1, waiting: 1, answered: 0, lost: 0, since: now };
        known.sends.insert(digest, send);
        SendRole::First(SendGuard { sends: Arc::clone(self), digest, number }, self.receipt(digest, number, 1))
    }

    fn receipt(self: &Arc<Self>, digest: RequestDigest, number: u64, call: u64) -> DeliveryReceipt {
        DeliveryReceipt { sends: Arc::clone(self), digest, number, call, is_settled: false, answer: None }
    }

    fn lock(&self) -> MutexGuard<'_, SendTable> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a delivered response was lost after all.
    fn remember(&self, digest: RequestDigest, number: u64, call: u64, answer: SendResult) {
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
                let outcome = watch::Sender::new(SendOutcome::Accepted(answer));
                entry.insert(RunningSend { number, outcome, calls: call, waiting: 0, answered: 0, lost: call, since });
            }
        }
    }

    /// Changes a send that is still known and evicts it when no call needs it any more.
    fn change(&self, digest: &RequestDigest, number: u64, change: impl FnOnce(&mut RunningSend, OffsetDateTime)) {
        let now = self.clock.now();
        let mut known = self.lock();
        let Some(send) = known.sends.get_mut(digest).filter(|send| send.number == number) else { return };
        change(send, now);
        if !send.is_wanted(now) {
            known.sends.remove(digest);
        }
    }
}

impl RunningSend {
    fn is_wanted(&self, now: OffsetDateTime) -> bool {
        match *self.outcome.borrow() {
            SendOutcome::Open => true,
            SendOutcome::Refused => false,
            SendOutcome::Accepted(_) => {
                self.waiting > 0 || (self.lost > self.answered && now - self.since < OUTCOME_TTL)
            }
        }
    }

    fn accepted(&self) -> Option<SendResult> {
        match &*self.outcome.borrow() {
            SendOutcome::Accepted(sent) => Some(sent.clone()),
            SendOutcome::Open | SendOutcome::Refused => None,
        }
    }
}

impl SendGuard {
    /// Records the outcome of the send; `None` is a refusal.
    pub(crate) fn done(&self, sent: Option<&SendResult>) {
        let outcome = sent.cloned().map_or(SendOutcome::Refused, SendOutcome::Accepted);
        self.sends.change(&self.digest, self.number, |send, now| {
            send.since = now;
            send.outcome.send_if_modified(|known| {
                let is_open = *known == SendOutcome::Open;
                if is_open {
                    *known = outcome;
                }
                is_open
            });
        });
    }
}

impl Drop for SendGuard {
    fn drop(&mut self) {
        self.done(None);
    }
}

impl OutcomeWaiter {
    /// Returns the result of the send; `None` when it was refused or did not happen.
    pub(crate) async fn outcome(mut self) -> Option<SendResult> {
        match self.0.wait_for(|outcome| *outcome != SendOutcome::Open).await.ok().as_deref() {
            Some(SendOutcome::Accepted(sent)) => Some(sent.clone()),
            _ => None,
        }
    }
}

impl DeliveryReceipt {
    /// Records the response as delivered.
    pub(crate) fn delivered(&mut self) {
        let call = self.call;
        let mut answer = None;
        self.settle(|send, _| {
            send.answered = send.answered.max(call);
            answer = send.accepted();
        });
        self.answer = answer;
    }

    /// Records that the connection closed before the client read the response, even if it was written.
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

    /// Settles the call; later calls have no effect.
    fn settle(&mut self, change: impl FnOnce(&mut RunningSend, OffsetDateTime)) {
        if std::mem::replace(&mut self.is_settled, true) {
            return;
        }
        self.sends.change(&self.digest, self.number, |send, now| {
            send.waiting = send.waiting.saturating_sub(1);
            change(send, now);
        });
    }
}

impl Drop for DeliveryReceipt {
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

    fn sends() -> (FixedClock, Arc<InFlightSends>) {
        let clock = FixedClock::at(NOW);
        (clock.clone(), InFlightSends::new(Arc::new(clock)))
    }

    fn sent() -> SendResult {
        SendResult { message_id: fixtures::message_id("<a@inboxd.example>"), thread_id: fixtures::id(1), held: None }
    }

    fn first(sends: &Arc<InFlightSends>) -> (SendGuard, DeliveryReceipt) {
        match sends.enter([1; 32]) {
            SendRole::First(ticket, receipt) => (ticket, receipt),
            SendRole::Repeat(..) => panic!("it is taken for a repeat"),
        }
    }

    fn repeat(sends: &Arc<InFlightSends>) -> (OutcomeWaiter, DeliveryReceipt) {
        match sends.enter([1; 32]) {
            SendRole::Repeat(waiting, receipt) => (waiting, receipt),
            SendRole::First(..) => panic!("it is taken for a new mail"),
        }
    }

    /// Performs an accepted send and returns the receipt of its call.
    fn accepted(sends: &Arc<InFlightSends>) -> DeliveryReceipt {
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
        receipt.delivered();
    }

    #[test]
    fn a_deliberate_repeat_after_an_answer_is_a_new_mail() {
        let (_, sends) = sends();
        accepted(&sends).delivered();
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
        receipt.delivered();
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
        retry.delivered();
        let (ticket, mut answered) = first(&sends);
        let (_, lost) = repeat(&sends);
        ticket.done(Some(&sent()));
        drop(lost);
        answered.delivered();
        repeat(&sends);
    }

    #[test]
    fn an_answer_that_was_handed_over_and_never_read_lost_answer_after_all() {
        let (_, sends) = sends();
        let mut receipt = accepted(&sends);
        receipt.delivered();
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
