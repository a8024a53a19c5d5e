//! Stub of the courier.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Captured, Journal};
use crate::model::{Claim, QueuedMail};
use crate::ports::{Courier, Departure, WorkJournal};

/// A courier with a limited capacity that captures messages. Clones share their state.
#[derive(Clone)]
pub struct StubCourier {
    places: Arc<AtomicUsize>,
    journal: Journal,
    /// The dispatched messages with their raw content.
    pub gone: Captured<(QueuedMail, Vec<u8>)>,
    /// The claims to finish.
    pub finished: Captured<Claim>,
}

impl StubCourier {
    /// Creates a courier with a capacity and the journal that records its claims.
    #[must_use]
    pub fn new(places: usize, journal: Journal) -> Self {
        let places = Arc::new(AtomicUsize::new(places));
        Self { places, journal, gone: Captured::default(), finished: Captured::default() }
    }

    /// Returns the free capacity.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places.load(Ordering::SeqCst)
    }
}

impl Courier for StubCourier {
    fn departure(&self, _: &QueuedMail, _: usize) -> Option<Box<dyn Departure>> {
        let less = |places: usize| places.checked_sub(1);
        self.places.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).ok()?;
        Some(Box::new(Place(self.clone())))
    }

    fn journal(&self) -> &dyn WorkJournal {
        &self.journal
    }

    fn finish(&self, claim: Claim) {
        self.finished.push(claim);
    }
}

/// One unit of the capacity, returned on drop.
struct Place(StubCourier);

impl Departure for Place {
    fn go(self: Box<Self>, mail: QueuedMail, raw: Vec<u8>) {
        self.0.gone.push((mail, raw));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.places.fetch_add(1, Ordering::SeqCst);
    }
}
