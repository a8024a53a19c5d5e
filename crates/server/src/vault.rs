//! Secrets at rest: XChaCha20-Poly1305, bound to the context of each secret.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use inboxd_core::ports::{Random, Vault, VaultError};

/// Version of the format, so that another can follow.
const VERSION: u8 = 1;
const NONCE: usize = 24;

/// Vault with one key: `version (1) · nonce (24) · ciphertext and tag`.
pub(crate) struct KeyVault<R> {
    cipher: XChaCha20Poly1305,
    random: R,
}

impl<R: Random> KeyVault<R> {
    pub(crate) fn new(key: [u8; 32], random: R) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&key.into()), random }
    }
}

impl<R: Random> Vault for KeyVault<R> {
    fn seal(&self, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0; NONCE];
        self.random.fill(&mut nonce);
        let payload = Payload { msg: plain, aad: context };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| VaultError)?;
        Ok([&[VERSION], nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let (version, rest) = sealed.split_first().ok_or(VaultError)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or(VaultError)?;
        if *version != VERSION {
            return Err(VaultError);
        }
        let payload = Payload { msg: sealed, aad: context };
        self.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| VaultError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::SystemRandom;

    fn vault(key: u8) -> KeyVault<SystemRandom> {
        KeyVault::new([key; 32], SystemRandom)
    }

    #[test]
    fn sealed_secret_opens_with_its_key_and_context_only() -> Result<(), VaultError> {
        let sealed = vault(1).seal(b"here", b"a secret")?;
        assert_eq!(vault(1).open(b"here", &sealed), Ok(b"a secret".to_vec()));
        assert_eq!(vault(1).open(b"there", &sealed), Err(VaultError));
        assert_eq!(vault(2).open(b"here", &sealed), Err(VaultError));
        Ok(())
    }

    #[test]
    fn changed_secret_does_not_open() -> Result<(), VaultError> {
        let sealed = vault(1).seal(b"here", b"a secret")?;
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert_eq!(vault(1).open(b"here", &changed), Err(VaultError), "byte {place}");
            assert_eq!(vault(1).open(b"here", &sealed[..place]), Err(VaultError), "{place} bytes");
        }
        Ok(())
    }

    #[test]
    fn the_same_secret_is_never_sealed_the_same_way() -> Result<(), VaultError> {
        assert_ne!(vault(1).seal(b"", b"x")?, vault(1).seal(b"", b"x")?);
        Ok(())
    }
}
