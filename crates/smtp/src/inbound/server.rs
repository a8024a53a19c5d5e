//! Listener with connection limits and graceful shutdown.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use inboxd_proxy_protocol::read_client;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

use super::connection_limits::ConnectionPermit;
use super::handler::MailHandler;
use super::options::ServerOptions;
use super::reply::Reply;
use super::session;
use super::state::ServerContext;

/// Delay after a failed accept. The usual cause is a lack of file descriptors, which takes time to resolve.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Number of accepted connections without a session.
const ACCEPT_QUEUE_CAPACITY: usize = 64;

/// Listening socket.
#[derive(Debug)]
pub struct InboundListener {
    /// The socket.
    pub socket: TcpListener,
    /// Whether commands require TLS.
    pub requires_tls: bool,
    /// Whether each connection begins with a PROXY protocol header of a trusted proxy.
    pub requires_proxy: bool,
}

/// Connection without a session.
struct AcceptedConnection {
    stream: TcpStream,
    peer: SocketAddr,
    requires_tls: bool,
    requires_proxy: bool,
}

/// Runs one session over any stream, for callers with their own listener.
pub async fn converse<S>(stream: S, client_ip: IpAddr, handler: Arc<dyn MailHandler>, options: Arc<ServerOptions>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let (_stop, stopped) = watch::channel(false);
    let server = ServerContext::new(handler, options);
    // A new registry always admits one connection.
    if let Ok(permit) = server.connections.admit(client_ip) {
        session::run(stream, client_ip, &server, permit, stopped).await;
    }
}

/// Receives mail until `shutdown` completes.
///
/// Afterwards no connection is accepted, and idle clients receive 421 4.3.2. A message in transfer is completed and
/// replied to within [`super::ServerTimeouts::grace`].
pub async fn serve(
    listeners: Vec<InboundListener>,
    handler: Arc<dyn MailHandler>,
    options: Arc<ServerOptions>,
    shutdown: impl Future<Output = ()>,
) {
    let server = ServerContext::new(handler, options);
    let servers = [false, true].map(|requires_tls| Arc::new(server.clone().requiring_tls(requires_tls)));
    let mut sessions = JoinSet::new();
    let (stop, stopped) = watch::channel(false);
    let (accepted, mut arriving) = mpsc::channel(ACCEPT_QUEUE_CAPACITY);
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, accepted.clone()));
    }
    drop(accepted);
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(ended) = sessions.join_next(), if !sessions.is_empty() => log_failure(ended),
            Some(connection) = arriving.recv() => {
                let server = &servers[usize::from(connection.requires_tls)];
                start_session(&mut sessions, connection, server, &stopped);
            }
        }
    }
    accepting.shutdown().await;
    stop.send_replace(true);
    await_sessions(sessions, server.options.timeouts.grace).await;
}

/// Accepts the connections of one listener.
async fn accept(listener: InboundListener, accepted: mpsc::Sender<AcceptedConnection>) {
    let InboundListener { socket, requires_tls, requires_proxy } = listener;
    loop {
        match socket.accept().await {
            Ok((stream, peer)) => {
                let connection = AcceptedConnection { stream, peer, requires_tls, requires_proxy };
                if accepted.send(connection).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "SMTP accept failed");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

fn start_session(
    sessions: &mut JoinSet<()>,
    connection: AcceptedConnection,
    server: &Arc<ServerContext>,
    stopped: &watch::Receiver<bool>,
) {
    let AcceptedConnection { stream, peer, requires_proxy, .. } = connection;
    // Replies are written in one piece, so delayed packets save nothing.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection closed before session");
    }
    if requires_proxy {
        return start_proxied_session(sessions, stream, peer, server, stopped);
    }
    let client_ip = peer.ip().to_canonical();
    let Some((stream, permit)) = admit(stream, client_ip, server) else { return };
    let (server, stopped) = (Arc::clone(server), stopped.clone());
    sessions.spawn(async move {
        session::run(stream, client_ip, &server, permit, stopped).await;
    });
}

/// Starts a session that knows its client after the header of its proxy.
fn start_proxied_session(
    sessions: &mut JoinSet<()>,
    mut stream: TcpStream,
    peer: SocketAddr,
    server: &Arc<ServerContext>,
    stopped: &watch::Receiver<bool>,
) {
    // Connections without a header yet are no sessions in the limits: as many may wait as sessions may run.
    if sessions.len() >= server.options.max_connections.saturating_mul(2) {
        server.options.metrics.count_connection(Some(&Reply::ServerFull));
        return refuse_connection(stream, &Reply::ServerFull);
    }
    let (server, stopped) = (Arc::clone(server), stopped.clone());
    sessions.spawn(async move {
        let client_ip = match read_client(&mut stream, peer, &server.options.trusted_proxies).await {
            Ok(client) => client.ip().to_canonical(),
            Err(error) => return tracing::debug!(%peer, %error, "connection without proxy header closed"),
        };
        let Some((stream, permit)) = admit(stream, client_ip, &server) else { return };
        session::run(stream, client_ip, &server, permit, stopped).await;
    });
}

/// Returns the stream with its permit, or refuses the connection.
fn admit(stream: TcpStream, client_ip: IpAddr, server: &ServerContext) -> Option<(TcpStream, ConnectionPermit)> {
    match server.connections.admit(client_ip) {
        Ok(permit) => {
            server.options.metrics.count_connection(None);
            Some((stream, permit))
        }
        Err(reply) => {
            server.options.metrics.count_connection(Some(&reply));
            refuse_connection(stream, &reply);
            None
        }
    }
}

/// Sends the refusal and closes without waiting, so a flood of connections does not cost a task each.
fn refuse_connection(stream: TcpStream, reply: &Reply) {
    let mut line = Vec::new();
    reply.encode(&mut line);
    let written = stream.into_std().and_then(|mut stream| stream.write(&line));
    if let Err(error) = written {
        tracing::debug!(%error, "connection closed before refusal");
    }
}

async fn await_sessions(mut sessions: JoinSet<()>, grace: Duration) {
    let finished = timeout(grace, async {
        while let Some(ended) = sessions.join_next().await {
            log_failure(ended);
        }
    });
    if finished.await.is_err() {
        tracing::warn!(sessions = sessions.len(), "sessions aborted after grace period");
        sessions.shutdown().await;
    }
}

fn log_failure(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "session panicked");
    }
}
