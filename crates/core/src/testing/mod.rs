//! Stubs and mocks of all ports, for tests of the use cases and of their callers (feature `testing`).
//!
//! A [`World`] holds a [`MockStore`], a fixed clock, seeded randomness and other stubs. A test sets the expected calls
//! and their results, prepares each unit of work as a [`MockTx`], and builds an [`App`](crate::app::App). An unexpected
//! call fails the test, and so does an expected call that is missing.

mod calendar_event;
mod captured;
mod courier;
mod environment;
pub mod fixtures;
mod journal;
mod payments;
mod store;
mod tx;
mod world;

pub use captured::Captured;
pub use courier::StubCourier;
pub use environment::{
    FixedClock, InlineBlockingPool, PlainVault, RecordingWake, SeededRandom, StubAuthenticator, StubDestinations,
    StubDns, StubFetch, StubKeys, StubScanner, StubSigner,
};
pub use journal::{Happened, Journal};
pub use payments::MockPayments;
pub use store::MockStore;
pub use tx::MockTx;
pub use world::World;
