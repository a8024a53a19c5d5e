//! Readers who wait for events: over a WebSocket, as Server-Sent Events, and requests that wait.
//!
//! ```text
//! hub.rs       one channel for each organization somebody waits in, for as long as they do
//! channel.rs   reads the organization's feed once, for everybody who waits in it
//! keys.rs      who the waiting are: read anew before anything is told
//! follower.rs  one reader, with a place of their own in the feed
//! waiting.rs   requests that wait until there is an answer
//! item.rs      an event, rendered once for all who see the same of it
//! recent.rs    what a channel holds of them, for those who have not read them yet
//! ```
//!
//! The table is the truth: a signal only says that it is worth a look, and a reader who comes back later, or falls behind,
//! reads on from their place in the table.

mod channel;
mod follower;
mod hub;
mod item;
mod keys;
mod recent;
mod waiting;

pub(crate) use follower::{Ended, Follower, Told};
pub use hub::Live;
pub(crate) use hub::Seat;
pub(crate) use waiting::until;
