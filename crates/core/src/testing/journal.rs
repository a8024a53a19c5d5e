//! Journal of effects whose order matters.

use super::Captured;
use crate::model::{Claim, ClaimedMail, DeliveryOutcome};
use crate::ports::WorkJournal;

/// A recorded effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A unit of work was committed.
    Committed,
    /// The workers of the outgoing queue were woken.
    Woken,
    /// The worker that mails sign-in codes was woken.
    WokenForSignIns,
    /// The webhook worker was woken.
    WokenForWebhooks,
    /// Subscribers received sequenced events.
    Placed,
    /// A claim was recorded.
    Begun,
    /// Outcomes were recorded.
    Answered,
    /// A claim was recorded as settled.
    Settled,
}

/// Record of effects, in order. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Journal(Captured<Happened>);

impl Journal {
    /// Records an effect.
    pub fn note(&self, happened: Happened) {
        self.0.push(happened);
    }

    /// Returns all effects.
    #[must_use]
    pub fn entries(&self) -> Vec<Happened> {
        self.0.all()
    }

    /// Returns the number of commits.
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
