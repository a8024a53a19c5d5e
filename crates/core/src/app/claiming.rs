//! Journaled commits: the journal records claims before storage does.

use crate::Error;
use crate::model::Claim;
use crate::ports::{StoreError, WorkJournal};

/// A failed claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct NotClaimed {
    /// Error of storage.
    pub error: StoreError,
    /// Claims with an unknown outcome because the reply to COMMIT was lost. The caller must [finish](super::finish)
    /// them.
    pub undecided: Vec<Claim>,
}

impl From<StoreError> for NotClaimed {
    fn from(error: StoreError) -> Self {
        Self { error, undecided: Vec::new() }
    }
}

impl From<NotClaimed> for Error {
    fn from(not: NotClaimed) -> Self {
        Self::Store(not.error)
    }
}

/// Records claims in the journal, then commits the unit of work that contains them.
pub(super) async fn noted(
    journal: &dyn WorkJournal,
    claims: impl IntoIterator<Item = Claim>,
    commit: impl Future<Output = Result<(), StoreError>>,
) -> Result<(), NotClaimed> {
    let claims: Vec<Claim> = claims.into_iter().collect();
    if !claims.is_empty() && !journal.begun(&claims) {
        for claim in claims {
            journal.settled(claim);
        }
        return Err(StoreError::Unavailable("the journal cannot be written".to_owned()).into());
    }
    match commit.await {
        Ok(()) => Ok(()),
        Err(error @ StoreError::Undecided(_)) => Err(NotClaimed { error, undecided: claims }),
        Err(error) => {
            for claim in claims {
                journal.settled(claim);
            }
            Err(error.into())
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use std::sync::Mutex;

    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::*;
    use crate::model::{ClaimedDraft, ClaimedMail, DeliveryOutcome};

    /// A journal on a full disk that remembers settled claims.
    #[derive(Default)]
    struct Full(Mutex<Vec<Claim>>);

    impl WorkJournal for Full {
        fn begun(&self, _: &[Claim]) -> bool {
            false
        }

        fn answered(&self, _: ClaimedMail, _: &[DeliveryOutcome]) {}

        fn settled(&self, claim: Claim) {
            self.0.lock().unwrap().push(claim);
        }
    }

    #[test]
    fn claim_without_journal_is_not_committed() {
        let (organization_id, draft_id) = (Uuid::nil().into(), Uuid::nil().into());
        let claim = Claim::Draft(ClaimedDraft { organization_id, draft_id, revision: 1 });
        let journal = Full::default();
        let commit = async { panic!("it is committed") };
        let refused = noted(&journal, [claim], commit).now_or_never().unwrap().unwrap_err();
        assert!(matches!(refused.error, StoreError::Unavailable(_)), "{refused:?}");
        assert_eq!((refused.undecided, journal.0.into_inner().unwrap()), (vec![], vec![claim]));
        // A commit without claims needs no journal.
        assert_eq!(noted(&Full::default(), [], async { Ok(()) }).now_or_never().unwrap(), Ok(()));
    }
}
