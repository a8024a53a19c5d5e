//! The listener: it takes connections within the caps, and stops without losing what was accepted.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

use super::mailroom::Mailroom;
use super::options::ServerOptions;
use super::reply::Reply;
use super::session;
use super::state::Hall;

/// How long to wait after a failed accept: mostly there are no file descriptors left, and at once there will be none.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Connections that were taken and whose session has not begun.
const WAITING: usize = 64;

/// A socket that mail comes in by.
#[derive(Debug)]
pub struct Listener {
    /// The socket.
    pub socket: TcpListener,
    /// Whether nothing is taken before TLS is on.
    pub requires_tls: bool,
}

/// Holds one conversation over any stream, for whoever takes connections in another way.
pub async fn converse<S>(stream: S, client_ip: IpAddr, mailroom: Arc<dyn Mailroom>, options: Arc<ServerOptions>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let (_stop, stopped) = watch::channel(false);
    let hall = Hall::new(mailroom, options);
    // A registry of its own has room for it.
    if let Ok(permit) = hall.connections.admit(client_ip) {
        session::run(stream, client_ip, &hall, permit, stopped).await;
    }
}

/// Receives mail until `shutdown` is done.
///
/// Then no more connections are taken, idle clients are told so (421 4.3.2), and a mail whose content is on its way is
/// finished and answered, within [`super::Timeouts::grace`].
pub async fn serve(
    listeners: Vec<Listener>,
    mailroom: Arc<dyn Mailroom>,
    options: Arc<ServerOptions>,
    shutdown: impl Future<Output = ()>,
) {
    let hall = Hall::new(mailroom, options);
    let halls = [false, true].map(|requires_tls| Arc::new(hall.clone().requiring_tls(requires_tls)));
    let mut sessions = JoinSet::new();
    let (stop, stopped) = watch::channel(false);
    let (accepted, mut arriving) = mpsc::channel(WAITING);
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, accepted.clone()));
    }
    drop(accepted);
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(ended) = sessions.join_next(), if !sessions.is_empty() => report(ended),
            Some((stream, peer, requires_tls)) = arriving.recv() => {
                let hall = &halls[usize::from(requires_tls)];
                begin(&mut sessions, stream, peer, hall, &stopped);
            }
        }
    }
    accepting.shutdown().await;
    stop.send_replace(true);
    finish(sessions, hall.options.timeouts.grace).await;
}

/// Takes the connections of one listener.
async fn accept(listener: Listener, accepted: mpsc::Sender<(TcpStream, SocketAddr, bool)>) {
    loop {
        match listener.socket.accept().await {
            Ok((stream, peer)) => {
                if accepted.send((stream, peer, listener.requires_tls)).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn begin(
    sessions: &mut JoinSet<()>,
    stream: TcpStream,
    peer: SocketAddr,
    hall: &Arc<Hall>,
    stopped: &watch::Receiver<bool>,
) {
    let client_ip = peer.ip().to_canonical();
    let permit = match hall.connections.admit(client_ip) {
        Ok(permit) => permit,
        Err(reply) => return turn_away(stream, &reply),
    };
    // Replies are written whole, so there is nothing to gather.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it began");
    }
    let hall = Arc::clone(hall);
    let stopped = stopped.clone();
    sessions.spawn(async move {
        session::run(stream, client_ip, &hall, permit, stopped).await;
    });
}

/// Says why and closes, without waiting for anything: a flood of connections must not cost a task each.
fn turn_away(stream: TcpStream, reply: &Reply) {
    let mut line = Vec::new();
    reply.encode(&mut line);
    let written = stream.into_std().and_then(|mut stream| stream.write(&line));
    if let Err(error) = written {
        tracing::debug!(%error, "a connection was gone before it was turned away");
    }
}

async fn finish(mut sessions: JoinSet<()>, grace: Duration) {
    let finished = timeout(grace, async {
        while let Some(ended) = sessions.join_next().await {
            report(ended);
        }
    });
    if finished.await.is_err() {
        tracing::warn!(sessions = sessions.len(), "sessions were cut off: they did not end in time");
        sessions.shutdown().await;
    }
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a session failed");
    }
}
