//! Expiry of the certificates in use.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use time::OffsetDateTime;

/// Expiry of certificates by use. Clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct CertificateExpiry(Family<UseLabels, Gauge<f64, AtomicU64>>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct UseLabels {
    certificate: &'static str,
}

impl CertificateExpiry {
    /// Creates the metric and registers it; it has a series for each certificate that is set.
    pub(super) fn registered(registry: &mut Registry) -> Self {
        let expiry = Self::default();
        registry.register_with_unit(
            "tls_certificate_expiry_timestamp",
            "Unix time at which the certificate in use expires",
            Unit::Seconds,
            expiry.0.clone(),
        );
        expiry
    }

    /// Sets the expiry of the certificate of a use, such as `smtp`.
    pub(crate) fn set(&self, certificate: &'static str, expires_at: OffsetDateTime) {
        let seconds = time::Duration::seconds(expires_at.unix_timestamp()).as_seconds_f64();
        self.0.get_or_create(&UseLabels { certificate }).set(seconds);
    }
}
