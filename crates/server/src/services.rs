//! Construction of the services from the configuration.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use inboxd_core::app::{App, BlobContents, CurrentLimits, Settings, Waiting};
use inboxd_core::ports::{Clock, Random, Unbounded};
use inboxd_core::rules::oauth::resources;
use inboxd_extractor::TextProcess;
use inboxd_outbound::{AddressGuard, Authorities, ClientTimeouts, GuardedFetcher, GuardedSender, GuardedUrlPolicy};
use inboxd_postgres::embedded::{self, Embedded};
use inboxd_postgres::{ConnectionShares, PgStandbys, PgStore, StoreMetrics};
use inboxd_smtp::authentication::MailAuthenticator;
use inboxd_smtp::dns::{DnsError, DnsResolver};
use inboxd_smtp::signing::{DkimSigner, RsaKeyMaker};
use inboxd_worker::WakeSignals;

use crate::config::{Config, Delivery, Role, StandbyConfig};
use crate::environment::{BlockingThreads, SystemClock, SystemRandom};
use crate::failure::{ErrorContext, Failure};
use crate::keeper::Keeper;
use crate::payments::payments;
use crate::scanner;
use crate::secret_key::{self, Keys};
use crate::space;
use crate::spam;
use crate::vault::KeyVault;
use crate::version::VERSION;

/// Timeouts of the fetch of a client metadata document, during which a person waits.
const CLIENT_DOCUMENT_TIMEOUTS: ClientTimeouts =
    ClientTimeouts { connect: Duration::from_secs(3), total: Duration::from_secs(5) };

/// Connections per role: separate pools prevent starvation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pools {
    /// API pool.
    pub(crate) http: usize,
    /// Additional connections of each HTTP worker.
    pub(crate) local: usize,
    /// SMTP pool.
    pub(crate) smtp: usize,
    /// Worker pool.
    pub(crate) worker: usize,
}

impl Pools {
    /// Divides `INBOXD_DATABASE_CONNECTIONS` among the roles of the process: the API gets twice as many as each other
    /// role.
    pub(crate) fn of(config: &Config) -> Self {
        let has = |role| config.roles.contains(&role);
        let workers = if has(Role::Http) { available_parallelism().map_or(1, NonZero::get) } else { 0 };
        let ConnectionShares { shared, local } = ConnectionShares::of(config.database_connections, workers);
        let parts = [(Role::Http, 2), (Role::Smtp, 1), (Role::Worker, 1)];
        let whole: usize = parts.into_iter().filter(|(role, _)| has(*role)).map(|(_, part)| part).sum();
        let part = |part: usize| (shared * part / whole.max(1)).max(1);
        Self { http: part(2), local, smtp: part(1), worker: part(1) }
    }

    /// Returns the connections that may wait for row locks in each of three kinds of inbound work: half of the pool in
    /// total.
    fn max_lock_waits(self) -> usize {
        (self.smtp.min(self.worker) / 6).clamp(1, 4)
    }
}

/// Policy for a schema of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaPolicy {
    /// Applies missing migrations.
    Migrate,
    /// Refuses the schema without a change.
    Require,
}

/// Address of the configured database, at any schema, with its embedded server if there is one.
pub(crate) struct DatabaseServer {
    /// `postgres://` URL, with its password.
    pub(crate) url: String,
    /// Name of the database in errors.
    pub(crate) name: &'static str,
    embedded: Option<Embedded>,
}

impl DatabaseServer {
    /// Finds the configured database, or starts the embedded one.
    pub(crate) async fn start(config: &Config) -> Result<Self, Failure> {
        if let Some(url) = &config.database_url {
            return Ok(Self { url: url.reveal().to_owned(), name: "INBOXD_DATABASE_URL", embedded: None });
        }
        let name = "the embedded database";
        space::release_reserve(&config.data_dir);
        let options = embedded::EmbeddedOptions { data_dir: config.data_dir.clone(), durable: true };
        let server = embedded::start(&options).await.context(name)?;
        if let Some(place) = server.relocated() {
            tracing::warn!(
                place = %place.display(),
                "database placed outside data directory"
            );
        }
        Ok(Self { url: server.url(), name, embedded: Some(server) })
    }

