//! Certificate authorities that the client trusts.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::failure::CommandFailure;

/// Environment variable with a PEM file of further authorities.
const CA_FILE: &str = "INBOXD_OUTBOUND_CA_FILE";

/// Returns a TLS configuration that trusts the public authorities and those of `INBOXD_OUTBOUND_CA_FILE`.
pub(crate) fn tls_config() -> Result<ClientConfig, CommandFailure> {
    let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    if let Some(path) = std::env::var_os(CA_FILE).filter(|path| !path.is_empty()) {
        let path = Path::new(&path);
        add_file(&mut roots, path)
            .map_err(|cause| CommandFailure::local(format!("{CA_FILE}: {}: {cause}", path.display())))?;
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| CommandFailure::local(format!("TLS cannot be set up: {error}")))?;
    Ok(tls.with_root_certificates(roots).with_no_client_auth())
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    Ok(())
}
