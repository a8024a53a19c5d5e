//! Units of work that stand in each other's way.

use crate::Error;
use crate::ports::StoreError;

/// How often a unit of work is done again.
const MOST_TRIES: u32 = 5;

/// Does a unit of work again when it failed because another came between; nothing of it had happened.
pub(super) async fn retried<T, E, Attempt: Future<Output = Result<T, E>>>(
    came_between: impl Fn(&E) -> bool,
    attempt: impl Fn() -> Attempt,
) -> Result<T, E> {
    let mut tries = 1;
    loop {
        match attempt().await {
            Err(error) if tries < MOST_TRIES && came_between(&error) => tries += 1,
            answer => return answer,
        }
    }
}

/// Whether another unit of work came between.
pub(super) fn is_contention(error: &Error) -> bool {
    matches!(error, Error::Store(StoreError::Contention))
}