    /// Stops the embedded server if no other process uses it.
    pub(crate) async fn stop(self) -> Result<(), Failure> {
        match self.embedded {
            Some(server) => server.stop().await.context(self.name),
            None => Ok(()),
        }
    }
}

/// Database at the current schema, with its embedded server if there is one.
pub(crate) struct Database {
    pub(crate) store: Arc<PgStore>,
    embedded: Option<Keeper>,
}

impl Database {
    /// Connects to the configured database, or starts the embedded one.
    pub(crate) async fn open(config: &Config, policy: SchemaPolicy) -> Result<Self, Failure> {
        let DatabaseServer { url, name: whose, embedded } = DatabaseServer::start(config).await?;
        match policy {
            SchemaPolicy::Migrate => inboxd_postgres::migrate_within(&url, config.migration_lock_timeout, VERSION)
                .await
                .context(format!("{whose}: cannot migrate it to the schema of this version"))?,
            SchemaPolicy::Require => inboxd_postgres::require_schema(&url).await.context(whose)?,
        }
        let connected = inboxd_postgres::connect_within(&url, Pools::of(config).worker, config.database_timeout).await;
        let store = connected.context(format!("{whose}: cannot be reached"))?;
        Ok(Self { store: Arc::new(store), embedded: embedded.map(Keeper::of) })
    }

    /// Returns the store with a pool of its own.
    pub(crate) fn with_own_connections(&self, connections: usize) -> Result<PgStore, Failure> {
        self.store.with_own_connections(connections).context("the database")
    }

    /// Stores large contents outside the rows.
    pub(crate) fn use_blobs(&mut self, blobs: Arc<BlobContents>) {
        self.store = Arc::new(self.store.as_ref().clone().with_blobs(blobs));
    }

    /// Shows the pools of the workers and of events in the metrics.
    pub(crate) fn observe(&mut self, metrics: &StoreMetrics) {
        self.store.observe_event_pool(metrics);
        self.store = Arc::new(self.store.observed(metrics, "worker"));
    }

    /// Claims the database for a secret key: only the first key is accepted.
    pub(crate) async fn claim_secret_key(&self, keys: &Keys, data_dir: &Path) -> Result<(), Failure> {
        let stored = self.store.claim_secret_key_check(&keys.check).await.context("cannot check INBOXD_SECRET_KEY")?;
        secret_key::require_same(keys, stored, data_dir)
    }

    /// Refuses a secret key that differs from the one in use.
    pub(crate) async fn require_secret_key(&self, keys: &Keys, data_dir: &Path) -> Result<(), Failure> {
        match self.store.secret_key_check().await.context("cannot check INBOXD_SECRET_KEY")? {
            Some(stored) => secret_key::require_same(keys, stored, data_dir),
            None => Ok(()),
        }
    }

    /// Closes the database, and stops its server if no other process uses it.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        drop(self.store);
        match self.embedded {
            Some(keeper) => keeper.close().await,
            None => Ok(()),
        }
    }
}

/// Creates the standbys that serve reads of the API, with as many connections to each as the API has to the primary.
/// Returns `None` if none are configured.
pub(crate) fn open_standbys(
    config: &Config,
    database: &Database,
    metrics: &StoreMetrics,
) -> Result<Option<Arc<PgStandbys>>, Failure> {
    let Some(StandbyConfig { url, max_lag }) = &config.standbys else { return Ok(None) };
    let connections = Pools::of(config).http;
    let standbys = PgStandbys::new(&database.store, url.reveal(), connections, *max_lag, metrics);
    standbys.context("INBOXD_DATABASE_READ_URL").map(|standbys| Some(Arc::new(standbys)))
}

/// Creates the use cases on this database, without signals to workers.
pub(crate) fn app(config: &Config, database: &Database, keys: Keys) -> Result<App, Failure> {
    app_that_wakes(config, database, keys, Arc::new(WakeSignals::default()))
}

/// Returns the keys of this process, which are created in the data directory if missing.
pub(crate) fn keys(config: &Config) -> Result<Keys, Failure> {
    secret_key::load(config.secret_key.as_ref(), &config.data_dir, &SystemRandom)
}

