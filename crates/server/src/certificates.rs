//! Certificates of the listeners: files that are read again, or an ACME certificate of the database.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::app::App;
use inboxd_core::model::certificate::CertificateScope;
use inboxd_core::ports::CertificateStore;
use inboxd_http::{ChallengeResponses, TlsOptions};
use inboxd_postgres::PgStore;
use inboxd_tls::{AcmeManager, AcmeOptions, AcmePorts, ChallengeKind, Challenges, HttpsClient, ServerCertificate};
use inboxd_worker::Shutdown;
use rustls::ServerConfig;
use tokio::sync::Notify;

use crate::config::{AcmeConfig, CertificateFiles, Config, Role};
use crate::failure::{ErrorContext, Failure};
use crate::metrics::CertificateExpiry;

/// Time between two checks for a changed certificate.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// ALPN protocols of the API, the preferred one first.
const API_PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Certificates of a process.
pub(crate) struct Certificates {
    /// Certificate of all listeners.
    shared: ServerCertificate,
    /// Certificate of the SMTP listeners, if they have another one.
    smtp: Option<ServerCertificate>,
    /// Whether a listener of the API speaks TLS.
    serves_https: bool,
    /// Whether the process receives mail.
    serves_smtp: bool,
    /// Client of the ACME server, until [`Self::with_acme`] takes it.
    authority: Option<HttpsClient>,
    acme: Option<AcmeManager>,
    challenges: Option<Arc<Challenges>>,
}

impl Certificates {
    /// Reads the files of the configured certificates. Without them a self-signed certificate serves, with ACME until one is
    /// issued.
    ///
    /// # Errors
    /// A file cannot be read or has no usable content.
    pub(crate) fn read(config: &Config) -> Result<Self, Failure> {
        let shared = if let Some(files) = &config.tls.files {
            read_files(files, "INBOXD_TLS_CERT and INBOXD_TLS_KEY")?
        } else {
            let mut names = config.certificate_names();
            if !names.contains(&config.domain) {
                names.push(config.domain.clone());
            }
            ServerCertificate::self_signed(&names).context("the self-signed certificate")?
        };
        let smtp = config.smtp_certificate.as_ref();
        let smtp = smtp.map(|files| read_files(files, "INBOXD_SMTP_TLS_CERT and INBOXD_SMTP_TLS_KEY")).transpose()?;
        let serves_https = config.has_tls_listener();
        let serves_smtp = config.roles.contains(&Role::Smtp);
        let client = |acme: &AcmeConfig| HttpsClient::new(acme.authorities.as_deref()).context("INBOXD_ACME_CA");
        let authority = config.tls.acme.as_ref().map(client).transpose()?;
        if serves_https && config.tls.files.is_none() && authority.is_none() {
            let hint = "set INBOXD_TLS_CERT and INBOXD_TLS_KEY, or INBOXD_ACME=on";
            tracing::warn!(hint, "self-signed certificate in use");
        }
        Ok(Self { shared, smtp, serves_https, serves_smtp, authority, acme: None, challenges: None })
    }

    /// Takes up the ACME certificate of the database; without ACME nothing changes.
    pub(crate) async fn with_acme(mut self, config: &Config, app: &App, store: Arc<PgStore>) -> Result<Self, Failure> {
        let (Some(acme), Some(http)) = (&config.tls.acme, self.authority.take()) else { return Ok(self) };
        let store: Arc<dyn CertificateStore> = store;
        self.challenges = Some(Arc::new(Challenges::new(Arc::clone(&store), Arc::clone(&app.clock))));
        let mut manager = manager(config, acme, app, store, http, self.shared.clone())?;
        manager.apply_stored().await;
        self.acme = Some(manager);
        Ok(self)
    }

    /// Returns the TLS options of the API; `None` without a TLS listener.
    pub(crate) fn http_options(&self, config: &Config) -> Result<Option<TlsOptions>, Failure> {
        if !self.serves_https {
            return Ok(None);
        }
        let server_config = self.shared.server_config(&API_PROTOCOLS).context("TLS cannot be set up")?;
        Ok(Some(TlsOptions { config: server_config, max_handshakes: config.tls.max_handshakes }))
    }

