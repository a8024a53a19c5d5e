//! Mail that leaves as soon as it is queued, on its way from whoever queues it to the worker.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inboxd_core::model::{Claim, Outgoing};
use inboxd_core::ports::{Courier, Departure, WorkJournal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::recalls::Recalls;
use super::room::{Place, Room};
use crate::journal::FileJournal;

/// What the worker is told.
pub(super) enum Left {
    /// A mail is queued and claimed, and has its place.
    Mail {
        /// The mail.
        mail: Box<Outgoing>,
        /// Its octets.
        raw: Vec<u8>,
        /// Its place.
        place: Place,
    },
    /// A claim may have been made whose maker has gone.
    Claim(Claim),
}

/// Hands mail to the worker of this process. There is no more on the way than there are places.
pub(crate) struct Express {
    room: Arc<Room>,
    recalls: Arc<Recalls>,
    journal: Arc<FileJournal>,
    /// `None` once the worker stops.
    way: Mutex<Option<UnboundedSender<Left>>>,
}

impl Express {
    /// A way to the worker who has this room, and its end.
    pub(super) fn new(
        room: Arc<Room>,
        recalls: Arc<Recalls>,
        journal: Arc<FileJournal>,
    ) -> (Self, UnboundedReceiver<Left>) {
        let (way, end) = unbounded_channel();
        (Self { room, recalls, journal, way: Mutex::new(Some(way)) }, end)
    }

    /// Takes no more mail. The end of the way is reached when all that has a place has come, or has let go of it.
    pub(super) fn close(&self) {
        self.way().take();
    }

    /// The way stays whole even when a holder of the lock has panicked.
    fn way(&self) -> MutexGuard<'_, Option<UnboundedSender<Left>>> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Courier for Express {
    fn departure(&self, mail: &Outgoing, octets: usize) -> Option<Box<dyn Departure>> {
        if !mail.is_code && self.recalls.is_queue_held() {
            return None;
        }
        // What cannot be noted stays in the queue until the worker can note it.
        let way = self.way().clone().filter(|_| self.journal.is_writable())?;
        let place = self.room.take_at_once(mail, octets)?;
        Some(Box::new(Waiting { place, way }))
    }

    fn journal(&self) -> &dyn WorkJournal {
        self.journal.as_ref()
    }

    fn finish(&self, claim: Claim) {
        if let Some(way) = self.way().as_ref() {
            // Nobody who holds the way has lost its end. Of a worker that has stopped the journal knows.
            let _ = way.send(Left::Claim(claim));
        }
    }
}

/// A mail that is being queued.
struct Waiting {
    place: Place,
    way: UnboundedSender<Left>,
}

impl Departure for Waiting {
    fn go(self: Box<Self>, mail: Outgoing, raw: Vec<u8>) {
        let Self { place, way } = *self;
        // The worker goes on for as long as somebody holds the way; if it is gone all the same, the journal knows.
        let _ = way.send(Left::Mail { mail: Box::new(mail), raw, place });
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use uuid::Uuid;

    use super::super::room::fixtures::message;
    use super::*;

    fn express() -> (tempfile::TempDir, Arc<Room>, Express, UnboundedReceiver<Left>) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(FileJournal::begin(folder.path(), Uuid::nil()).unwrap());
        let room = Arc::new(Room::new(false));
        room.open();
        let (express, end) = Express::new(Arc::clone(&room), Arc::default(), journal);
        (folder, room, express, end)
    }

    #[tokio::test]
    async fn a_mail_that_has_a_place_still_leaves_when_the_worker_stops_and_no_other_does() {
        let (_folder, room, express, mut end) = express();
        let mail = message(1, "");
        let departure = express.departure(&mail, 3).unwrap();
        let given_up = express.departure(&mail, 3).unwrap();
        express.close();
        assert!(express.departure(&mail, 3).is_none());
        drop(given_up);
        departure.go(mail.clone(), b"raw".to_vec());
        let Some(Left::Mail { mail: left, raw, place }) = end.recv().await else { panic!("it has not left") };
        assert_eq!((*left, raw.as_slice(), room.places()), (mail, &b"raw"[..], 33));
        drop(place);
        assert!(end.recv().await.is_none(), "nobody else comes");
        assert_eq!(room.places(), 34);
    }

    #[tokio::test]
    async fn a_claim_without_its_maker_is_left_to_the_worker() {
        let (_folder, _, express, mut end) = express();
        let claim = Claim::Mail((&message(1, "")).into());
        express.finish(claim);
        assert!(matches!(end.recv().await, Some(Left::Claim(found)) if found == claim));
    }
}
