//! Creation of DKIM keys.

use async_trait::async_trait;

/// A new key pair.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPair {
    /// The private half: PKCS#8 in DER.
    pub private: Vec<u8>,
    /// The public half: `SubjectPublicKeyInfo` in DER.
    pub public: Vec<u8>,
}

/// Reason for the failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("key generation failed: {0}")]
pub struct KeyMakerError(pub String);

/// Creates keys. It takes tenths of a second of a processor, without blocking other tasks.
#[async_trait]
pub trait KeyMaker: Send + Sync {
    /// Returns an RSA key of 2048 bits, which every receiver verifies (RFC 8301, section 3.2).
    ///
    /// # Errors
    ///
    /// When the operating system provides no randomness.
    async fn rsa_2048(&self) -> Result<KeyPair, KeyMakerError>;
}