/// Creates the webhook client with the address guard of the operator.
pub(crate) fn webhook_sender(config: &Config) -> Result<GuardedSender, Failure> {
    let guard = AddressGuard::allowing(config.outbound_allow_cidrs.clone());
    GuardedSender::new(guard, &authorities(config)?).context("TLS cannot be set up")
}

/// Returns the certificate authorities that outgoing HTTPS requests trust.
pub(crate) fn authorities(config: &Config) -> Result<Authorities, Failure> {
    let Some(file) = &config.outbound_ca_file else { return Ok(Authorities::public()) };
    Authorities::with_file(file).context(format!("INBOXD_OUTBOUND_CA_FILE: cannot use {}", file.display()))
}

/// Creates the reader of metadata documents of OAuth clients.
fn client_documents(guard: AddressGuard, authorities: &Authorities) -> Result<GuardedFetcher, Failure> {
    let fetcher = GuardedFetcher::with_timeouts(guard, authorities, CLIENT_DOCUMENT_TIMEOUTS);
    let fetcher = fetcher.context("TLS cannot be set up")?;
    Ok(fetcher.without_redirects().requiring_200())
}

/// Returns the issuer of OAuth tokens; a base URL with a path has none.
fn issuer(config: &Config) -> Option<String> {
    resources::issuer_of(&config.base_url())
}

/// Creates the configured DNS resolver.
pub(crate) fn resolver(config: &Config) -> Result<DnsResolver, DnsError> {
    match config.dns_addr {
        Some(address) => DnsResolver::at(address),
        None => DnsResolver::system(),
    }
}

/// Creates the use cases on this database.
pub(crate) fn app_that_wakes(
    config: &Config,
    database: &Database,
    keys: Keys,
    wake: Arc<WakeSignals>,
) -> Result<App, Failure> {
    let random: Arc<dyn Random> = Arc::new(SystemRandom);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let process_id = random.uuid_at(clock.now());
    let guard = AddressGuard::allowing(config.outbound_allow_cidrs.clone());
    let dns = resolver(config);
    let authenticator = MailAuthenticator::new(config.dns_addr).context("INBOXD_DNS_ADDR")?;
    Ok(App {
        store: database.store.clone(),
        clock,
        random,
        wake,
        vault: Arc::new(KeyVault::new(keys.vault, SystemRandom)),
        destinations: Arc::new(GuardedUrlPolicy::new(guard.clone())),
        client_documents: Arc::new(client_documents(guard.clone(), &authorities(config)?)?),
        fetch: Arc::new(GuardedFetcher::new(guard, &authorities(config)?).context("TLS cannot be set up")?),
        dns: Arc::new(dns.context("INBOXD_DNS_ADDR")?),
        authenticator: Arc::new(authenticator),
        spam_filter: spam::filter(config.spam_url.as_ref())?,
        scanner: scanner::scanner(config.scanner.as_ref(), &authorities(config)?)?,
        attachment_text: Some(Arc::new(TextProcess)),
        text_recognizer: None,
        key_maker: Arc::new(RsaKeyMaker),
        signer: Arc::new(DkimSigner::default()),
        payments: payments(config.stripe.as_ref())?,
        courier: None,
        capacity: Arc::new(Unbounded),
        blobs: database.store.blobs(),
        blocking: Arc::new(BlockingThreads::new()),
        process_id,
        waiting: Arc::new(Waiting::with_lock_waits(Pools::of(config).max_lock_waits())),
        settings: Settings {
            domain: config.domain.clone(),
            signup_domain: config.signup_domain.clone(),
            postmaster: config.postmaster.clone(),
            max_message_bytes: config.max_message_bytes,
            delivers_directly: matches!(config.delivery, Delivery::Direct { .. }),
            limits: CurrentLimits::new(config.limits),
            approval_ttl: config.approval_ttl,
            mails_approvers: config.mails_approvers,
            event_retention: config.event_retention,
            audit_retention: config.audit_retention,
            unverified_retention: config.unverified_retention,
            report_retention: config.report_retention,
            report_limits: config.report_limits,
            issuer: issuer(config),
            reads_attachments: config.reads_attachments,
            registers_clients: config.registers_clients,
            signing_key: keys.signing,
        },
    })
}
