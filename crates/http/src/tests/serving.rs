//! The server on a real socket: responses, input limits and stop.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use inboxd_core::testing::World;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{KEY, options};
use crate::state::HttpOptions;

pub(super) struct Serving {
    pub(super) address: SocketAddr,
    pub(super) stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

fn serving(world: World) -> Serving {
    serving_with(world, options(), false)
}

pub(super) fn serving_with(world: World, options: HttpOptions, requires_proxy: bool) -> Serving {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let listener = crate::HttpListener { socket: listener, kind: crate::ListenerKind::Plain, requires_proxy };
    let (stop, stopped) = oneshot::channel::<()>();
    let until = async move {
        let _ = stopped.await;
    };
    let app = world.app();
    let (live, worker_app) = (crate::LiveFeed::new(app.clone(), 100, crate::FeedMetrics::default()), app.clone());
    let server = tokio::spawn(crate::serve(app, move || worker_app.clone(), live, options, vec![listener], until));
    Serving { address, stop, server }
}

/// Sends bytes and reads until the server closes the connection.
async fn exchange(address: SocketAddr, request: String) -> String {
    spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn server_responds_and_stops() {
    let Serving { address, stop, server } = serving(World::default());
    let answer = exchange(address, "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_owned()).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with(r#"{"status":"ok"}"#), "{answer}");
    let head = exchange(address, "HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_owned()).await;
    assert!(head.contains("content-length: 15\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), server).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err(), "the listener is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_request_is_completed_before_stop() {
    let Serving { address, stop, server } = serving(super::world());
    let (begun, has_begun) = oneshot::channel();
    let (go_on, may_go_on) = oneshot::channel();
    let client = spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!(
            "POST /v0/inboxes/a@b.example/messages/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 9\r\n\r\n{{\"to\""
        );
        stream.write_all(head.as_bytes()).unwrap();
        begun.send(()).unwrap();
        may_go_on.blocking_recv().unwrap();
        stream.write_all(b": 5}").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    });
    has_begun.await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!server.is_finished(), "the server waits for the request");
    go_on.send(()).unwrap();
    let answer = client.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 422 ") && answer.contains("must be a string"), "{answer}");
    tokio::time::timeout(Duration::from_secs(10), server).await.unwrap().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_request_returns_reason_before_close() {
    let Serving { address, stop, server } = serving(super::world());
    let body = "x".repeat(2000);
    for framing in [
        format!("Content-Length: {}\r\n\r\n{body}", body.len()),
        format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
    ] {
        let request = format!(
            "POST /v0/inboxes/a@b/messages/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {KEY}\r\n{framing}"
        );
        let answer = exchange(address, request).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("payload_too_large"), "{answer}");
    }
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), server).await.unwrap().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_chunk_is_refused() {
    let Serving { address, stop, server } = serving(super::world());
    let answer = exchange(
        address,
        format!(
            "POST /v0/inboxes/a@b/messages/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {KEY}\r\n\
             Transfer-Encoding: chunked\r\n\r\n3\r\n{{\"t\r\nnonsense\r\n\r\n"
        ),
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 422 ") && answer.contains("validation_error"), "{answer}");
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), server).await.unwrap().unwrap().unwrap();
}

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

/// Sends a request on a connection and leaves it open. Returns whether a response arrived within a time.
fn asked(stream: &mut TcpStream, patience: Duration) -> bool {
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut answer = [0; 1024];
    stream.write_all(HEALTH).is_ok() && stream.read(&mut answer).is_ok_and(|length| length > 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_network_are_limited() {
    let limits = HttpOptions { max_connections_per_network: 3, ..options() };
    let Serving { address, stop, server } = serving_with(World::default(), limits, false);
    spawn_blocking(move || {
        let long = Duration::from_secs(20);
        let connect = || TcpStream::connect(address).unwrap();
        let mut idle = [connect(), connect(), connect()];
        assert!(idle.iter_mut().all(|stream| asked(stream, long)));
        for _ in 0..10 {
            assert!(!asked(&mut connect(), long), "closed immediately");
        }
        assert!(idle.iter_mut().all(|stream| asked(stream, long)), "existing connections stay open");
        drop(idle);
        let freed = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            asked(&mut connect(), long)
        });
        assert!(freed, "closed connections do not count");
    })
    .await
    .unwrap();
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(30), server).await.unwrap().unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_maximum_wait() {
    let limits = HttpOptions { max_connections: 1, ..options() };
    let Serving { address, stop, server } = serving_with(World::default(), limits, false);
    spawn_blocking(move || {
        let mut first = TcpStream::connect(address).unwrap();
        assert!(asked(&mut first, Duration::from_secs(20)));
        let mut second = TcpStream::connect(address).unwrap();
        assert!(!asked(&mut second, Duration::from_millis(500)));
        drop(first);
        let mut answer = [0; 1024];
        second.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        assert!(second.read(&mut answer).unwrap() > 0);
    })
    .await
    .unwrap();
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(30), server).await.unwrap().unwrap().unwrap();
}
