//! Vault with the cipher of the server.

use std::sync::atomic::{AtomicU64, Ordering};

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use inboxd_core::ports::{Vault, VaultError};

/// Vault that numbers its nonces.
pub(super) struct TestVault {
    cipher: XChaCha20Poly1305,
    sealed: AtomicU64,
}

impl TestVault {
    pub(super) fn new(key: u8) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&[key; 32].into()), sealed: AtomicU64::new(0) }
    }
}

impl Vault for TestVault {
    fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0; 24];
        nonce[..8].copy_from_slice(&self.sealed.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let payload = Payload { msg: plain, aad: context };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| VaultError)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let (nonce, sealed) = sealed.split_first_chunk::<24>().ok_or(VaultError)?;
        let payload = Payload { msg: sealed, aad: context };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| VaultError)
    }
}
