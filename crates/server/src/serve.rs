//! Lifetime of a serving process: start of its roles, wait for a stop signal, orderly shutdown.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{App, dkim, processes};
use inboxd_core::ports::{Capacity, Signal, Store, Wake as _};
use inboxd_http::{EventBodies, HttpOptions, LiveFeed};
use inboxd_postgres::PgStore;
use inboxd_smtp::inbound::{self, ServerCertificate, ServerOptions};
use inboxd_worker::{
    DeliveryWorker, FileJournal, Heartbeat, Sequencer, Shutdown, WakeSignals, WorkerPorts, listen_to_signals,
    maintain_partitions, record_notes, release_abandoned_keys, run_periodic_jobs, run_webhooks,
};
use socket2::{Domain, Socket, Type};
use tokio::task::{JoinHandle, JoinSet};

use crate::config::{CertificateFiles, Config, Delivery, Role, SmtpListener};
use crate::failure::{Failure, While};
use crate::services::{Pools, app_that_wakes, webhook_sender};
use crate::space::Space;
use crate::starting::{StopSignals, open_database};
use crate::transport::transport;
use crate::{descriptors, logging, space};

/// Time between two checks of the SMTP certificate for changes.
const CERTIFICATE_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Serves until SIGTERM or Ctrl-C.
pub(crate) async fn serve(mut config: Config, hold: bool) -> Result<(), Failure> {
    // A stop signal during the start must also cause an orderly shutdown.
    let mut signals = StopSignals::install()?;
    let _rest_of_the_log = logging::start();
    let most_connections = config.max_connections.min(descriptors::raise_limit());
    // Bind before the database starts, so that a port in use fails early.
    let http = listen_for_requests(&mut config)?;
    let smtp = if config.roles.contains(&Role::Smtp) { listen_for_mail(&mut config)? } else { Vec::new() };
    let Some((database, keys)) = open_database(&config, hold, &mut signals).await? else { return Ok(()) };
    let ports = WorkerPorts::of(&database.store);
    let wake = Arc::new(WakeSignals::default());
    let mut app = app_that_wakes(&config, &database, keys, Arc::clone(&wake))?;
    let journal =
        if config.roles.contains(&Role::Worker) { Some(Arc::new(begin_journal(&config, &app)?)) } else { None };
    let deliver = journal.clone().map(|journal| DeliveryWorker::new(journal, app.settings.delivers_directly));
    if let Some(deliver) = &deliver {
        deliver.read_holds(&ports).await.trying("cannot read the holds")?;
    }
    app.courier = deliver.as_ref().map(DeliveryWorker::courier);
    let (space, asked) = Space::of(&config.data_dir, config.min_free_bytes);
    app.capacity = Arc::clone(&space) as Arc<dyn Capacity>;
    let heartbeat = Heartbeat::new();
    let recall = deliver.as_ref().map(DeliveryWorker::recall);
    let recall = move || recall.iter().for_each(|recall| recall());
    let beating = heartbeat.start(app.clone(), database.with_own_connections(1)?, recall).await;
    let (stop, shutdown) = Shutdown::channel();

    // A single address or organization may not use all connections.
    let most_of_one = most_connections.div_ceil(2);
    let pools = Pools::of(&config);
    let http_store = database.with_own_connections(pools.http)?;
    let http_app = App { store: Arc::clone(&http_store) as Arc<dyn Store>, ..app.clone() };
    let live = LiveFeed::new(http_app.clone(), most_of_one);
    let readers = live.handle();
    wake.on_sequenced(move |sequenced| readers.hand(sequenced));
    let mut tasks = JoinSet::new();
    if let Some(listener) = http {
        let options = http_options(&config, &pools, most_connections);
        let local = local_app(http_app.clone(), http_store, pools.local);
        let part = inboxd_http::serve(http_app, local, live.clone(), options, listener, shutdown.clone().wait());
        tasks.spawn(async move { part.await.trying("the HTTP server") });
    }
    if !smtp.is_empty() {
        let smtp_app = App { store: database.with_own_connections(pools.smtp)?, ..app.clone() };
        let part = receive_mail(&config, smtp_app, smtp, shutdown.clone())?;
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
        let webhooks = run_webhooks(app.clone(), sender, Arc::new(EventBodies), Arc::clone(&wake), shutdown.clone());
        let jobs = run_periodic_jobs(app.clone(), ports.clone(), Arc::clone(&wake), journal, shutdown.clone());
        tasks.spawn(async move {
            tokio::join!(deliver, webhooks, jobs);
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
    tasks.spawn(async move {
        tokio::join!(sequencing, weeks, listen, watch_space, look_up, release, notes);
        Ok(())
    });
    announce(&config);
    let ended = await_end(&mut tasks, &mut signals).await;
    tracing::info!("shutdown requested");
    stop.request();
    let outcome = await_parts(tasks, ended).await;
    sequencer.finish().await;
    end_heartbeat(app, beating).await;
    database.close().await?;
    tracing::info!("stopped");
    outcome
}

/// Waits until all parts have ended, and returns the first failure.
async fn await_parts(mut tasks: JoinSet<Result<(), Failure>>, mut outcome: Result<(), Failure>) -> Result<(), Failure> {
    while let Some(part) = tasks.join_next().await {
        outcome = outcome.and(part.trying("a part of the server").and_then(|done| done));
    }
    outcome
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
fn http_options(config: &Config, pools: &Pools, max_connections: usize) -> HttpOptions {
    HttpOptions {
        base_url: config.base_url(),
        operator_emails: config.operator_emails.clone(),
        captures_mail: config.delivery == Delivery::Capture,
        max_message_bytes: config.max_message_bytes,
        unauthenticated_rate: config.unauthenticated_rate,
        key_rate: config.key_rate,
        organization_requests: config.organization_requests.unwrap_or((pools.http / 2).max(2)),
        running_requests: pools.http * 2,
        max_connections,
        max_connections_per_address: max_connections.div_ceil(4),
        max_connections_per_network: max_connections.div_ceil(2),
        ..HttpOptions::default()
    }
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
        Some(part) = parts.join_next() => part.trying("a part of the server").and_then(|done| done),
    }
}

fn listen(variable: &str, address: SocketAddr, is_only_v6: bool) -> Result<TcpListener, Failure> {
    let listener = bind(address, is_only_v6).map_err(|error| {
        Failure::new(format!("cannot listen on {address}: {error}; set {variable} to another address or port"))
    })?;
    listener.set_nonblocking(true).trying("cannot prepare the listener")?;
    Ok(listener)
}

/// Binds like [`TcpListener::bind`]; an IPv6 listener may leave IPv4 to another one on the same port.
fn bind(address: SocketAddr, is_only_v6: bool) -> std::io::Result<TcpListener> {
    const WAITING: i32 = 1024;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() && is_only_v6 {
        socket.set_only_v6(true)?;
    }
    socket.bind(&address.into())?;
    socket.listen(WAITING)?;
    Ok(socket.into())
}

/// Binds the API socket if this process serves the API, and stores the assigned port in the configuration.
fn listen_for_requests(config: &mut Config) -> Result<Option<TcpListener>, Failure> {
    if !config.roles.contains(&Role::Http) {
        return Ok(None);
    }
    let listener = listen("INBOXD_HTTP_ADDR", config.http_addr, false)?;
    config.http_addr = listener.local_addr().trying("the HTTP listener")?;
    Ok(Some(listener))
}

/// Binds the SMTP sockets, and stores the assigned ports in the configuration.
fn listen_for_mail(config: &mut Config) -> Result<Vec<inbound::InboundListener>, Failure> {
    let mut listeners = Vec::with_capacity(config.smtp.len());
    let v4: Vec<u16> = config.smtp.iter().filter(|one| one.address.is_ipv4()).map(|one| one.address.port()).collect();
    for configured in &mut config.smtp {
        let socket = listen("INBOXD_SMTP_ADDR", configured.address, v4.contains(&configured.address.port()))?;
        configured.address = socket.local_addr().trying("the SMTP listener")?;
        let socket = tokio::net::TcpListener::from_std(socket).trying("the SMTP listener")?;
        listeners.push(inbound::InboundListener { socket, requires_tls: configured.requires_tls });
    }
    Ok(listeners)
}

fn receive_mail(
    config: &Config,
    app: App,
    listeners: Vec<inbound::InboundListener>,
    shutdown: Shutdown,
) -> Result<impl Future<Output = ()> + Send + use<>, Failure> {
    let certificate = match &config.smtp_certificate {
        Some(CertificateFiles { certificate, key }) => {
            ServerCertificate::from_files(certificate, key).trying("INBOXD_SMTP_TLS_CERT and INBOXD_SMTP_TLS_KEY")?
        }
        None => ServerCertificate::self_signed(&config.domain).trying("the certificate for STARTTLS")?,
    };
    let options = ServerOptions {
        hostname: config.domain.clone(),
        max_message_bytes: config.max_message_bytes,
        max_spool_bytes: config.smtp_spool_bytes,
        spool_folder: Some(config.data_dir.clone()),
        tls: Some(certificate.server_config().trying("TLS cannot be set up")?),
        ..ServerOptions::default().with_max_connections(config.smtp_max_connections)
    };
    std::fs::create_dir_all(&config.data_dir).trying(format!(
        "INBOXD_DATA_DIR: cannot create {}; name a folder that this user may write in",
        config.data_dir.display()
    ))?;
    let receive = inbound::serve(listeners, Arc::new(app), Arc::new(options), shutdown.clone().wait());
    Ok(async move {
        tokio::join!(receive, keep_fresh(certificate, shutdown));
    })
}

/// Reloads a replaced certificate until shutdown.
async fn keep_fresh(certificate: ServerCertificate, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        match certificate.refresh() {
            Ok(true) => tracing::info!("SMTP certificate replaced"),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "SMTP certificate not reloaded");
            }
        }
        shutdown.sleep(CERTIFICATE_POLL_INTERVAL).await;
    }
}

