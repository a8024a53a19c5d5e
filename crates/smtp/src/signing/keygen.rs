//! Generation of RSA signing keys.

use async_trait::async_trait;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use inboxd_core::ports::{KeyMaker, KeyMakerError, KeyPair};

/// Key generator with AWS-LC. Generation runs on blocking threads.
#[derive(Debug, Clone, Copy, Default)]
pub struct RsaKeyMaker;

#[async_trait]
impl KeyMaker for RsaKeyMaker {
    async fn rsa_2048(&self) -> Result<KeyPair, KeyMakerError> {
        let made = tokio::task::spawn_blocking(generate).await.map_err(|error| KeyMakerError(error.to_string()))?;
        made.map_err(|Unspecified| KeyMakerError("key generation failed".to_owned()))
    }
}

fn generate() -> Result<KeyPair, Unspecified> {
    let pair = RsaKeyPair::generate(KeySize::Rsa2048)?;
    let private: Pkcs8V1Der<'_> = pair.as_der()?;
    let public: PublicKeyX509Der<'_> = pair.public_key().as_der()?;
    Ok(KeyPair { private: private.as_ref().to_vec(), public: public.as_ref().to_vec() })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey};

    use super::*;

    #[tokio::test]
    async fn public_key_verifies_signature_of_private_key() {
        let made = RsaKeyMaker.rsa_2048().await.unwrap();
        let private = RsaKeyPair::from_pkcs8(&made.private).unwrap();
        assert_eq!(private.public_modulus_len(), 256);
        let mut signature = vec![0; private.public_modulus_len()];
        private.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), b"mail", &mut signature).unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &made.public);
        assert!(public.verify(b"mail", &signature).is_ok());
        assert!(public.verify(b"other", &signature).is_err());
    }

    #[tokio::test]
    async fn generated_keys_differ() {
        let (one, other) = (RsaKeyMaker.rsa_2048().await.unwrap(), RsaKeyMaker.rsa_2048().await.unwrap());
        assert!(one.private != other.private && one.public != other.public);
    }
}
