//! Configuration from the environment, systemd credentials and a TOML file.
//!
//! `settings/` has one table of all settings, `source.rs` finds the value of each, `read.rs` converts them. An invalid
//! value stops the start with one line that names the setting and the accepted values.

mod blobs;
pub(crate) mod check;
pub(crate) mod edit;
pub(crate) mod example;
mod file;
mod listeners;
mod metrics;
mod outgoing_tls;
mod proxies;
mod read;
mod rows;
mod scanner;
pub(crate) mod settings;
pub(crate) mod show;
mod source;
mod standbys;
mod stripe;
mod tls;
mod values;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub(crate) use blobs::{BlobConfig, BlobLocation, BucketConfig};
use inboxd_core::app::Limits;
use inboxd_core::model::mail_report::ReportLimits;
use inboxd_core::rules::domains::name::is_local;
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_mail::EmailAddress;
use inboxd_outbound::{Cidr, RspamdUrl};
use inboxd_smtp::relay::RelayUrl;
pub(crate) use listeners::{Listener, reachable};
pub(crate) use metrics::MetricsAddress;
pub(crate) use outgoing_tls::OutgoingTlsConfig;
pub(crate) use scanner::ScannerConfig;
pub(crate) use source::{Origin, Source};
pub(crate) use standbys::StandbyConfig;
pub(crate) use stripe::StripeConfig;
pub(crate) use tls::{AcmeConfig, TlsConfig};
pub(crate) use values::{Secret, SecretKey};

use time::Duration;

use crate::failure::Failure;

/// Part of the service that a process can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// HTTP API.
    Http,
    /// Reception of mail.
    Smtp,
    /// Delivery of mail and all background work.
    Worker,
}

/// Route of outgoing mail.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Delivery {
    /// Storage instead of delivery.
    Capture,
    /// Delivery through this relay.
    Relay(RelayUrl),
    /// Delivery to the MX hosts of the recipients (`INBOXD_DIRECT_PORT`).
    Direct {
        /// Port of the MX hosts: 25 outside test networks.
        port: u16,
    },
}

/// Certificate and private key as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CertificateFiles {
    /// Certificate with its intermediate certificates.
    pub(crate) certificate: PathBuf,
    /// Private key of the certificate.
    pub(crate) key: PathBuf,
}

