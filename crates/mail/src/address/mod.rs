//! Validated addresses and addresses from headers.

mod email;
mod header;
mod mailbox;

pub use email::{AddressError, EmailAddress, canonical_local, normalized_address};
pub use header::HeaderAddress;
pub(crate) use header::parse_address_list;
pub use mailbox::Mailbox;
