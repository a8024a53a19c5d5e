//! Where addresses lead: asked together by those who ask at the same time, and remembered for a moment.
//!
//! Mail comes in bursts to the same inboxes. What is remembered lets a recipient be named, and nothing else: the unit of work
//! that stores a mail holds its inboxes, and finds out by that whether they are still there. Whose the name behind the @ is, it
//! does not ask again, so that mail named before that changed is still stored where it led then. Where this process deletes an
//! inbox, or changes whose a name is, all is forgotten at once; where another process does, it is within a second. Who is not
//! known is asked for each time, so that a new inbox takes mail from its first moment.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use crate::app::App;
use crate::app::gathering::{Gathering, Most};
use crate::ports::{RecipientRoute, StoreError};

/// How many questions are under way at most.
const LANES: usize = 2;

/// How many addresses are asked for at once.
const MOST: Most = Most { jobs: 100, weight: usize::MAX };

/// How long an address is remembered.
const REMEMBERED: Duration = Duration::seconds(1);

/// How many addresses are remembered at most. All are forgotten then: it is for a second that they were.
const MOST_REMEMBERED: usize = 10_000;

/// Asks where addresses lead. Those who ask at the same time share one question, which begins after all of them have come:
/// it is as fresh as one of their own.
pub(in crate::app) struct Addresses {
    asked: Gathering<EmailAddress, Result<Option<RecipientRoute>, StoreError>>,
    remembered: Mutex<Remembered>,
}

impl Default for Addresses {
    fn default() -> Self {
        Self { asked: Gathering::new(LANES, MOST), remembered: Mutex::default() }
    }
}

impl Addresses {
    /// Where an address leads, if it is taken here.
    pub(super) async fn destination(
        &self,
        app: &App,
        address: &EmailAddress,
    ) -> Result<Option<RecipientRoute>, StoreError> {
        let now = app.clock.now();
        let generation = match self.remembered().look(address, now) {
            Ok(destination) => return Ok(Some(destination)),
            Err(generation) => generation,
        };
        let answer = self.asked.ask(address, address.clone(), 1, |addresses| destinations(app, addresses)).await;
        let found = match answer {
            Ok(answer) => answer?,
            // Whoever asked for others as well has gone.
            Err(_) => destinations(app, vec![address.clone()]).await.pop().unwrap_or(Ok(None))?,
        };
        if let Some(destination) = &found {
            self.remembered().note(address, destination, (generation, now));
        }
        Ok(found)
    }

    /// Held over the commit of whatever may make addresses lead elsewhere: they are forgotten when it is dropped, whatever came
    /// of the commit, also where nobody waits for it any longer.
    #[must_use = "they are forgotten when it is dropped, which is to be behind the commit"]
    pub(in crate::app) fn changing(&self) -> Changing<'_> {
        Changing(self)
    }

    /// Nothing is done under this lock that could fail half way.
    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where addresses lead may be changing.
pub(in crate::app) struct Changing<'a>(&'a Addresses);

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.remembered().forget();
    }
}

async fn destinations(app: &App, addresses: Vec<EmailAddress>) -> Vec<Result<Option<RecipientRoute>, StoreError>> {
    match app.store.destinations(&addresses).await {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => addresses.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// How often all was forgotten: what was asked for before the last time may be about what was there before it.
type Generation = u64;

/// Where addresses led, and when that was asked.
#[derive(Default)]
struct Remembered {
    generation: Generation,
    by_address: HashMap<EmailAddress, (RecipientRoute, OffsetDateTime)>,
}

impl Remembered {
    /// Where an address leads; `Err` where it has to be asked, to be handed in with the [answer](Self::note).
    fn look(&self, address: &EmailAddress, now: OffsetDateTime) -> Result<RecipientRoute, Generation> {
        let (destination, asked_at) = self.by_address.get(address).ok_or(self.generation)?;
        // A clock that is behind it says nothing of how old it is.
        if *asked_at <= now && now - *asked_at < REMEMBERED { Ok(destination.clone()) } else { Err(self.generation) }
    }

    /// Remembers what was asked for at a time, unless all was forgotten since.
    fn note(
        &mut self,
        address: &EmailAddress,
        destination: &RecipientRoute,
        (generation, asked_at): (Generation, OffsetDateTime),
    ) {
        if generation != self.generation {
            return;
        }
        if self.by_address.len() >= MOST_REMEMBERED {
            self.by_address.clear();
        }
        self.by_address.insert(address.clone(), (destination.clone(), asked_at));
    }

    fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.by_address.clear();
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::model::InboxId;
    use crate::ports::Destination;

    const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

    fn address(text: &str) -> EmailAddress {
        text.parse().unwrap()
    }

    fn destination() -> RecipientRoute {
        let inbox_id = InboxId::stored("scout@inboxd.example".to_owned());
        Destination { organization_id: Uuid::nil().into(), pod_id: Uuid::nil().into(), inbox_id }.into()
    }

    #[test]
    fn an_address_is_remembered_for_less_than_a_second() {
        let mut remembered = Remembered::default();
        let scout = address("scout@inboxd.example");
        assert_eq!(remembered.look(&scout, NOW), Err(0));
        remembered.note(&scout, &destination(), (0, NOW));
        let table = [(-1, false), (0, true), (999, true), (1000, false)];
        for (milliseconds, is_known) in table {
            let known = remembered.look(&scout, NOW + Duration::milliseconds(milliseconds));
            assert_eq!(known.is_ok(), is_known, "{milliseconds}");
        }
        assert_eq!(remembered.look(&address("Scout@INBOXD.example"), NOW), Ok(destination()));
        assert_eq!(remembered.look(&address("scouts@inboxd.example"), NOW), Err(0));
    }

    #[test]
    fn what_was_asked_for_before_all_was_forgotten_is_not_remembered() {
        let mut remembered = Remembered::default();
        let scout = address("scout@inboxd.example");
        remembered.note(&scout, &destination(), (0, NOW));
        remembered.forget();
        assert_eq!(remembered.look(&scout, NOW), Err(1));
        remembered.note(&scout, &destination(), (0, NOW));
        assert_eq!(remembered.look(&scout, NOW), Err(1));
        remembered.note(&scout, &destination(), (1, NOW));
        assert_eq!(remembered.look(&scout, NOW), Ok(destination()));
    }

    #[test]
    fn no_more_addresses_are_remembered_than_there_is_room_for() {
        let mut remembered = Remembered::default();
        for number in 0..=MOST_REMEMBERED {
            remembered.note(&address(&format!("a{number}@inboxd.example")), &destination(), (0, NOW));
            assert!(remembered.by_address.len() <= MOST_REMEMBERED);
        }
        assert!(remembered.look(&address(&format!("a{MOST_REMEMBERED}@inboxd.example")), NOW).is_ok());
    }
}
