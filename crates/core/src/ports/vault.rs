//! Encryption of secrets at rest.

/// Failure to open a secret: it was sealed with another key or has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret cannot be opened: was INBOXD_SECRET_KEY changed?")]
pub struct VaultError;

/// Encrypts secrets so that access to the database alone does not reveal them.
pub trait Vault: Send + Sync {
    /// Encrypts bytes for a context, for example a row id. The same context is required to open them.
    ///
    /// # Errors
    ///
    /// When the input is too large.
    fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError>;

    /// Decrypts bytes sealed for the same context.
    ///
    /// # Errors
    ///
    /// When the context or the key differs.
    fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError>;
}
