//! Whose certificates are trusted.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// How certificates are checked, by where the relay is.
#[derive(Debug, Clone)]
pub(super) struct Tls {
    elsewhere: Arc<ClientConfig>,
    this_machine: Arc<ClientConfig>,
}

impl Tls {
    /// Public roots for the world, any certificate on this machine.
    pub(super) fn public() -> Result<Self, Error> {
        let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder =
            || ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let elsewhere = builder()?.with_root_certificates(roots).with_no_client_auth();
        let anyone = Arc::new(Anyone { provider: Arc::clone(&provider) });
        let this_machine = builder()?.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth();
        Ok(Self { elsewhere: Arc::new(elsewhere), this_machine: Arc::new(this_machine) })
    }

    /// One way for every relay.
    pub(super) fn given(config: Arc<ClientConfig>) -> Self {
        Self { elsewhere: Arc::clone(&config), this_machine: config }
    }

    /// The way for a relay on this machine, or on another.
    pub(super) fn config(&self, on_this_machine: bool) -> Arc<ClientConfig> {
        Arc::clone(if on_this_machine { &self.this_machine } else { &self.elsewhere })
    }
}

/// Takes any certificate, but still has its holder prove that it has the key.
#[derive(Debug)]
struct Anyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
