//! Custom domains: valid names, required DNS records and their evaluation.

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
