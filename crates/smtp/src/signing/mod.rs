//! Signing mail that leaves (RFC 6376): making keys, and signing with them.

mod maker;
mod signer;

pub use maker::RsaKeyMaker;
pub use signer::DkimSigner;
