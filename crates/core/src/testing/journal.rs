//! The order of what must happen in order.

use super::Captured;
use crate::model::{Claim, ClaimedMail, DeliveryOutcome};
use crate::ports::WorkJournal;

/// Something whose place among others matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A unit of work was committed.
    Committed,
    /// The workers of the outgoing queue were woken.
    Woken,
    /// The worker that mails sign-in codes was woken.
    WokenForSignIns,
    /// The worker that tells webhooks was woken.
    WokenForWebhooks,
    /// Those who wait for events were handed some that got their places.
    Placed,
    /// Work was noted as begun.
    Begun,
    /// What the world answered was noted.
    Answered,
    /// Work was noted as settled.
    Settled,
}

/// The record of commits and wake-ups, in order. A clone writes to the same record.
#[derive(Debug, Clone, Default)]
pub struct Journal(Captured<Happened>);

impl Journal {
    /// Notes that something happened.
    pub fn note(&self, happened: Happened) {
        self.0.push(happened);
    }

    /// Everything so far.
    #[must_use]
    pub fn entries(&self) -> Vec<Happened> {
        self.0.all()
    }

    /// How many units of work were committed.
    #[must_use]
    pub fn commits(&self) -> usize {
        self.entries().into_iter().filter(|happened| *happened == Happened::Committed).count()
    }
}

impl WorkJournal for Journal {
    fn begun(&self, _: &[Claim]) -> bool {
        self.note(Happened::Begun);
        true
    }

    fn answered(&self, _: ClaimedMail, _: &[DeliveryOutcome]) {
        self.note(Happened::Answered);
    }

    fn settled(&self, _: Claim) {
        self.note(Happened::Settled);
    }
}
