//! Stand-ins for every port, for tests of the use cases here and of those who call them (feature `testing`).
//!
//! A [`World`] holds a [`MockStore`], a clock that stands still, randomness that repeats itself and the like. A test says
//! what the store is asked and what it answers, prepares each unit of work as a [`MockTx`], and makes an
//! [`App`](crate::app::App) of it. What it did not prepare makes it fail, and so does what it prepared in vain.

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
    StubDns, StubFetch, StubKeys, StubSigner,
};
pub use journal::{Happened, Journal};
pub use payments::MockPayments;
pub use store::MockStore;
pub use tx::MockTx;
pub use world::World;
