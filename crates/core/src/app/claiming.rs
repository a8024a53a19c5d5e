//! Claims are noted before they are made.

use crate::Error;
use crate::model::Claim;
use crate::ports::{StoreError, WorkJournal};

/// Why nothing was claimed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct NotClaimed {
    /// What storage said.
    pub error: StoreError,
    /// What may have been claimed all the same, and is to be [finished](super::finish): the answer to the commit was lost.
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

/// Notes claims, then has the unit of work committed that makes them.
pub(super) async fn noted(
    journal: &dyn WorkJournal,
    claims: impl IntoIterator<Item = Claim>,
    commit: impl Future<Output = Result<(), StoreError>>,
) -> Result<(), NotClaimed> {
    let claims: Vec<Claim> = claims.into_iter().collect();
    if !claims.is_empty() {
        journal.begun(&claims);
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
