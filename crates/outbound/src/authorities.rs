//! Certificate authorities that outgoing HTTPS requests trust.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// The public certificate authorities of the web (webpki roots), and those that the operator adds.
#[derive(Debug, Clone)]
pub struct Authorities(Arc<RootCertStore>);

impl Authorities {
    /// Returns the public authorities.
    #[must_use]
    pub fn public() -> Self {
        Self(Arc::new(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect()))
    }

    /// Returns the public authorities and those of a PEM file.
    ///
    /// # Errors
    /// The reason why the file cannot be read, has no certificate, or has one that is no authority.
    pub fn with_file(path: &Path) -> Result<Self, String> {
        let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let public = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
            let certificate = certificate.map_err(|error| error.to_string())?;
            roots.add(certificate).map_err(|error| error.to_string())?;
        }
        if roots.len() == public { Err("it has no certificate".to_owned()) } else { Ok(Self(Arc::new(roots))) }
    }

    /// Returns a TLS configuration that trusts these authorities.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn tls_config(&self) -> Result<ClientConfig, rustls::Error> {
        let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
        let tls = tls.with_safe_default_protocol_versions()?;
        Ok(tls.with_root_certificates(Arc::clone(&self.0)).with_no_client_auth())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

    use super::*;

    #[test]
    fn file_adds_its_certificates_to_the_public_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let authority = rcgen::generate_simple_self_signed(["private.example".to_owned()]).unwrap().cert.pem();
        let Authorities(public) = Authorities::public();
        let Authorities(both) = Authorities::with_file(&file("ca.pem", &authority)).unwrap();
        assert_eq!(both.len(), public.len() + 1);

        let cases = [file("empty.pem", ""), file("text.pem", "no certificate"), folder.path().join("missing.pem")];
        for path in cases {
            assert!(Authorities::with_file(&path).is_err(), "{}", path.display());
        }
    }
}
