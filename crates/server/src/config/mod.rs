//! Configuration from the environment and a TOML file.
//!
//! Both have the same keys, and the environment wins. An invalid value stops the start with one line that names the
//! variable and the allowed values.

mod file;
mod read;
mod rows;
mod scanner;
mod stripe;
mod values;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use inboxd_core::model::{MailLimits, SignUpMode};
use inboxd_core::rules::row_limits::RowLimits;
use inboxd_mail::EmailAddress;
use inboxd_outbound::{Cidr, RspamdUrl};
use inboxd_smtp::relay::RelayUrl;
pub(crate) use scanner::ScannerConfig;
pub(crate) use stripe::StripeConfig;
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

/// Listener for inbound mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SmtpListener {
    /// Address and port.
    pub(crate) address: SocketAddr,
    /// Whether the listener refuses mail before STARTTLS.
    pub(crate) requires_tls: bool,
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
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the operator")]
pub(crate) struct Config {
    /// `INBOXD_HTTP_ADDR`.
    pub(crate) http_addr: SocketAddr,
    /// `INBOXD_SMTP_ADDR`; at least one.
    pub(crate) smtp: Vec<SmtpListener>,
    /// `INBOXD_SMTP_TLS_CERT` and `INBOXD_SMTP_TLS_KEY`; `None` for a self-signed certificate.
    pub(crate) smtp_certificate: Option<CertificateFiles>,
    /// `INBOXD_SMTP_MAX_CONNECTIONS`.
    pub(crate) smtp_max_connections: usize,
    /// `INBOXD_SMTP_SPOOL_BYTES`.
    pub(crate) smtp_spool_bytes: usize,
    /// `INBOXD_BASE_URL` without a final slash; `None` to derive it from the address.
    pub(crate) configured_base_url: Option<String>,
    /// `INBOXD_DATABASE_URL`; `None` for the embedded server.
    pub(crate) database_url: Option<Secret>,
    /// `INBOXD_DATABASE_TIMEOUT_SECONDS`: maximum time of a statement.
    pub(crate) database_timeout: std::time::Duration,
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
    /// `INBOXD_MAX_DRAFTS`, `INBOXD_MAX_LIST_ENTRIES`, `INBOXD_MAX_API_KEYS`, `INBOXD_MAX_DAILY_CREATIONS`,
    /// `INBOXD_MAX_PENDING_INVITATIONS`, `INBOXD_MAX_MEMBER_CONNECTIONS`, `INBOXD_MAX_UNUSED_CLIENTS`,
    /// `INBOXD_MAX_DAILY_CHANGES`, `INBOXD_MAX_LABEL_EVENTS` and `INBOXD_MAX_CONTACTS`.
    pub(crate) row_limits: RowLimits,
    /// `INBOXD_SIGNUP`.
    pub(crate) sign_up: SignUpMode,
    /// `INBOXD_OAUTH_REGISTRATION`.
    pub(crate) registers_clients: bool,
    /// `INBOXD_LOOP_BUDGET_PER_HOUR`; 0 is no limit.
    pub(crate) loop_budget: u32,
    /// `INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS`.
    pub(crate) migration_lock_timeout: std::time::Duration,
    /// `INBOXD_APPROVAL_DAYS`.
    pub(crate) approval_ttl: Duration,
    /// `INBOXD_SENDING_BRAKE`.
    pub(crate) brakes_sending: bool,
    /// `INBOXD_ATTACHMENT_SEARCH`.
    pub(crate) reads_attachments: bool,
    /// `INBOXD_APPROVAL_MAIL`.
    pub(crate) mails_approvers: bool,
    /// `INBOXD_AUDIT_RETENTION_DAYS`.
    pub(crate) audit_retention: Duration,
    /// `INBOXD_EVENT_RETENTION_DAYS`.
    pub(crate) event_retention: Duration,
    /// `INBOXD_MAILBOX_MAILS_PER_HOUR` and `INBOXD_MAILBOX_MAILS_PER_DAY`.
    pub(crate) mailbox_limits: MailLimits,
    /// `INBOXD_INVITATIONS_PER_HOUR` and `INBOXD_INVITATIONS_PER_DAY`.
    pub(crate) invitation_limits: MailLimits,
    /// `INBOXD_UNVERIFIED_RETENTION_DAYS`.
    pub(crate) unverified_retention: Duration,
    /// `INBOXD_SPAM_URL`; `None` for the built-in checks.
    pub(crate) spam_url: Option<RspamdUrl>,
    /// `INBOXD_SCANNER_…`; `None` without a scanner.
    pub(crate) scanner: Option<ScannerConfig>,
    /// `INBOXD_STRIPE_…`; `None` disables payments.
    pub(crate) stripe: Option<StripeConfig>,
    /// `INBOXD_ROLES`.
    pub(crate) roles: BTreeSet<Role>,
}

impl Config {
    /// Returns the prefix of all links to this service.
    pub(crate) fn base_url(&self) -> String {
        let from_address = || {
            // Clients cannot connect to the unspecified address, but this machine can connect to itself.
            let mut address = self.http_addr;
            match address.ip() {
                IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
                IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
                _ => {}
            }
            format!("http://{address}")
        };
        self.configured_base_url.clone().unwrap_or_else(from_address)
    }
}

/// Reads the configuration of this process.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Failure> {
    let file = file::read(file)?;
    read::config(|name| match std::env::var(name) {
        Ok(value) if !value.is_empty() => Some(value),
        _ => file.get(name).cloned(),
    })
}
