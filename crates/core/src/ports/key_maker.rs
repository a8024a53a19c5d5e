//! Making keys that sign mail.

use async_trait::async_trait;

/// A fresh key pair.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPair {
    /// The private half: PKCS#8 in DER.
    pub private: Vec<u8>,
    /// The public half: `SubjectPublicKeyInfo` in DER.
    pub public: Vec<u8>,
}

/// Why no key was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no key could be made: {0}")]
pub struct KeyMakerError(pub String);

/// Makes keys. It takes tenths of a second of a processor, and holds nobody else up meanwhile.
#[async_trait]
pub trait KeyMaker: Send + Sync {
    /// An RSA key of 2048 bits: what every receiver verifies (RFC 8301, section 3.2).
    ///
    /// # Errors
    /// When the machine gives no randomness.
    async fn rsa_2048(&self) -> Result<KeyPair, KeyMakerError>;
}
