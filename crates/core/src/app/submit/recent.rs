//! Counts of recent sends by inbox and recipient, for the hourly loop budget.
//!
//! The counts are in memory, because a loop stays within one process, and counts in the database would cost a row for
//! each recipient of a send. Batches of an organization are stored one after the other, so concurrent sends cannot
//! exceed the budget.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::model::InboxId;
use crate::rules::loops::{self, HOURLY_WINDOW};

/// Maximum of pairs. Beyond it, pairs with the fewest sends are evicted, because a loop has more.
const MAX_PAIRS: usize = 100_000;
/// Minimum of pairs before expired ones are evicted.
const MIN_SWEEP_PAIRS: usize = 1024;

/// Hash of an inbox and a recipient address without its tag, keyed by the process. It takes a quarter of the memory of the
/// names. Of a full log, two pairs have the same hash in one of three billion processes.
pub(super) type SendPair = u64;

/// Sends of API keys within the last hour.
#[derive(Default)]
pub(in crate::app) struct RecentSends(Mutex<SendLog>);

#[derive(Default)]
struct SendLog {
    hasher: RandomState,
    /// Times of the sends, oldest first.
    sent: HashMap<SendPair, VecDeque<OffsetDateTime>>,
    /// Number of pairs at which expired ones are evicted next.
    sweep_at: usize,
}

