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
//! handed.rs    events that got their places in this process, which need not be looked for
//! ```
//!
//! The table is the truth: a signal only says that it is worth a look, and a reader who comes back later, or falls behind,
//! reads on from their place in the table. What got its place in this process is handed over, and only read where it stands
//! right behind what was read before.

mod channel;
mod follower;
mod hub;
mod item;
mod keys;
mod long_poll;
mod pending;
mod recent;

pub(crate) use follower::{FeedFollower, FollowError, FollowedEvent};
pub(crate) use hub::Subscriber;
pub use hub::{LiveFeed, LiveFeedHandle};
pub(crate) use long_poll::until;
