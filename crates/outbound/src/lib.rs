//! HTTP requests that inboxd makes, behind the guard against private addresses.
//!
//! A caller of the API names URLs that the server then reads. Without a guard that would let anyone reach what only the
//! server can reach: its own loopback, the network it stands in, the metadata service of its cloud. So every connection
//! goes through one [`Guard`], and it stands where the connection is made: a name is resolved once, the addresses found
//! are checked, and exactly those are dialled. An answer that changes between check and use (DNS rebinding), an address
//! written in an unusual way and a redirect all meet the same check.
//!
//! ```
//! use inboxd_outbound::{Cidr, Guard, is_public};
//!
//! let guard = Guard::allowing(vec!["10.1.0.0/16".parse::<Cidr>()?]);
//! assert!(guard.permits("10.1.2.3".parse()?));
//! assert!(!guard.permits("169.254.169.254".parse()?));
//! assert!(is_public("192.0.1.1".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cidr;
mod client;
mod connect;
mod destinations;
mod fetch;
mod guard;
mod media_type;
mod problem;
mod rspamd;
mod send;
mod stream;
mod target;
#[cfg(test)]
mod tests;

pub use cidr::{Cidr, CidrError};
pub use client::Patience;
pub use destinations::GuardedDestinations;
pub use fetch::Fetcher;
pub use guard::{Guard, is_public};
pub use rspamd::{NotJudged, Rspamd, RspamdUrl, RspamdUrlError};
pub use send::Sender;
