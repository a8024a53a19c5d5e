//! DKIM signatures of outgoing messages (RFC 6376).

use async_trait::async_trait;

use crate::model::OutgoingId;

/// Domain and key of a signature.
#[derive(Debug, Clone, Copy)]
pub struct SignedBy<'a> {
    /// The domain, `d=`.
    pub domain: &'a str,
    /// The selector, `s=`.
    pub selector: &'a str,
    /// The private key: PKCS#8 in DER.
    pub private_key: &'a [u8],
}

/// Failure to sign, with the unchanged message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSigned {
    /// The raw message.
    pub raw: Vec<u8>,
    /// The reason.
    pub reason: String,
}

/// Signs messages.
#[async_trait]
pub trait Signer: Send + Sync {
    /// Prepends a signature over the whole message. It takes a millisecond of a processor, and another for every few
    /// megabytes, without blocking other tasks.
    ///
    /// # Errors
    ///
    /// [`NotSigned`] when the key is invalid.
    async fn sign(&self, by: SignedBy<'_>, raw: Vec<u8>) -> Result<Vec<u8>, NotSigned>;

    /// Reports to the operator that a message leaves without its expected signature.
    fn missed(&self, outgoing_id: OutgoingId, reason: &str);
}
