//! Being told of events, in order and without a gap: from where to read on, what a caller is shown, and giving places to
//! those that were committed without.

mod follow;
mod place;
mod read;
mod sequence;
mod shown;

pub use follow::{Subscription, Watched, standings, watch, watch_all};
pub use place::{head, place_of};
pub use read::{FeedFilter, NextPage, events_of, read_on, stretch};
pub use sequence::sequence;
pub(super) use shown::threads_of;
pub use shown::{Share, share};
