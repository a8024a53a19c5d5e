//! Limit of verdicts that cost nothing: dry runs and refused URLs.
//!
//! By repetition they must not tell what the caller may not read.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use time::{Duration, OffsetDateTime};

use crate::PolicyError;
use crate::model::InboxId;

const WINDOW: Duration = Duration::minutes(1);
/// Free verdicts about one inbox within the window.
const MAX_EACH: u32 = 60;
/// Number of inboxes from which those of earlier windows are forgotten.
const MIN_SWEPT: usize = 1024;

/// Free verdicts of this process by inbox: beginning of the window, and their number in it.
#[derive(Default)]
pub(in crate::app) struct FreeVerdicts(Mutex<HashMap<InboxId, (OffsetDateTime, u32)>>);

impl FreeVerdicts {
    /// Counts a verdict.
    ///
    /// # Errors
    /// [`PolicyError::FreeVerdictLimitReached`].
    pub(super) fn count(&self, inbox_id: &InboxId, now: OffsetDateTime) -> Result<(), PolicyError> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MIN_SWEPT {
            counts.retain(|_, (since, _)| now < *since + WINDOW);
        }
        let (since, count) = counts.entry(inbox_id.clone()).or_insert((now, 0));
        if now >= *since + WINDOW {
            (*since, *count) = (now, 0);
        }
        if *count >= MAX_EACH {
            return Err(PolicyError::FreeVerdictLimitReached { until: *since + WINDOW });
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixtures::{NOW, inbox_id};

    #[test]
    fn verdicts_about_each_inbox_have_a_limit_a_minute() {
        let verdicts = FreeVerdicts::default();
        let (one, other) = (inbox_id("one@inboxd.example"), inbox_id("other@inboxd.example"));
        for _ in 0..MAX_EACH {
            assert_eq!(verdicts.count(&one, NOW), Ok(()));
        }
        let until = NOW + WINDOW;
        assert_eq!(verdicts.count(&one, NOW), Err(PolicyError::FreeVerdictLimitReached { until }));
        assert_eq!(verdicts.count(&other, NOW), Ok(()));
        assert_eq!(verdicts.count(&one, until), Ok(()));
    }

    #[test]
    fn inboxes_of_earlier_windows_are_forgotten() {
        let verdicts = FreeVerdicts::default();
        for number in 0..=MIN_SWEPT {
            let now = if number < MIN_SWEPT { NOW } else { NOW + WINDOW };
            assert_eq!(verdicts.count(&inbox_id(&format!("n{number}@inboxd.example")), now), Ok(()));
        }
        assert_eq!(verdicts.0.lock().unwrap_or_else(PoisonError::into_inner).len(), 1);
    }
}
