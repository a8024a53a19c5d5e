//! Certificates that an ACME server issued for this service (RFC 8555).

use std::fmt;

use time::OffsetDateTime;

/// Names of a certificate, and the directory of the ACME server that issues it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateScope {
    /// URL of the directory (RFC 8555, section 7.1.1).
    pub directory: String,
    /// DNS names, sorted, without repetition.
    names: Vec<String>,
}

impl CertificateScope {
    /// Creates a scope; sorts the names.
    #[must_use]
    pub fn new(directory: impl Into<String>, names: impl IntoIterator<Item = String>) -> Self {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        names.dedup();
        Self { directory: directory.into(), names }
    }

    /// Returns the names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names as one text, which identifies the certificate together with the directory.
    #[must_use]
    pub fn key(&self) -> String {
        self.names.join(",")
    }
}

/// Certificate with its private key.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedCertificate {
    /// Certificate and intermediates in PEM.
    pub chain: String,
    /// Private key in PEM, sealed.
    pub sealed_key: Vec<u8>,
    /// Start of validity.
    pub valid_from: OffsetDateTime,
    /// End of validity.
    pub valid_until: OffsetDateTime,
}

impl fmt::Debug for IssuedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedCertificate").field("valid_until", &self.valid_until).finish_non_exhaustive()
    }
}

/// Times at which a certificate needs work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenewalPlan {
    /// Time of the renewal.
    pub renew_at: OffsetDateTime,
    /// Time of the next query for the renewal window (RFC 9773, section 4.3).
    pub check_at: OffsetDateTime,
}

/// Certificate of a scope, and the state of its orders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CertificateState {
    /// Certificate in use; `None` before the first order succeeds.
    pub certificate: Option<(IssuedCertificate, RenewalPlan)>,
    /// Failed orders since the last success.
    pub failures: u32,
    /// Time of the next order after a failure.
    pub retry_at: Option<OffsetDateTime>,
    /// Reason of the last failure.
    pub failure: Option<String>,
}

/// Challenge of an order in progress (RFC 8555, section 8).
#[derive(Clone, PartialEq, Eq)]
pub struct AcmeChallenge {
    /// Token of the challenge.
    pub token: String,
    /// DNS name that it proves.
    pub name: String,
    /// Key authorization (RFC 8555, section 8.1), the content of the response.
    pub key_authorization: String,
    /// Time after which the challenge is void.
    pub expires_at: OffsetDateTime,
}
