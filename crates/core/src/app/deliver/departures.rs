//! Immediate dispatch of mail at the moment it is queued.
//!
//! Such mail is queued as claimed, and the journal has its claim before the commit, as for mail claimed from the queue.
//! From then on both are treated alike.

use time::OffsetDateTime;
use uuid::Uuid;

use super::LEASE;
use crate::app::App;
use crate::app::claiming::{self, NotClaimed};
use crate::model::{Claim, NewMail, QueuedMail};
use crate::ports::{Courier, Departure, StoreError, Tx};

/// Mail of one unit of work that is dispatched after the commit.
pub(in crate::app) struct Departures<'a> {
    courier: Option<&'a dyn Courier>,
    claim_id: Uuid,
    until: OffsetDateTime,
    leaving: Vec<(QueuedMail, &'a [u8], Box<dyn Departure>)>,
}

impl<'a> Departures<'a> {
    /// Creates an empty collection.
    pub(in crate::app) fn new(app: &'a App, now: OffsetDateTime) -> Self {
        let courier = app.courier.as_deref();
        Self { courier, claim_id: app.claim_id(now), until: now + LEASE, leaving: Vec::new() }
    }

    /// Claims a mail before it is queued, if the courier has capacity to dispatch it at once. Otherwise the mail stays
    /// unchanged.
    pub(in crate::app) fn claim(&mut self, mail: &mut QueuedMail, raw: &'a [u8]) {
        let Some(departure) = self.courier.and_then(|courier| courier.departure(mail, raw.len())) else { return };
        mail.claim_id = Some(self.claim_id);
        mail.due_at = self.until;
        mail.attempts += 1;
        self.leaving.push((mail.clone(), raw, departure));
    }

    /// Commits the unit of work that queues the mail, then dispatches the claimed mail.
    pub(in crate::app) async fn commit_with(self, tx: Box<dyn Tx>, letters: &NewMail) -> Result<(), StoreError> {
        let Some(courier) = self.courier.filter(|_| !self.leaving.is_empty()) else {
            return tx.commit_with(letters).await;
        };
        let claims: Vec<Claim> = self.leaving.iter().map(|(mail, ..)| Claim::Mail(mail.into())).collect();
        let mut open = Open { courier, claims: claims.clone() };
        match claiming::noted(courier.journal(), claims, tx.commit_with(letters)).await {
            Ok(()) => {
                open.claims.clear();
                for (mail, raw, departure) in self.leaving {
                    departure.go(mail, raw.to_vec());
                }
                Ok(())
            }
            Err(NotClaimed { error, undecided }) => {
                open.claims = undecided;
                Err(error)
            }
        }
    }
}

/// Claims that may be stored. If the task is cancelled or the commit is undecided, recovery completes them.
struct Open<'a> {
    courier: &'a dyn Courier,
    claims: Vec<Claim>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        for claim in self.claims.drain(..) {
            self.courier.finish(claim);
        }
    }
}
