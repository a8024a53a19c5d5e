//! HTTP server with graceful shutdown.

use std::collections::HashMap;
use std::future::Future;
use std::net::TcpListener;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::{Server, ServerBuilder};
use actix_service::{Service as _, ServiceFactory as _, fn_factory, fn_service, map_config};
use actix_web::dev::{AppConfig, Extensions};
use actix_web::rt::net::TcpStream;
use actix_web::{App as WebApp, web};
use futures_util::future::{Either, join, select};
use inboxd_core::app::App;

use crate::accept::Acceptor;
use crate::connection::{Connection, RefusalRenderer};
use crate::http2::until_closed;
use crate::live::LiveFeed;
use crate::redirect;
use crate::state::{HttpOptions, State};
use crate::tls::Handshakes;
use crate::{middleware, parser_refusal, routes};

/// Time for which a shutdown waits for running requests, in seconds.
const STOP_TIMEOUT_SECONDS: u64 = 20;
/// Time for a client to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Time after which an idle connection is closed.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a client to close a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Listener of HTTP connections.
#[derive(Debug)]
pub struct HttpListener {
    /// Bound socket in non-blocking mode.
    pub socket: TcpListener,
    /// Protocol of the listener.
    pub kind: ListenerKind,
    /// Whether each connection begins with a PROXY protocol header of a trusted proxy.
    pub requires_proxy: bool,
}

/// Protocol of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerKind {
    /// The API over plain HTTP.
    Plain,
    /// The API over TLS.
    Tls,
    /// Redirects to the base URL, and responses to ACME challenges.
    Redirect,
}

/// Serves the API and event streams on listeners until `shutdown` is ready; then finishes running requests, for at
/// most 20 seconds. `worker_app` creates the application of each worker in the runtime of that worker.
///
/// # Errors
/// Fails if a listener is unusable.
pub async fn serve(
    app: App,
    worker_app: impl Fn() -> App + Clone + Send + 'static,
    live: LiveFeed,
    options: HttpOptions,
    listeners: Vec<HttpListener>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let state = State::new(app, live.clone(), &options);
    let server = server(&state, worker_app, &options, listeners)?;
    let handle = server.handle();
    let stop = async {
        select(pin!(live.look()), pin!(shutdown)).await;
    };
    match select(server, pin!(stop)).await {
        Either::Left((ended, _)) => ended,
        Either::Right(((), server)) => {
            live.close();
            join(handle.stop(true), server).await.1
        }
    }
}

fn server(
    state: &State,
    worker_app: impl Fn() -> App + Clone + Send + 'static,
    options: &HttpOptions,
    listeners: Vec<HttpListener>,
) -> std::io::Result<Server> {
    let most = options.max_connections.max(1);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(most);
    let handshakes = |tls| Handshakes::new(tls, options.challenges.clone(), Arc::clone(&options.metrics));
    let tls = options.tls.clone().map(|tls| Arc::new(handshakes(tls)));
    let mut builder = Server::build()
        .workers(workers)
        // The limit applies per worker.
        .max_concurrent_connections(most / workers)
        .disable_signals()
        .shutdown_timeout(STOP_TIMEOUT_SECONDS);
    let states = WorkerStates::default();
    for (number, HttpListener { socket, kind, requires_proxy }) in listeners.into_iter().enumerate() {
        let name = format!("http-{number}");
        let handshakes = if kind == ListenerKind::Tls { tls.clone() } else { None };
        let acceptor = Acceptor {
            connections: Arc::clone(&state.connections),
            trusted_proxies: state.trusted_proxies.clone(),
            requires_proxy,
            handshakes,
            metrics: Arc::clone(&options.metrics),
        };
        builder = if kind == ListenerKind::Redirect {
            let challenges = options.challenges.clone();
            redirect::listen(builder, name, socket, acceptor, &options.base_url, challenges)?
        } else {
            let (states, state, worker_app) = (states.clone(), state.clone(), worker_app.clone());
            let worker_state = move || states.of_worker(|| State { app: worker_app(), ..state.clone() });
            listen(builder, name, socket, acceptor, worker_state)?
        };
    }
    Ok(builder.run())
}

/// State of each worker thread, which serves all listeners with it.
#[derive(Clone, Default)]
struct WorkerStates(Arc<Mutex<HashMap<ThreadId, web::Data<State>>>>);

impl WorkerStates {
    /// Returns the state of this thread.
    fn of_worker(&self, create: impl FnOnce() -> State) -> web::Data<State> {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        states.entry(thread::current().id()).or_insert_with(|| web::Data::new(create())).clone()
    }
}

/// Adds a listener of the API.
fn listen(
    builder: ServerBuilder,
    name: String,
    socket: TcpListener,
    acceptor: Acceptor,
    worker_state: impl Fn() -> web::Data<State> + Clone + Send + 'static,
) -> std::io::Result<ServerBuilder> {
    let stops = builder.graceful_shutdown_signal();
    // Like `actix_web::HttpServer`, with connections that track their clients.
    let serve = move || {
        let (stops, acceptor, worker_state) = (stops.clone(), acceptor.clone(), worker_state.clone());
        fn_factory(move || {
            let (stops, acceptor, state) = (stops.clone(), acceptor.clone(), worker_state());
            let refuse = refuse(&state);
            let api = WebApp::new()
                .app_data(state)
                .wrap(actix_web::middleware::from_fn(middleware::around))
                .configure(routes::configure);
            let stop = stops.clone();
            let http = HttpService::build()
                .client_request_timeout(HEAD_TIMEOUT)
                .client_disconnect_timeout(CLOSE_TIMEOUT)
                .keep_alive(KEEP_ALIVE_TIMEOUT)
                .graceful_shutdown_signal(move || {
                    let stops = stop.clone();
                    async move { stops.notified().await }
                })
                .on_connect_ext(|connection: &Connection, lives_as_long: &mut Extensions| {
                    lives_as_long.insert(connection.client());
                })
                .finish(map_config(api, |()| AppConfig::default()));
            async move {
                let http = Rc::new(http.new_service(()).await?);
                Ok::<_, ()>(fn_service(move |socket: TcpStream| {
                    let (http, acceptor, refuse) = (Rc::clone(&http), acceptor.clone(), Arc::clone(&refuse));
                    let stops = stops.clone();
                    async move {
                        let accepted = acceptor.accept(socket, refuse).await.map_err(DispatchError::Io)?;
                        let (connection, address) = accepted;
                        if !connection.is_http2() {
                            return http.call((connection, Protocol::Http1, Some(address))).await;
                        }
                        let (client, slow_readers) = (connection.client(), acceptor.metrics.slow_readers.clone());
                        let served = http.call((connection, Protocol::Http2, Some(address)));
                        let closed = until_closed(client, slow_readers, async move { stops.notified().await });
                        match select(pin!(served), pin!(closed)).await {
                            Either::Left((ended, _)) => ended,
                            Either::Right(((), _)) => Ok(()),
                        }
                    }
                }))
            }
        })
    };
    builder.listen(name, socket, serve)
}

/// Returns the renderer of responses to requests that the parser refuses.
fn refuse(state: &web::Data<State>) -> RefusalRenderer {
    let state = state.clone();
    Arc::new(move |status| {
        let id = state.app.random.uuid_at(state.app.clock.now()).simple().to_string();
        tracing::info!(id, status = status.as_u16(), "request not parsed");
        state.metrics.count_unparsed(status);
        parser_refusal::response(status, &state.base_url, &id)
    })
}
