//! Listener with connection limits and graceful shutdown.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

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
            Some((stream, peer, requires_tls)) = arriving.recv() => {
                let server = &servers[usize::from(requires_tls)];
                start_session(&mut sessions, stream, peer, server, &stopped);
            }
        }
    }
    accepting.shutdown().await;
    stop.send_replace(true);
    await_sessions(sessions, server.options.timeouts.grace).await;
}

/// Accepts the connections of one listener.
async fn accept(listener: InboundListener, accepted: mpsc::Sender<(TcpStream, SocketAddr, bool)>) {
    loop {
        match listener.socket.accept().await {
            Ok((stream, peer)) => {
                if accepted.send((stream, peer, listener.requires_tls)).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

fn start_session(
    sessions: &mut JoinSet<()>,
    stream: TcpStream,
    peer: SocketAddr,
    server: &Arc<ServerContext>,
    stopped: &watch::Receiver<bool>,
) {
    let client_ip = peer.ip().to_canonical();
    let permit = match server.connections.admit(client_ip) {
        Ok(permit) => permit,
        Err(reply) => return refuse_connection(stream, &reply),
    };
    // Replies are written in one piece, so delayed packets save nothing.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection closed before session");
    }
    let server = Arc::clone(server);
    let stopped = stopped.clone();
    sessions.spawn(async move {
        session::run(stream, client_ip, &server, permit, stopped).await;
    });
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