impl RecentSends {
    /// Returns the pairs of a message, or refuses the message if the budget of a pair is exhausted. `pending` holds the
    /// pairs of other messages in the same batch.
    pub(super) fn allow(
        &self,
        inbox_id: &InboxId,
        recipients: &[EmailAddress],
        budget: u32,
        now: OffsetDateTime,
        pending: &[SendPair],
    ) -> Result<Vec<SendPair>, Error> {
        let log = self.locked();
        let permitted = usize::try_from(budget).unwrap_or(usize::MAX);
        let mut pairs: Vec<SendPair> = Vec::with_capacity(recipients.len());
        for recipient in recipients {
            let address = recipient.without_tag();
            let pair = log.pair(inbox_id, &address);
            if pairs.contains(&pair) {
                continue;
            }
            let recent = || log.sent.get(&pair).into_iter().flatten().filter(|at| **at > now - HOURLY_WINDOW);
            let count = recent().count() + pending.iter().filter(|other| **other == pair).count();
            // The operator may have lowered the budget, so that more than the oldest send must expire.
            if let Some(over) = count.checked_sub(permitted) {
                let last = recent().nth(over).copied();
                return Err(loops::hourly_refusal(address, budget, last.unwrap_or(now)));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }

    /// Counts stored messages.
    pub(super) fn record(&self, pairs: Vec<SendPair>, now: OffsetDateTime) {
        let mut log = self.locked();
        for pair in pairs {
            let sent = log.sent.entry(pair).or_insert_with(|| VecDeque::with_capacity(1));
            while sent.front().is_some_and(|at| *at <= now - HOURLY_WINDOW) {
                sent.pop_front();
            }
            sent.push_back(now);
        }
        log.evict(now);
    }

    /// Locks the log, which stays consistent even if a holder of the lock panics.
    fn locked(&self) -> MutexGuard<'_, SendLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SendLog {
    fn pair(&self, inbox_id: &InboxId, address: &str) -> SendPair {
        self.hasher.hash_one((inbox_id, address))
    }

    /// Evicts expired pairs when their number has doubled since the last eviction.
    fn evict(&mut self, now: OffsetDateTime) {
        if self.sent.len() < self.sweep_at.max(MIN_SWEEP_PAIRS) {
            return;
        }
        self.sent.retain(|_, sent| sent.back().is_some_and(|at| *at > now - HOURLY_WINDOW));
        let mut fewest = 1;
        while self.sent.len() > MAX_PAIRS {
            self.sent.retain(|_, sent| sent.len() > fewest);
            fewest *= 2;
        }
        self.sent.shrink_to_fit();
        self.sweep_at = self.sent.len().saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;
    use crate::LoopRefusal;
    use crate::testing::fixtures::{NOW, address, inbox};

    /// Sends a message. A refusal contains the recipient and the time of the next permitted send.
    fn send(sends: &RecentSends, recipient: &str, now: OffsetDateTime) -> Result<(), (String, OffsetDateTime)> {
        match sends.allow(&inbox().inbox_id, &[address(recipient)], 3, now, &[]) {
            Ok(pairs) => {
                sends.record(pairs, now);
                Ok(())
            }
            Err(Error::Loop(LoopRefusal::HourlyBudgetReached { recipient, until, budget: 3 })) => {
                Err((recipient, until))
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn hourly_budget_counts_tags_and_letter_cases_as_one_recipient() {
        let sends = RecentSends::default();
        for (second, recipient) in ["anna@example.org", "Anna+1@example.org", "anna+2@EXAMPLE.org"].iter().enumerate() {
            let now = NOW + Duration::seconds(i64::try_from(second).unwrap_or(0));
            assert_eq!(send(&sends, recipient, now), Ok(()));
        }
        let refused = send(&sends, "anna+3@example.org", NOW + Duration::minutes(59));
        let until = NOW + HOURLY_WINDOW;
        assert_eq!(refused, Err(("anna@example.org".to_owned(), until)));
        assert_eq!(send(&sends, "bob@example.org", NOW), Ok(()));
        assert_eq!(send(&sends, "anna@example.org", until), Ok(()));
        assert!(send(&sends, "anna@example.org", until).is_err(), "the second is younger");
    }

    #[test]
    fn lowered_budget_names_the_time_at_which_enough_sends_have_expired() {
        let sends = RecentSends::default();
        for minute in 0..3 {
            assert_eq!(send(&sends, "anna@example.org", NOW + Duration::minutes(minute)), Ok(()));
        }
        let now = NOW + Duration::minutes(3);
        for (budget, minute) in [(3, 0), (2, 1), (1, 2), (0, 3)] {
            let refused = sends.allow(&inbox().inbox_id, &[address("anna@example.org")], budget, now, &[]);
            let expected = NOW + Duration::minutes(minute) + HOURLY_WINDOW;
            match refused {
                Err(Error::Loop(LoopRefusal::HourlyBudgetReached { until, .. })) => assert_eq!(until, expected),
                other => panic!("{budget}: {other:?}"),
            }
        }
    }

    #[test]
    fn hourly_budget_counts_messages_of_the_same_batch() {
        let sends = RecentSends::default();
        let pair = sends.locked().pair(&inbox().inbox_id, "anna@example.org");
        let pending = [pair; 3];
        assert!(sends.allow(&inbox().inbox_id, &[address("anna@example.org")], 3, NOW, &pending).is_err());
        assert!(sends.allow(&inbox().inbox_id, &[address("anna@example.org")], 4, NOW, &pending).is_ok());
    }

    #[test]
    fn recent_sends_of_the_last_hour_alone_are_kept() {
        let sends = RecentSends::default();
        for number in 0..2 * MIN_SWEEP_PAIRS {
            let now = NOW + HOURLY_WINDOW * i32::from(number >= MIN_SWEEP_PAIRS);
            assert_eq!(send(&sends, &format!("n{number}@example.org"), now), Ok(()));
        }
        assert!(sends.locked().sent.len() <= MIN_SWEEP_PAIRS + 1);
    }

    #[test]
    fn pairs_are_bounded_even_if_each_has_several_sends() {
        let sends = RecentSends::default();
        for pair in 0..3 * MAX_PAIRS as u64 {
            sends.record(vec![pair, pair], NOW);
        }
        sends.record(vec![7; 5], NOW);
        assert!(sends.locked().sent.len() <= 2 * MAX_PAIRS);
    }
}
