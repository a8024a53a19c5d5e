//! Signing mail that leaves (RFC 6376).

use async_trait::async_trait;

use crate::model::OutgoingId;

/// In whose name, and with which key, a mail is signed.
#[derive(Debug, Clone, Copy)]
pub struct SignedBy<'a> {
    /// The domain: `d=`.
    pub domain: &'a str,
    /// The name of the key: `s=`.
    pub selector: &'a str,
    /// The private half: PKCS#8 in DER.
    pub private_key: &'a [u8],
}

/// A mail that could not be signed, as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSigned {
    /// The mail.
    pub raw: Vec<u8>,
    /// Why.
    pub reason: String,
}

/// Signs mail.
#[async_trait]
pub trait Signer: Send + Sync {
    /// Puts a signature of the whole mail before it. It takes a millisecond of a processor, and as much again for every
    /// few megabytes, and holds nobody else up meanwhile.
    ///
    /// # Errors
    /// [`NotSigned`], when the key is none.
    async fn sign(&self, by: SignedBy<'_>, raw: Vec<u8>) -> Result<Vec<u8>, NotSigned>;

    /// Tells the operator that a mail leaves without a signature that it should have.
    fn missed(&self, outgoing_id: OutgoingId, reason: &str);
}