/// Settings of the operator.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// `INBOXD_HTTP_ADDR`; at least one.
    pub(crate) http: Vec<Listener>,
    /// `INBOXD_TLS_…`, `INBOXD_ACME_…`, `INBOXD_HTTP_REDIRECT_ADDR` and `INBOXD_MTA_STS`.
    pub(crate) tls: TlsConfig,
    /// `INBOXD_METRICS_ADDR`.
    pub(crate) metrics: MetricsAddress,
    /// `INBOXD_TRUSTED_PROXIES`.
    pub(crate) trusted_proxies: TrustedProxies,
    /// `INBOXD_SMTP_ADDR`; at least one.
    pub(crate) smtp: Vec<Listener>,
    /// `INBOXD_SMTP_TLS_CERT` and `INBOXD_SMTP_TLS_KEY`; `None` for the certificate of all listeners.
    pub(crate) smtp_certificate: Option<CertificateFiles>,
    /// `INBOXD_SMTP_MAX_CONNECTIONS`.
    pub(crate) smtp_max_connections: usize,
    /// `INBOXD_SMTP_SPOOL_BYTES`.
    pub(crate) smtp_spool_bytes: usize,
    /// `INBOXD_BASE_URL` without a final slash; `None` to derive it from the address.
    pub(crate) configured_base_url: Option<String>,
    /// `INBOXD_USER`; `None` to stay with the account of the process.
    pub(crate) user: Option<String>,
    /// `INBOXD_LOG_FILTER`.
    pub(crate) log_filter: String,
    /// `INBOXD_DATABASE_URL`; `None` for the embedded server.
    pub(crate) database_url: Option<Secret>,
    /// `INBOXD_DATABASE_READ_…`; `None` without standbys that serve reads.
    pub(crate) standbys: Option<StandbyConfig>,
    /// `INBOXD_DATABASE_TIMEOUT_SECONDS`: maximum time of a statement.
    pub(crate) database_timeout: std::time::Duration,
    /// `INBOXD_RESPONSE_STALL_SECONDS`: time for which a client may read nothing of a large response.
    pub(crate) response_stall_timeout: std::time::Duration,
    /// `INBOXD_MIN_FREE_BYTES`: minimum free disk space for writes that need more space.
    pub(crate) min_free_bytes: u64,
    /// `INBOXD_DATA_DIR`.
    pub(crate) data_dir: PathBuf,
    /// `INBOXD_DOMAIN`.
    pub(crate) domain: String,
    /// `INBOXD_SIGNUP_DOMAIN`.
    pub(crate) signup_domain: String,
    /// `INBOXD_POSTMASTER`; `None` where mail to `postmaster@` and `abuse@` is held for the operator.
    pub(crate) postmaster: Option<EmailAddress>,
    /// `INBOXD_OPERATOR_EMAILS`: persons who see the pages of the operator in the console.
    pub(crate) operator_emails: Vec<EmailAddress>,
    /// `INBOXD_DELIVERY`, `INBOXD_RELAY_URL` and `INBOXD_DIRECT_PORT`.
    pub(crate) delivery: Delivery,
    /// `INBOXD_DIRECT_TLS`, `INBOXD_DANE` and `INBOXD_DNSSEC_TRUST_ANCHOR`.
    pub(crate) outgoing_tls: OutgoingTlsConfig,
    /// `INBOXD_DNS_ADDR`; `None` for the resolvers of the system.
    pub(crate) dns_addr: Option<SocketAddr>,
    /// `INBOXD_SECRET_KEY`; `None` for the one in the data directory.
    pub(crate) secret_key: Option<SecretKey>,
    /// `INBOXD_OUTBOUND_ALLOW_CIDRS`.
    pub(crate) outbound_allow_cidrs: Vec<Cidr>,
    /// `INBOXD_OUTBOUND_CA_FILE`; `None` to trust public authorities only.
    pub(crate) outbound_ca_file: Option<PathBuf>,
    /// `INBOXD_DATABASE_CONNECTIONS`.
    pub(crate) database_connections: usize,
    /// `INBOXD_KEY_RATE`.
    pub(crate) key_rate: u32,
    /// `INBOXD_ORGANIZATION_REQUESTS`; `None` for half of the connections of the API.
    pub(crate) organization_requests: Option<usize>,
    /// `INBOXD_UNAUTHENTICATED_RATE`.
    pub(crate) unauthenticated_rate: u32,
    /// `INBOXD_MAX_CONNECTIONS`.
    pub(crate) max_connections: usize,
    /// `INBOXD_MAX_MESSAGE_BYTES`.
    pub(crate) max_message_bytes: usize,
    /// Limits of the use cases: `INBOXD_SIGNUP`, `INBOXD_SENDING_BRAKE`, `INBOXD_LOOP_BUDGET_PER_HOUR`, the limits on mails
    /// and invitations, and those on rows.
    pub(crate) limits: Limits,
    /// `INBOXD_OAUTH_REGISTRATION`.
    pub(crate) registers_clients: bool,
    /// `INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS`.
    pub(crate) migration_lock_timeout: std::time::Duration,
    /// `INBOXD_APPROVAL_DAYS`.
    pub(crate) approval_ttl: Duration,
    /// `INBOXD_ATTACHMENT_SEARCH`.
    pub(crate) reads_attachments: bool,
    /// `INBOXD_APPROVAL_MAIL`.
    pub(crate) mails_approvers: bool,
    /// `INBOXD_AUDIT_RETENTION_DAYS`.
    pub(crate) audit_retention: Duration,
    /// `INBOXD_EVENT_RETENTION_DAYS`.
    pub(crate) event_retention: Duration,
    /// `INBOXD_UNVERIFIED_RETENTION_DAYS`.
    pub(crate) unverified_retention: Duration,
    /// `INBOXD_BLOB_RETENTION_DAYS`.
    pub(crate) blob_retention: Duration,
    /// `INBOXD_REPORT_RETENTION_DAYS`.
    pub(crate) report_retention: Duration,
    /// `INBOXD_MAX_MAIL_REPORTS`, `INBOXD_MAX_DAILY_MAIL_REPORTS`.
    pub(crate) report_limits: ReportLimits,
    /// `INBOXD_SPAM_URL`; `None` for the built-in checks.
    pub(crate) spam_url: Option<RspamdUrl>,
    /// `INBOXD_SCANNER_…`; `None` without a scanner.
    pub(crate) scanner: Option<ScannerConfig>,
    /// `INBOXD_BLOBS`, `INBOXD_BLOB_…` and `AWS_…`.
    pub(crate) blobs: BlobConfig,
    /// `INBOXD_STRIPE_…`; `None` disables payments.
    pub(crate) stripe: Option<StripeConfig>,
    /// `INBOXD_ROLES`.
    pub(crate) roles: BTreeSet<Role>,
}

impl Config {
    /// Returns whether a listener accepts connections of trusted proxies alone.
    pub(crate) fn requires_proxy(&self) -> bool {
        self.http.iter().chain(&self.smtp).chain(self.tls.redirect.as_slice()).any(|listener| listener.requires_proxy)
    }

    /// Returns the prefix of all links to this service.
    pub(crate) fn base_url(&self) -> String {
        let from_address = || {
            let listener = self.http.iter().find(|listener| listener.requires_tls).or(self.http.first());
            let Some(Listener { address, requires_tls, .. }) = listener.copied() else { return String::new() };
            if requires_tls && !is_local(&self.domain) {
                // Certificates have names, not addresses.
                let domain = &self.domain;
                return if address.port() == 443 {
                    format!("https://{domain}")
                } else {
                    format!("https://{domain}:{}", address.port())
                };
            }
            format!("{}://{}", if requires_tls { "https" } else { "http" }, reachable(address))
        };
        self.configured_base_url.clone().unwrap_or_else(from_address)
    }
}

/// Reads the configuration of this process.
///
/// # Errors
/// The first problem in one line.
pub(crate) fn load(file: Option<&Path>) -> Result<(Source, Config), Failure> {
    let (source, problems) = read_source(file);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let config = read::config(&source)?;
    Ok((source, config))
}

/// Reads values without a file and an environment.
///
/// # Errors
/// The first problem in one line.
pub(crate) fn of(source: &Source) -> Result<Config, Failure> {
    read::config(source)
}

/// Reads the values of this process, and returns all problems beside the readable ones.
pub(crate) fn read_source(file: Option<&Path>) -> (Source, Vec<Failure>) {
    Source::read(file, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Logs the variables of the environment that look like settings and are none.
pub(crate) fn warn_of_unknown_variables() {
    for (name, nearest) in source::unknown_variables(variables()) {
        tracing::warn!(name, nearest, "unknown environment variable");
    }
}

/// Returns the variables of the environment with a name and value of text.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
