//! Verification of server certificates by TLSA records (RFC 7671, section 5).

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, SHA512, digest};
use inboxd_core::rules::dane::{TlsaRecord, TlsaSet};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, aws_lc_rs as provider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Number of certificates of a chain that are compared.
const MAX_CHAIN_CERTIFICATES: usize = 16;

/// Returns a configuration that accepts the certificates of a set of TLSA records.
pub(in crate::direct) fn dane_config(set: &TlsaSet) -> Result<ClientConfig, Error> {
    let provider = Arc::new(provider::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let verifier = Arc::new(DaneVerifier { set: set.clone(), provider });
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// No TLSA record authenticates the certificate of the server.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("its certificate does not match its TLSA records (DANE)")]
struct TlsaMismatch;

/// Verifier that accepts the certificates of a set of TLSA records.
#[derive(Debug)]
struct DaneVerifier {
    set: TlsaSet,
    provider: Arc<CryptoProvider>,
}

impl DaneVerifier {
    /// Verifies a chain that ends at a trust anchor of the records, with a name of the set.
    fn verify_trust_anchor(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let anchors: Vec<&TlsaRecord> = self.set.records.iter().filter(|record| record.is_trust_anchor()).collect();
        let mut roots = RootCertStore::empty();
        for certificate in intermediates.iter().take(MAX_CHAIN_CERTIFICATES) {
            if anchors.iter().any(|record| matches(record, certificate)) {
                // A certificate that cannot be an anchor authenticates nothing.
                let _ = roots.add(certificate.clone().into_owned());
            }
        }
        // A whole certificate in a record may be missing in the chain (RFC 7671, section 5.2.2).
        for record in anchors.iter().filter(|record| (record.selector, record.matching) == (0, 0)) {
            let _ = roots.add(CertificateDer::from(record.data.clone()));
        }
        if roots.is_empty() {
            return Err(mismatch());
        }
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(&certificate, &roots, intermediates, now, algorithms)?;
        let mut result = Err(mismatch());
        for name in self.set.names.iter().filter_map(|name| ServerName::try_from(name.as_str()).ok()) {
            result = verify_server_name(&certificate, &name);
            if result.is_ok() {
                break;
            }
        }
        result
    }
}

impl ServerCertVerifier for DaneVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // Neither names nor expiry count here (RFC 7671, section 5.1).
        if self.set.records.iter().any(|record| record.is_end_entity() && matches(record, end_entity)) {
            return Ok(ServerCertVerified::assertion());
        }
        self.verify_trust_anchor(end_entity, intermediates, now)?;
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

fn mismatch() -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(TlsaMismatch))))
}

/// Returns whether a usable record names a certificate (RFC 6698, section 2.1).
fn matches(record: &TlsaRecord, certificate: &CertificateDer<'_>) -> bool {
    let content = match record.selector {
        0 => certificate.as_ref(),
        _ => match X509Certificate::from_der(certificate) {
            Ok((_, parsed)) => parsed.tbs_certificate.subject_pki.raw,
            Err(_) => return false,
        },
    };
    match record.matching {
        0 => content == record.data,
        1 => digest(&SHA256, content).as_ref() == record.data,
        _ => digest(&SHA512, content).as_ref() == record.data,
    }
}

#[cfg(test)]
mod tests;
