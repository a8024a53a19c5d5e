//! Custom domains: which names can be added, what must stand in DNS, and what follows from what was found there.

mod dkim;
pub mod dmarc;
pub mod minting;
mod mx;
pub mod name;
pub mod own;
pub mod records;
pub mod rotation;
pub mod spf;
pub mod status;
mod tags;
pub mod verify;
pub mod zone;
