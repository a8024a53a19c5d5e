//! Lifetime of a serving process: start of its roles, wait for a stop signal, orderly shutdown.

use std::path::PathBuf;
use std::sync::Arc;

use inboxd_core::app::{App, dkim, processes};
use inboxd_core::ports::{Capacity, Signal, Standbys, Store, Wake as _};
use inboxd_core::rules::domains::mta_sts;
use inboxd_http::{EventBodies, HttpOptions, LiveFeed, MtaStsPolicy, RequestRates};
use inboxd_postgres::{PgStandbys, PgStore};
use inboxd_smtp::inbound::{self, ServerOptions};
use inboxd_tls::ServerCertificate;
use inboxd_worker::{
    DeliveryWorker, FileJournal, Heartbeat, Sequencer, Shutdown, WakeSignals, WorkerPorts, listen_to_signals,
    maintain_partitions, record_notes, release_abandoned_keys, run_periodic_jobs, run_webhooks, sample_backlogs,
};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use uuid::Uuid;

use crate::announcement::announce;
use crate::blobs::BlobStores;
use crate::certificates::Certificates;
use crate::config::{Config, Delivery, Listener, MetricsAddress, Role, Source};
use crate::failure::{ErrorContext, Failure};
use crate::listeners::{Listeners, OpenListener};
use crate::metrics::Metrics;
use crate::reload::Reload;
use crate::service_manager::{self, feed_watchdog};
use crate::services::{Pools, app_that_wakes, open_standbys, webhook_sender};
use crate::space::Space;
use crate::starting::{StopSignals, open_database};
#[cfg(feature = "otlp")]
use crate::traces::TraceExport;
use crate::transport::transport;
use crate::version::VERSION;
use crate::{blobs, config, descriptors, logging, space};

/// Request of a start.
pub(crate) struct Start {
    /// Configuration with the ports of the open sockets.
    pub(crate) config: Config,
    /// Values of the configuration.
    pub(crate) source: Source,
    /// Configuration file.
    pub(crate) file: Option<PathBuf>,
    /// Whether to hold the queue.
    pub(crate) hold: bool,
}