fn begin_journal(config: &Config, app: &App) -> Result<FileJournal, Failure> {
    FileJournal::begin(&config.data_dir, app.process_id).trying(format!(
        "INBOXD_DATA_DIR: cannot keep a journal in {}; name a folder that this user may write in",
        config.data_dir.display()
    ))
}

/// Prints the addresses of the roles and the first steps.
fn announce(config: &Config) {
    let Config { http_addr, smtp, roles, .. } = config;
    let base_url = config.base_url();
    let mut lines = vec![format!("inboxd {} is ready.", env!("CARGO_PKG_VERSION"))];
    if roles.contains(&Role::Http) {
        lines.push(format!("  API   http://{http_addr}   documentation: {base_url}/docs"));
        lines.push(format!("  Web   {base_url}/console   for people: sign in with an email address"));
    }
    for SmtpListener { address, requires_tls } in smtp.iter().filter(|_| roles.contains(&Role::Smtp)) {
        let how = if *requires_tls { ", TLS required" } else { "" };
        lines.push(format!("  SMTP  {address}   for mail to *@{} and *@{}{how}", config.domain, config.signup_domain));
    }
    if roles.contains(&Role::Http) {
        lines.push("  Sign up:".to_owned());
        lines.push(format!("    curl {base_url}/v0/agent/sign-up --json \\"));
        lines.push(r#"      '{"human_email": "you@example.org", "username": "scout"}'"#.to_owned());
    }
    if config.delivery == Delivery::Capture {
        lines.push(
            "  Mail is captured, not sent: the log has one line per message, with every sign-in code; `inboxd admin \
             captured` prints all."
                .to_owned(),
        );
    }
    if matches!(config.delivery, Delivery::Direct { .. }) {
        lines.push(
            "  Mail is sent to the servers of its recipients: `inboxd doctor` checks the records that they check."
                .to_owned(),
        );
    }
    // A closed output is no error.
    let _ = std::io::stdout().write_all(format!("{}\n", lines.join("\n")).as_bytes());
}
