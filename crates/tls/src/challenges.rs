//! Responses to the challenges of orders in progress (RFC 8555, section 8; RFC 8737).

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::model::certificate::AcmeChallenge;
use inboxd_core::ports::{CertificateStore, Clock};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::certificate::{CertificateError, configuration, provider};

/// Time for which read challenges are used. Clients without a challenge cause no further read. An order waits longer than
/// this before the server validates.
pub(crate) const CHALLENGES_TTL: Duration = Duration::from_millis(500);
/// ALPN protocol id of `tls-alpn-01`.
const ALPN_ACME: &[u8] = b"acme-tls/1";

/// Challenges of all processes, read when a client asks for one.
pub struct Challenges {
    store: Arc<dyn CertificateStore>,
    clock: Arc<dyn Clock>,
    read: Mutex<Option<(Instant, Arc<[AcmeChallenge]>)>>,
}

impl Challenges {
    /// Creates a reader of stored challenges.
    #[must_use]
    pub fn new(store: Arc<dyn CertificateStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, read: Mutex::new(None) }
    }

    /// Returns the key authorization of a token; `None` without such a challenge.
    pub async fn key_authorization(&self, token: &str) -> Option<String> {
        let challenges = self.load().await;
        challenges.iter().find(|challenge| challenge.token == token).map(|found| found.key_authorization.clone())
    }

    /// Returns the TLS configuration that proves control of a name; `None` without such a challenge.
    pub async fn tls_config(&self, name: &str) -> Option<Arc<ServerConfig>> {
        let challenges = self.load().await;
        // Challenges are ordered newest first.
        let challenge = challenges.iter().find(|challenge| challenge.name.eq_ignore_ascii_case(name))?;
        validation_config(challenge)
            .inspect_err(|error| tracing::warn!(%error, name, "challenge certificate not created"))
            .ok()
    }

    async fn load(&self) -> Arc<[AcmeChallenge]> {
        // Concurrent callers wait for one read.
        let mut read = self.read.lock().await;
        if let Some((at, challenges)) = read.as_ref()
            && at.elapsed() < CHALLENGES_TTL
        {
            return Arc::clone(challenges);
        }
        let challenges = self.store.load_acme_challenges(self.clock.now()).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "ACME challenges not read");
            Vec::new()
        });
        let challenges: Arc<[AcmeChallenge]> = challenges.into();
        *read = Some((Instant::now(), Arc::clone(&challenges)));
        challenges
    }
}

/// Returns the configuration with the certificate of a challenge.
fn validation_config(challenge: &AcmeChallenge) -> Result<Arc<ServerConfig>, CertificateError> {
    let key = KeyPair::generate()?;
    let certificate = challenge_certificate(challenge, &key)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    // `CertifiedKey::from_der` refuses critical extensions that it does not know, and this one is required.
    let signing_key = provider().key_provider.load_private_key(private)?;
    let key_pair = CertifiedKey::new(vec![certificate], signing_key);
    Ok(configuration(Arc::new(FixedCertificate(Arc::new(key_pair))), &[ALPN_ACME])?)
}

/// Returns the certificate of a challenge: for its name, with the digest of the key authorization (RFC 8737, section 3).
fn challenge_certificate(
    challenge: &AcmeChallenge,
    key: &KeyPair,
) -> Result<CertificateDer<'static>, CertificateError> {
    let mut params = CertificateParams::new([challenge.name.clone()])?;
    let digest = Sha256::digest(challenge.key_authorization.as_bytes());
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    Ok(params.self_signed(key)?.der().clone())
}

#[derive(Debug)]
struct FixedCertificate(Arc<CertifiedKey>);

impl ResolvesServerCert for FixedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use time::OffsetDateTime;

    use super::*;
    use crate::info::CertificateInfo;

    #[test]
    fn challenge_has_a_certificate() {
        let challenge = AcmeChallenge {
            token: "token".to_owned(),
            name: "mail.example.org".to_owned(),
            key_authorization: "token.thumbprint".to_owned(),
            expires_at: OffsetDateTime::UNIX_EPOCH,
        };
        assert_eq!(validation_config(&challenge).unwrap().alpn_protocols, [ALPN_ACME]);
        let certificate = challenge_certificate(&challenge, &KeyPair::generate().unwrap()).unwrap();
        assert_eq!(CertificateInfo::of(&certificate).unwrap().names, ["mail.example.org"]);
        let (_, parsed) = x509_parser::parse_x509_certificate(&certificate).unwrap();
        let identifier = parsed.extensions().iter().find(|one| one.oid.to_id_string() == "1.3.6.1.5.5.7.1.31").unwrap();
        assert!(identifier.critical);
        assert!(identifier.value.ends_with(&Sha256::digest("token.thumbprint")));
    }
}
