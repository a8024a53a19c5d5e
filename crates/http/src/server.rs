//! HTTP server with graceful shutdown.

use std::future::Future;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::Server;
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, Extensions};
use actix_web::rt::net::TcpStream;
use actix_web::{App as WebApp, web};
use futures_util::future::{Either, join, select};
use inboxd_core::app::App;

use crate::connection::{Connection, RefusalRenderer};
use crate::connection_limits::{ConnectionCaps, ConnectionLimits};
use crate::live::LiveFeed;
use crate::state::{HttpOptions, State};
use crate::{middleware, parser_refusal, routes};

/// Time for which a shutdown waits for running requests, in seconds.
const STOP_TIMEOUT_SECONDS: u64 = 20;
/// Time for a client to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Time after which an idle connection is closed.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a client to close a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves the API and event streams on a listener until `shutdown` is ready; then finishes running requests, for at
/// most 20 seconds. `worker_app` creates the application of each worker in the runtime of that worker.
///
/// # Errors
/// Fails if the listener is unusable.
pub async fn serve(
    app: App,
    worker_app: impl Fn() -> App + Clone + Send + 'static,
    live: LiveFeed,
    options: HttpOptions,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let state = State::new(app, live.clone(), &options);
    let server = server(state, worker_app, &options, listener)?;
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
    state: State,
    worker_app: impl Fn() -> App + Clone + Send + 'static,
    options: &HttpOptions,
    listener: TcpListener,
) -> std::io::Result<Server> {
    let most = options.max_connections.max(1);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(most);
    let connections = ConnectionLimits::new(ConnectionCaps {
        address: options.max_connections_per_address,
        network: options.max_connections_per_network,
    });
    let builder = Server::build()
        .workers(workers)
        // The limit applies per worker.
        .max_concurrent_connections(most / workers)
        .disable_signals()
        .shutdown_timeout(STOP_TIMEOUT_SECONDS);
    let stops = builder.graceful_shutdown_signal();
    // Like `actix_web::HttpServer`, with connections that track their clients.
    let serve = move || {
        let (stops, connections) = (stops.clone(), Arc::clone(&connections));
        let state = web::Data::new(State { app: worker_app(), ..state.clone() });
        let refuse = refuse(&state);
        let api = WebApp::new()
            .app_data(state.clone())
            .wrap(actix_web::middleware::from_fn(middleware::around))
            .configure(routes::configure);
        let http = HttpService::build()
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(CLOSE_TIMEOUT)
            .keep_alive(KEEP_ALIVE_TIMEOUT)
            .graceful_shutdown_signal(move || {
                let stops = stops.clone();
                async move { stops.notified().await }
            })
            .on_connect_ext(move |line: &Connection, lives_as_long: &mut Extensions| {
                connections.admit(line.stream(), lives_as_long);
                lives_as_long.insert(line.client());
            })
            .finish(map_config(api, |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let refuse = Arc::clone(&refuse);
            async move {
                let client = stream.peer_addr().ok();
                Ok::<_, DispatchError>((Connection::new(stream, refuse), Protocol::Http1, client))
            }
        })
        .and_then(http)
    };
    Ok(builder.listen("api", listener, serve)?.run())
}

/// Returns the renderer of responses to requests that the parser refuses.
fn refuse(state: &web::Data<State>) -> RefusalRenderer {
    let state = state.clone();
    Arc::new(move |status| {
        let id = state.app.random.uuid_at(state.app.clock.now()).simple().to_string();
        tracing::info!(id, status = status.as_u16(), "request not parsed");
        parser_refusal::response(status, &state.base_url, &id)
    })
}
