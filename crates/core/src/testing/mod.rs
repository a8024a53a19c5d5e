//! Stubs and mocks of all ports, for tests of the use cases and of their callers (feature `testing`).
//!
//! A [`World`] holds a [`MockStore`], a fixed clock, seeded randomness and other stubs. A test sets the expected calls
//! and their results, prepares each unit of work as a [`MockTx`], and builds an [`App`](crate::app::App). An unexpected
//! call fails the test, and so does an expected call that is missing.
//!
//! Unit tests of this crate have the stubs only: compiling the mocks a second time for them would take minutes.

mod blobs;
mod calendar_event;
mod captured;
mod courier;
mod environment;
pub mod fixtures;
mod journal;
#[cfg(not(test))]
mod payments;
#[cfg(not(test))]
mod store;
#[cfg(not(test))]
mod tx;
#[cfg(not(test))]
mod world;

pub use blobs::MemoryBlobs;
pub use captured::Captured;
pub use courier::StubCourier;
pub use environment::{
    FixedClock, InlineBlockingPool, PlainVault, RecordingWake, SeededRandom, StubAuthenticator, StubDestinations,
    StubDns, StubFetch, StubKeys, StubScanner, StubSigner,
};
pub use journal::{Happened, Journal};
#[cfg(not(test))]
pub use payments::MockPayments;
#[cfg(not(test))]
pub use store::MockStore;
#[cfg(not(test))]
pub use tx::MockTx;
#[cfg(not(test))]
pub use world::World;