/// Serves until SIGTERM or Ctrl-C.
#[expect(clippy::too_many_lines, reason = "the parts of the process in the order of their start")]
pub(crate) async fn serve(start: Start, listeners: Listeners) -> Result<(), Failure> {
    let Start { config, source, file, hold } = start;
    // A stop signal during the start must also cause an orderly shutdown.
    let mut signals = StopSignals::install()?;
    let hangup = signal(SignalKind::hangup()).context("cannot wait for signals")?;
    #[cfg(feature = "otlp")]
    let traces = TraceExport::start(&config)?;
    #[cfg(feature = "otlp")]
    let spans = traces.as_ref().map(TraceExport::layer);
    #[cfg(not(feature = "otlp"))]
    let spans = None;
    let log = logging::start(&config.log_filter, spans);
    tracing::info!(version = VERSION, "server starting");
    config::warn_of_unknown_variables();
    let most_connections = config.max_connections.min(descriptors::raise_limit());
    let Listeners { http, smtp, metrics: metrics_listener } = listeners;
    if let (MetricsAddress::Default(address), None) = (config.metrics, &metrics_listener) {
        let fix = "set INBOXD_METRICS_ADDR to another address or port, or to off";
        tracing::warn!(%address, fix, "metrics not served");
    }
    let metrics = Metrics::new();
    // Files that cannot be read stop the start before the database starts.
    let certificates = Certificates::read(&config)?;
    blobs::prepare(&config)?;
    let Some((mut database, keys)) = open_database(&config, hold, &mut signals).await? else { return Ok(()) };
    database.observe(&metrics.store);
    let stores = BlobStores::open(&config, keys.blobs, &metrics.blobs)?;
    stores.announce();
    let contents = stores.contents(&config);
    blobs::claim(&contents, database.store.as_ref()).await?;
    database.use_blobs(contents);
    let ports = WorkerPorts::of(&database.store);
    let wake = Arc::new(WakeSignals::default());
    let mut app = app_that_wakes(&config, &database, keys, Arc::clone(&wake))?;
    let certificates = certificates.with_acme(&config, &app, Arc::clone(&database.store)).await?;
    let journal =
        if config.roles.contains(&Role::Worker) { Some(Arc::new(begin_journal(&config, &app)?)) } else { None };
    let deliver = journal
        .clone()
        .map(|journal| DeliveryWorker::new(journal, app.settings.delivers_directly, Arc::clone(&metrics.worker)));
    if let Some(deliver) = &deliver {
        deliver.read_holds(&ports).await.context("cannot read the holds")?;
    }
    app.courier = deliver.as_ref().map(DeliveryWorker::courier);
    let (space, asked) = Space::of(&config.data_dir, config.min_free_bytes);
    app.capacity = Arc::clone(&space) as Arc<dyn Capacity>;
    let heartbeat = Heartbeat::new();
    let recall = deliver.as_ref().map(DeliveryWorker::recall);
    let recall = move || recall.iter().for_each(|recall| recall());
    let beating = heartbeat.start(app.clone(), Arc::new(database.with_own_connections(1)?), recall).await;
    let (stop, shutdown) = Shutdown::channel();
    let reload = Reload {
        file,
        source,
        log,
        limits: app.settings.limits.clone(),
        rates: RequestRates::new(config.unauthenticated_rate, config.key_rate),
        trusted_proxies: config.trusted_proxies.clone(),
        requires_proxy: config.requires_proxy(),
        certificate: Arc::new(Notify::new()),
    };

    // A single address or organization may not use all connections.
    let most_of_one = most_connections.div_ceil(2);
    let pools = Pools::of(&config);
    let http_store = Arc::new(database.with_own_connections(pools.http)?.observed(&metrics.store, "http"));
    let http_app = App { store: Arc::clone(&http_store) as Arc<dyn Store>, ..app.clone() };
    let live = LiveFeed::new(http_app.clone(), most_of_one, metrics.http.feed());
    let readers = live.handle();
    wake.on_sequenced(move |sequenced| readers.hand(sequenced));
    let mut tasks = JoinSet::new();
    if !http.is_empty() {
        let options = http_options(&config, &pools, most_connections, &certificates, &metrics)?;
        let standbys = open_standbys(&config, &database, &metrics.store)?;
        let options = HttpOptions {
            rates: reload.rates.clone(),
            standbys: standbys.clone().map(|standbys| standbys as Arc<dyn Standbys>),
            ..options
        };
        if let Some(standbys) = standbys {
            // Busy workers must not delay the measurement.
            let primary = database.with_own_connections(1)?;
            tasks.spawn(measure(standbys, primary, app.process_id, shutdown.clone()));
        }
        let local = local_app(http_app.clone(), http_store, pools.local);
        let part = inboxd_http::serve(http_app, local, live.clone(), options, http, shutdown.clone().wait());
        tasks.spawn(async move { part.await.context("the HTTP server") });
    }
    if !smtp.is_empty() {
        let smtp_store = database.with_own_connections(pools.smtp)?.observed(&metrics.store, "smtp");
        let smtp_app = App { store: Arc::new(smtp_store), ..app.clone() };
        let part = receive_mail(&config, smtp_app, smtp, certificates.smtp(), &metrics, shutdown.clone())?;
        tasks.spawn(async move {
            part.await;
            Ok(())
        });
    }
    if let (Some(journal), Some(deliver)) = (journal, deliver) {
        // Keys exist from the start, so that `inboxd doctor` can show their record. The worker retries a failure.
        if let Err(error) = dkim::make_own_keys(&app).await {
            tracing::warn!(%error, "DKIM keys of service domains not created");
        }
        let deliver = deliver.run(
            app.clone(),
            ports.clone(),
            transport(&config, &app, Arc::clone(&database.store))?,
            heartbeat,
            Arc::clone(&wake),
            shutdown.clone(),
        );
        let sender = Arc::new(webhook_sender(&config)?);
        let observer = Arc::clone(&metrics.worker);
        let sizes = sample_backlogs(app.clone(), ports.clone(), Arc::clone(&observer), shutdown.clone());
        let webhooks =
            run_webhooks(app.clone(), sender, Arc::new(EventBodies), Arc::clone(&wake), observer, shutdown.clone());
        let jobs = run_periodic_jobs(app.clone(), ports.clone(), Arc::clone(&wake), journal, shutdown.clone());
        tasks.spawn(async move {
            tokio::join!(deliver, webhooks, jobs, sizes);
            Ok(())
        });
    }
    let is_worker = config.roles.contains(&Role::Worker);
    let sequencer = Sequencer::new(app.clone(), ports.clone(), is_worker);
    let (until, running) = (shutdown.clone(), sequencer.clone());
    let sequencing = async move { running.run(until).await };
    let retention = is_worker.then_some(config.event_retention);
    let weeks = maintain_partitions(app.clone(), ports.clone(), retention, shutdown.clone());
    let hear = move |signal| {
        live.hear(signal);
        if matches!(signal, Signal::Feed(_) | Signal::Lost) {
            wake.webhooks();
        }
    };
    let watch_space = space::watch(Arc::clone(&space), config.database_url.is_none(), shutdown.clone());
    let release = release_abandoned_keys(app.clone(), shutdown.clone());
    let notes = record_notes(app.clone(), shutdown.clone());
    let look_up = space::look_up(space, asked, Arc::clone(&app.store), shutdown.clone());
    let listen = listen_to_signals(ports, hear, shutdown.clone());
    let certificates =
        certificates.run(metrics.certificates.clone(), Arc::clone(&reload.certificate), shutdown.clone());
    let reload = reload.run(hangup, shutdown.clone());
    let watchdog = feed_watchdog(shutdown.clone());
    tasks.spawn(async move {
        tokio::join!(sequencing, weeks, listen, watch_space, look_up, release, notes, certificates, reload, watchdog);
        Ok(())
    });
    if let Some(listener) = metrics_listener {
        let part = listener.serve(Arc::clone(&metrics.registry), shutdown.clone());
        tasks.spawn(async move {
            part.await;
            Ok(())
        });
    }
    announce(&config);
    service_manager::ready();
    let ended = await_end(&mut tasks, &mut signals).await;
    tracing::info!("shutdown requested");
    service_manager::stopping();
    stop.request();
    let outcome = await_parts(tasks, ended).await;
    sequencer.finish().await;
    end_heartbeat(app, beating).await;
    database.close().await?;
    #[cfg(feature = "otlp")]
    if let Some(traces) = traces {
        traces.finish().await;
    }
    tracing::info!("server stopped");
    outcome
}

