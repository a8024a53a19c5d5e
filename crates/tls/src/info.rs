//! Names and validity of a certificate.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use time::OffsetDateTime;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::certificate::CertificateError;

/// Facts of an X.509 certificate (RFC 5280).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateInfo {
    /// DNS names (section 4.2.1.6).
    pub names: Vec<String>,
    /// Start of validity.
    pub valid_from: OffsetDateTime,
    /// End of validity.
    pub valid_until: OffsetDateTime,
    /// Whether the certificate is its own issuer, which no client trusts unasked.
    pub is_self_signed: bool,
}

impl CertificateInfo {
    /// Reads a certificate.
    ///
    /// # Errors
    /// [`CertificateError::Parse`].
    pub fn of(certificate: &CertificateDer<'_>) -> Result<Self, CertificateError> {
        let parsed = X509Certificate::from_der(certificate);
        let (_, parsed) = parsed.map_err(|error| CertificateError::Parse(error.to_string()))?;
        let names = parsed.subject_alternative_name().map_err(|error| CertificateError::Parse(error.to_string()))?;
        let names = names.into_iter().flat_map(|names| &names.value.general_names);
        let names = names.filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            _ => None,
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(Self {
            names,
            valid_from: parsed.validity().not_before.to_datetime(),
            valid_until: parsed.validity().not_after.to_datetime(),
            is_self_signed: parsed.issuer() == parsed.subject(),
        })
    }

    /// Reads the first certificate of a PEM text.
    ///
    /// # Errors
    /// [`CertificateError`] when it has no certificate.
    pub fn of_pem(chain: &str) -> Result<Self, CertificateError> {
        Self::of(&CertificateDer::from_pem_slice(chain.as_bytes())?)
    }

    /// Returns whether a name is one of the certificate; a wildcard covers one label (RFC 9525, section 6.3).
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        self.names.iter().any(|own| {
            own.eq_ignore_ascii_case(name)
                || own.strip_prefix("*.").is_some_and(|parent| {
                    name.split_once('.').is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(parent))
                })
        })
    }
}
