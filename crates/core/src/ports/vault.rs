//! Secrets at rest.

/// A sealed secret could not be opened: it was made under another key, or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret cannot be opened: was INBOXD_SECRET_KEY changed?")]
pub struct VaultError;

/// Seals what is stored so that whoever reads the database alone cannot read it.
pub trait Vault: Send + Sync {
    /// Seals octets for one place: the context, for example the row's id, must be given again to open them.
    ///
    /// # Errors
    /// When they are too large to seal.
    fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError>;

    /// Opens what was sealed for the same context.
    ///
    /// # Errors
    /// When it was not, or was sealed under another key.
    fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError>;
}
