//! Retries of conflicting units of work.

use crate::Error;
use crate::ports::StoreError;

/// Maximum number of attempts of a unit of work.
const MAX_TRIES: u32 = 5;

/// Retries a unit of work that failed because of a conflict. A failed attempt has no effect.
pub(super) async fn retried<T, E, Attempt: Future<Output = Result<T, E>>>(
    came_between: impl Fn(&E) -> bool,
    attempt: impl Fn() -> Attempt,
) -> Result<T, E> {
    let mut tries = 1;
    loop {
        match attempt().await {
            Err(error) if tries < MAX_TRIES && came_between(&error) => tries += 1,
            answer => return answer,
        }
    }
}

/// Returns whether a conflict with another unit of work caused an error.
pub(super) fn is_contention(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Contention))
}
