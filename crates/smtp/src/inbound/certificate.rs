//! The certificate of the server: from files, which may change while it runs, or made by itself.

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

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read, or holds nothing of use.
    #[error("{} holds no {what} in PEM that can be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// Why not.
        reason: String,
    },
    /// The key is not that of the certificate, or of no kind that TLS uses.
    #[error("the certificate and its key do not fit: {0}")]
    Unfit(#[from] rustls::Error),
    /// No certificate could be made.
    #[error("no certificate could be made: {0}")]
    NotMade(#[from] rcgen::Error),
}

/// A certificate that can be exchanged while sessions go on: each handshake takes the one of that moment.
#[derive(Clone)]
pub struct Certificate {
    current: Arc<RwLock<Arc<CertifiedKey>>>,
    files: Option<Arc<Files>>,
}

/// Where a certificate and its key lie, and when they were last read.
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    read: RwLock<Option<Stamp>>,
}

/// When two files last changed, and how long they are.
type Stamp = [(SystemTime, u64); 2];

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

impl Certificate {
    /// One of this server's own making, good for encryption and for nobody's trust. Servers that send mail take it (RFC
    /// 7435): the alternative is no encryption at all.
    ///
    /// # Errors
    /// [`CertificateError::NotMade`].
    pub fn self_signed(hostname: &str) -> Result<Self, CertificateError> {
        let made = rcgen::generate_simple_self_signed([hostname.to_owned()])?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let held = CertifiedKey::from_der(vec![made.cert.der().clone()], key, &provider())?;
        Ok(Self { current: Arc::new(RwLock::new(Arc::new(held))), files: None })
    }

    /// The one in two PEM files: the certificate with those between it and the root, and its private key.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, CertificateError> {
        let read = stamp(certificate, key);
        let held = load(certificate, key)?;
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned(), read: RwLock::new(read) };
        Ok(Self { current: Arc::new(RwLock::new(Arc::new(held))), files: Some(Arc::new(files)) })
    }

    /// Reads the files again if they have changed. Answers whether another certificate is in use now; what cannot be read
    /// changes nothing, and is read again at the next call.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn refresh(&self) -> Result<bool, CertificateError> {
        let Some(files) = &self.files else { return Ok(false) };
        let now = stamp(&files.certificate, &files.key);
        if now.is_some() && now == *files.read.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(false);
        }
        let held = load(&files.certificate, &files.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(held);
        *files.read.write().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(true)
    }

    /// What handshakes are done with.
    ///
    /// # Errors
    /// When TLS cannot be set up at all.
    pub fn server_config(&self) -> Result<Arc<ServerConfig>, rustls::Error> {
        let config = ServerConfig::builder_with_provider(Arc::new(provider())).with_safe_default_protocol_versions()?;
        Ok(Arc::new(config.with_no_client_auth().with_cert_resolver(Arc::new(self.clone()))))
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn provider() -> CryptoProvider {
    aws_lc_rs::default_provider()
}

fn stamp(certificate: &Path, key: &Path) -> Option<Stamp> {
    let of = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    Some([of(certificate)?, of(key)?])
}

fn load(certificate: &Path, key: &Path) -> Result<CertifiedKey, CertificateError> {
    let unread = |path: &Path, what: &'static str| {
        let path = path.to_owned();
        move |reason: String| CertificateError::File { path, what, reason }
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unread(certificate, "certificate")(error.to_string()))?;
    if chain.is_empty() {
        return Err(unread(certificate, "certificate")("there is none in it".to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, "private key")(error.to_string()))?;
    Ok(CertifiedKey::from_der(chain, private, &provider())?)
}
