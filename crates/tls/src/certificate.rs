//! TLS certificate of the server, from replaceable files or self-signed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::info::CertificateInfo;

/// Reason for which there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read or has no usable content.
    #[error("{} has no readable {expected} in PEM format: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
        /// The cause.
        reason: String,
    },
    /// The key does not belong to the certificate, or TLS does not support its kind.
    #[error("certificate and key do not match: {0}")]
    Mismatch(#[from] rustls::Error),
    /// The self-signed certificate cannot be generated.
    #[error("certificate generation failed: {0}")]
    Generation(#[from] rcgen::Error),
    /// The text is no certificate chain or private key in PEM format.
    #[error("not a certificate with its private key in PEM format: {0}")]
    Pem(#[from] rustls::pki_types::pem::Error),
    /// The certificate cannot be parsed.
    #[error("not an X.509 certificate: {0}")]
    Parse(String),
}

/// Certificate that may be replaced at run time. Each handshake uses the current one.
#[derive(Clone)]
pub struct ServerCertificate {
    current: Arc<RwLock<Arc<CertifiedKey>>>,
    files: Option<Arc<CertificateFiles>>,
}

/// Paths of certificate and key, with their state at the last read.
struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
    read: RwLock<Option<FileStamps>>,
}

/// Modification time and size of both files.
type FileStamps = [(SystemTime, u64); 2];

impl fmt::Debug for ServerCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

impl ServerCertificate {
    /// Generates a self-signed certificate for names. It encrypts without proving identity; sending servers accept it (RFC 7435),
    /// because the alternative is plain text.
    ///
    /// # Errors
    /// [`CertificateError::Generation`].
    pub fn self_signed(names: &[String]) -> Result<Self, CertificateError> {
        let generated = rcgen::generate_simple_self_signed(names)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(generated.signing_key.serialize_der()));
        let key_pair = CertifiedKey::from_der(vec![generated.cert.der().clone()], key, &provider())?;
        Ok(Self { current: Arc::new(RwLock::new(Arc::new(key_pair))), files: None })
    }

    /// Reads two PEM files: the certificate with its intermediates, and its private key.
    ///
    /// # Errors
    /// [`CertificateError`] when a file is not usable or both do not match.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let read = file_stamps(certificate, key);
        let key_pair = load_key(certificate, key)?;
        let files =
            CertificateFiles { certificate: certificate.to_owned(), key: key.to_owned(), read: RwLock::new(read) };
        Ok(Self { current: Arc::new(RwLock::new(Arc::new(key_pair))), files: Some(Arc::new(files)) })
    }

    /// Reads the files again if they have changed. Returns whether another certificate is in use now. After a failure
    /// the old one stays, and the next call reads again.
    ///
    /// # Errors
    /// [`CertificateError`] when a file is not usable or both do not match.
    pub fn refresh(&self) -> Result<bool, CertificateError> {
        let Some(files) = &self.files else { return Ok(false) };
        let now = file_stamps(&files.certificate, &files.key);
        if now.is_some() && now == *files.read.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(false);
        }
        let key_pair = load_key(&files.certificate, &files.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key_pair);
        *files.read.write().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(true)
    }

    /// Replaces the certificate by one in PEM: the chain and the private key.
    ///
    /// # Errors
    /// [`CertificateError`] when the texts are not usable or do not match.
    pub fn replace(&self, chain: &str, key: &str) -> Result<(), CertificateError> {
        let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>()?;
        let private = PrivateKeyDer::from_pem_slice(key.as_bytes())?;
        let key_pair = CertifiedKey::from_der(chain, private, &provider())?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(key_pair);
        Ok(())
    }

    /// Returns names and validity of the certificate in use.
    ///
    /// # Errors
    /// [`CertificateError::Parse`].
    pub fn info(&self) -> Result<CertificateInfo, CertificateError> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let certificate = current.cert.first().ok_or_else(|| CertificateError::Parse("no certificate".to_owned()))?;
        CertificateInfo::of(certificate)
    }

    /// Returns the TLS configuration for handshakes that offers these ALPN protocols, the preferred one first.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn server_config(&self, protocols: &[&[u8]]) -> Result<Arc<ServerConfig>, rustls::Error> {
        configuration(Arc::new(self.clone()), protocols)
    }
}

/// Returns a TLS configuration that uses the certificates of a resolver.
pub(crate) fn configuration(
    resolver: Arc<dyn ResolvesServerCert>,
    protocols: &[&[u8]],
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let config = ServerConfig::builder_with_provider(Arc::new(provider())).with_safe_default_protocol_versions()?;
    let mut config = config.with_no_client_auth().with_cert_resolver(resolver);
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(Arc::new(config))
}

impl ResolvesServerCert for ServerCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

pub(crate) fn provider() -> CryptoProvider {
    aws_lc_rs::default_provider()
}

fn file_stamps(certificate: &Path, key: &Path) -> Option<FileStamps> {
    let of = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    Some([of(certificate)?, of(key)?])
}

fn load_key(certificate: &Path, key: &Path) -> Result<CertifiedKey, CertificateError> {
    let file_error = |path: &Path, expected: &'static str| {
        let path = path.to_owned();
        move |reason: String| CertificateError::File { path, expected, reason }
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(certificate, "certificate")(error.to_string()))?;
    if chain.is_empty() {
        return Err(file_error(certificate, "certificate")("the file has none".to_owned()));
    }
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| file_error(key, "private key")(error.to_string()))?;
    Ok(CertifiedKey::from_der(chain, private, &provider())?)
}