/// Waits until all parts have ended, and returns the first failure.
async fn await_parts(mut tasks: JoinSet<Result<(), Failure>>, mut outcome: Result<(), Failure>) -> Result<(), Failure> {
    while let Some(part) = tasks.join_next().await {
        outcome = outcome.and(part.context("a part of the server").and_then(|done| done));
    }
    outcome
}

/// Measures the standbys until the shutdown.
async fn measure(
    standbys: Arc<PgStandbys>,
    primary: PgStore,
    process_id: Uuid,
    shutdown: Shutdown,
) -> Result<(), Failure> {
    tokio::select! {
        () = shutdown.wait() => {}
        () = standbys.measure(&primary, process_id) => {}
    }
    Ok(())
}

/// Returns the constructor of the application of an HTTP worker, with connections of its own.
fn local_app(app: App, store: Arc<PgStore>, connections: usize) -> impl Fn() -> App + Clone + Send + 'static {
    move || match store.with_local_connections(connections) {
        Ok(local) => App { store: Arc::new(local), ..app.clone() },
        Err(error) => {
            tracing::warn!(%error, "no local database connections");
            app.clone()
        }
    }
}

/// Returns the options of the HTTP server: at most a quarter of the connections per client address, and half per client
/// network and organization.
fn http_options(
    config: &Config,
    pools: &Pools,
    max_connections: usize,
    certificates: &Certificates,
    metrics: &Metrics,
) -> Result<HttpOptions, Failure> {
    Ok(HttpOptions {
        base_url: config.base_url(),
        operator_emails: config.operator_emails.clone(),
        captures_mail: config.delivery == Delivery::Capture,
        max_message_bytes: config.max_message_bytes,
        response_stall_timeout: config.response_stall_timeout,
        organization_requests: config.organization_requests.unwrap_or((pools.http / 2).max(2)),
        running_requests: pools.http * 2,
        max_connections,
        max_connections_per_address: max_connections.div_ceil(4),
        max_connections_per_network: max_connections.div_ceil(2),
        tls: certificates.http_options(config)?,
        challenges: certificates.challenges(),
        mta_sts: mta_sts(config),
        metrics: Arc::clone(&metrics.http),
        trusted_proxies: config.trusted_proxies.clone(),
        ..HttpOptions::default()
    })
}

