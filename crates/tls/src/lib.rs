//! Certificates of the listeners, from files, self-signed or by ACME (RFC 8555).
//!
//! ```text
//! certificate.rs  certificate that is replaced at run time; shared by all listeners
//! info.rs         names and validity of a certificate
//! challenges.rs   responses to challenges, of every process
//! acme/           orders and renewals, of one process at a time
//! ```

mod acme;
mod certificate;
mod challenges;
mod info;
#[cfg(test)]
mod tests;

pub use acme::{AcmeManager, AcmeOptions, AcmePorts, ChallengeKind, ClientError, HttpsClient};
pub use certificate::{CertificateError, ServerCertificate};
pub use challenges::Challenges;
pub use info::CertificateInfo;
