//! DKIM signing of outgoing messages (RFC 6376).

mod keygen;
mod signer;

pub use keygen::RsaKeyMaker;
pub use signer::DkimSigner;