    /// Returns the responses to ACME challenges; `None` without ACME.
    pub(crate) fn challenges(&self) -> Option<Arc<dyn ChallengeResponses>> {
        let challenges = self.challenges.clone()?;
        Some(Arc::new(StoredChallenges(challenges)))
    }

    /// Returns the certificate of the SMTP listeners.
    pub(crate) fn smtp(&self) -> &ServerCertificate {
        self.smtp.as_ref().unwrap_or(&self.shared)
    }

    /// Takes up changed certificates, renews the ACME certificate, and shows the expiry of each, until shutdown. A reload
    /// reads the files at once.
    pub(crate) async fn run(mut self, expiry: CertificateExpiry, reloaded: Arc<Notify>, shutdown: Shutdown) {
        let acme = self.acme.take();
        tokio::join!(self.refresh(expiry, reloaded, shutdown.clone()), renew(acme, shutdown));
    }

    async fn refresh(&self, expiry: CertificateExpiry, reloaded: Arc<Notify>, mut shutdown: Shutdown) {
        while !shutdown.is_requested() {
            for certificate in std::iter::once(&self.shared).chain(&self.smtp) {
                match certificate.refresh() {
                    Ok(true) => tracing::info!("certificate replaced"),
                    Ok(false) => {}
                    Err(error) => tracing::warn!(%error, "certificate not reloaded"),
                }
            }
            self.show(&expiry);
            tokio::select! {
                () = shutdown.sleep(POLL_INTERVAL) => {}
                () = reloaded.notified() => {}
            }
        }
    }

    /// Shows the expiry of the certificates in use.
    fn show(&self, expiry: &CertificateExpiry) {
        let https = self.serves_https.then_some(("https", &self.shared));
        let smtp = self.serves_smtp.then(|| ("smtp", self.smtp()));
        for (listener, certificate) in https.into_iter().chain(smtp) {
            if let Ok(info) = certificate.info() {
                expiry.set(listener, info.valid_until);
            }
        }
    }
}

/// Takes up the ACME certificate, and orders or renews it, until shutdown.
async fn renew(acme: Option<AcmeManager>, mut shutdown: Shutdown) {
    let Some(mut acme) = acme else { return };
    while !shutdown.is_requested() {
        let mut stopped = shutdown.clone();
        // An order that is cancelled is repeated after its claim ends.
        tokio::select! {
            () = acme.run_once() => {}
            () = stopped.requested() => {}
        }
        shutdown.sleep(POLL_INTERVAL).await;
    }
}

fn read_files(files: &CertificateFiles, variables: &str) -> Result<ServerCertificate, Failure> {
    ServerCertificate::from_files(&files.certificate, &files.key).context(variables)
}

fn manager(
    config: &Config,
    acme: &AcmeConfig,
    app: &App,
    store: Arc<dyn CertificateStore>,
    http: HttpsClient,
    certificate: ServerCertificate,
) -> Result<AcmeManager, Failure> {
    let scope = acme_scope(config, acme)?;
    let challenge = if config.tls.redirect.is_some() { ChallengeKind::Http } else { ChallengeKind::TlsAlpn };
    let ports = AcmePorts {
        store,
        vault: Arc::clone(&app.vault),
        clock: Arc::clone(&app.clock),
        random: Arc::clone(&app.random),
        process_id: app.process_id,
    };
    Ok(AcmeManager::new(ports, AcmeOptions { email: acme.email.clone(), challenge }, scope, http, certificate))
}

/// Returns the names of the ACME certificate with the directory.
pub(crate) fn acme_scope(config: &Config, acme: &AcmeConfig) -> Result<CertificateScope, Failure> {
    let names = config.certificate_names();
    if names.is_empty() {
        return Err(Failure::new(
            "INBOXD_ACME=on needs a public name: set INBOXD_DOMAIN, INBOXD_BASE_URL or INBOXD_ACME_NAMES",
        ));
    }
    Ok(CertificateScope::new(acme.directory.clone(), names))
}

/// Challenges of the database for the HTTP listeners.
struct StoredChallenges(Arc<Challenges>);

#[async_trait]
impl ChallengeResponses for StoredChallenges {
    async fn http(&self, token: &str) -> Option<String> {
        self.0.key_authorization(token).await
    }

    async fn tls_alpn(&self, name: &str) -> Option<Arc<ServerConfig>> {
        self.0.tls_config(name).await
    }
}