/// Returns the MTA-STS policy of the service domains; `None` while it is off.
fn mta_sts(config: &Config) -> Option<MtaStsPolicy> {
    let hosts = config.policy_hosts();
    (!hosts.is_empty()).then(|| MtaStsPolicy { hosts, text: mta_sts::policy(config.tls.mta_sts, &config.domain) })
}

/// Stops the heartbeat of this process and releases its claims. The last heartbeat stays, because the next process
/// compares its clock with it. Workers delete it after a timeout.
async fn end_heartbeat(app: App, heartbeat: JoinHandle<()>) {
    heartbeat.abort();
    let _ = heartbeat.await;
    if let Err(error) = processes::release_claims(&app, &[app.process_id]).await {
        tracing::warn!(%error, "claims not released");
    }
}

/// Waits for a signal, or for the premature end of a part.
async fn await_end(parts: &mut JoinSet<Result<(), Failure>>, signals: &mut StopSignals) -> Result<(), Failure> {
    tokio::select! {
        () = signals.received() => Ok(()),
        Some(part) = parts.join_next() => part.context("a part of the server").and_then(|done| done),
    }
}

fn receive_mail(
    config: &Config,
    app: App,
    listeners: Vec<OpenListener>,
    certificate: &ServerCertificate,
    metrics: &Metrics,
    shutdown: Shutdown,
) -> Result<impl Future<Output = ()> + Send + use<>, Failure> {
    let listener = |OpenListener { socket, options }: OpenListener| {
        let socket = tokio::net::TcpListener::from_std(socket).context("the SMTP listener")?;
        let Listener { requires_tls, requires_proxy, .. } = options;
        Ok(inbound::InboundListener { socket, requires_tls, requires_proxy })
    };
    let listeners = listeners.into_iter().map(listener).collect::<Result<Vec<_>, Failure>>()?;
    let options = ServerOptions {
        hostname: config.domain.clone(),
        max_message_bytes: config.max_message_bytes,
        max_spool_bytes: config.smtp_spool_bytes,
        spool_folder: Some(config.data_dir.clone()),
        tls: Some(certificate.server_config(&[]).context("TLS cannot be set up")?),
        trusted_proxies: config.trusted_proxies.clone(),
        metrics: metrics.smtp.clone(),
        ..ServerOptions::default().with_max_connections(config.smtp_max_connections)
    };
    std::fs::create_dir_all(&config.data_dir).context(format!(
        "INBOXD_DATA_DIR: cannot create {}; name a folder that this user may write in",
        config.data_dir.display()
    ))?;
    Ok(inbound::serve(listeners, Arc::new(app), Arc::new(options), shutdown.wait()))
}

fn begin_journal(config: &Config, app: &App) -> Result<FileJournal, Failure> {
    FileJournal::begin(&config.data_dir, app.process_id).context(format!(
        "INBOXD_DATA_DIR: cannot keep a journal in {}; name a folder that this user may write in",
        config.data_dir.display()
    ))
}
