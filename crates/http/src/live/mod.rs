//! Live delivery of events: WebSocket, Server-Sent Events and long polling.
//!
//! ```text
//! hub.rs        one channel for each organization that has subscribers
//! channel.rs    reads the feed of an organization once for all its subscribers
//! keys.rs       keys of the subscribers; rechecked before events are sent
//! follower.rs   one subscriber with its own position in the feed
//! long_poll.rs  requests that wait for an event
//! feed_page.rs  requests that wait for a page of events
//! item.rs       an event, rendered once for all readers with the same visibility
//! recent.rs     bounds the memory of sent events
//! pending.rs    events that were sequenced in this process and need no table scan
//! ```
//!
//! The table is authoritative; a signal is only a hint to read it. A reader that reconnects or lags resumes at its
//! position in the table. Events that were sequenced in this process are passed to the channel directly. The channel
//! uses them only when they follow its position without a gap.

mod channel;
mod feed_page;
mod follower;
mod hub;
mod item;
mod keys;
mod long_poll;
mod pending;
mod recent;

pub(crate) use feed_page::{next_page, wait_for_page};
pub(crate) use follower::{FeedFollower, FollowError, FollowedEvent};
pub(crate) use hub::Subscriber;
pub use hub::{LiveFeed, LiveFeedHandle};
pub(crate) use long_poll::{WaitingCaller, until, wait, waiting_caller};
