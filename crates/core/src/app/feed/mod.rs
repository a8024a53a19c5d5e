//! Event feed of an organization: ordered and gapless delivery of events to readers.
//!
//! The module resolves cursors, reads batches, decides the visibility of events, and assigns positions to committed
//! events.

mod credential;
mod follow;
mod place;
mod read;
mod sequence;
mod shown;

pub use credential::{FeedCredential, standings};
pub use follow::{Subscription, Watched, watch, watch_all};
pub use place::{head, place_of};
pub use read::{FeedFilter, NextPage, events_of, read_on, read_watched, stretch};
pub use sequence::sequence;
pub(super) use shown::threads_of;
pub use shown::{Share, share};
