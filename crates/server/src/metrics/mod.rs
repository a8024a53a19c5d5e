//! Metrics for operators: their registry, and the listener that serves them.
//!
//! Each adapter registers its own metrics (`SmtpMetrics`, `HttpMetrics`, `WorkerMetrics`, `StoreMetrics`, `BlobMetrics`); the
//! core knows none. Labels have values from closed sets: no address, domain, organization or id is one.

mod certificates;
mod listener;
mod process;
mod text;

use std::sync::Arc;

use inboxd_blobs::BlobMetrics;
use inboxd_http::HttpMetrics;
use inboxd_postgres::StoreMetrics;
use inboxd_smtp::inbound::SmtpMetrics;
use inboxd_worker::WorkerMetrics;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

pub(crate) use certificates::CertificateExpiry;
pub(crate) use listener::MetricsListener;

/// Prefix of all names but those of the process.
const PREFIX: &str = "inboxd";

/// Metrics of this process.
pub(crate) struct Metrics {
    /// All metrics, as the listener serves them.
    pub(crate) registry: Arc<Registry>,
    pub(crate) http: Arc<HttpMetrics>,
    pub(crate) smtp: SmtpMetrics,
    pub(crate) store: StoreMetrics,
    pub(crate) blobs: BlobMetrics,
    pub(crate) worker: Arc<WorkerMetrics>,
    /// Expiry of the certificates in use.
    pub(crate) certificates: CertificateExpiry,
}

impl Metrics {
    /// Creates the metrics of all parts. Those of roles that the process does not have stay at 0.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::default();
        process::register(&mut registry);
        let own = registry.sub_registry_with_prefix(PREFIX);
        let info = Info::new(vec![("version", crate::version::VERSION)]);
        own.register("build", "Version of the program", info);
        let http = HttpMetrics::registered(own);
        let smtp = SmtpMetrics::registered(own);
        let store = StoreMetrics::registered(own);
        let blobs = BlobMetrics::registered(own);
        let worker = WorkerMetrics::registered(own);
        let certificates = CertificateExpiry::registered(own);
        Self { registry: Arc::new(registry), http, smtp, store, blobs, worker, certificates }
    }
}
