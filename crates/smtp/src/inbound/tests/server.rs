//! Listener on a real socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::support::{ENVELOPE, StubMailroom, options, stored};
use crate::inbound::{InboundListener, MailHandler, ServerOptions, serve};

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) stop: oneshot::Sender<()>,
    pub(super) done: JoinHandle<()>,
}

async fn start(mailroom: &Arc<StubMailroom>, options: ServerOptions) -> Server {
    listen(mailroom, options, false).await
}

pub(super) async fn listen(mailroom: &Arc<StubMailroom>, options: ServerOptions, requires_proxy: bool) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let mailroom = Arc::clone(mailroom) as Arc<dyn MailHandler>;
    let done = tokio::spawn(serve(
        vec![InboundListener { socket: listener, requires_tls: false, requires_proxy }],
        mailroom,
        Arc::new(options),
        async move {
            let _ = stopped.await;
        },
    ));
    Server { address, stop, done }
}

pub(super) async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).contains(end) {
        let mut buffer = [0; 1024];
        match stream.read(&mut buffer).await.unwrap() {
            0 => break,
            read => text.extend_from_slice(&buffer[..read]),
        }
    }
    String::from_utf8(text).unwrap()
}

pub(super) async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address).await.unwrap()
}

#[tokio::test]
async fn messages_on_concurrent_connections_are_stored() {
    let mailroom = StubMailroom::new();
    let server = start(&mailroom, options()).await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        let mut stream = connect(&server).await;
        clients.push(tokio::spawn(async move {
            stream.write_all(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\nQUIT\r\n").as_bytes()).await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            assert!(text.ends_with("250 2.0.0 stored\r\n221 2.0.0 goodbye\r\n"), "{text}");
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(mailroom.mails().len(), 50);
    assert_eq!(mailroom.mails()[0].client.as_ref().unwrap().ip, server.address.ip());
    server.stop.send(()).unwrap();
    server.done.await.unwrap();
}

#[tokio::test]
async fn connections_are_limited_for_server_and_client() {
    let table =
        [(2, 10, "421 4.7.0 too many connections; "), (10, 2, "421 4.7.0 too many connections from your address; ")];
    for (max_connections, max_connections_per_ip, expected) in table {
        let options = ServerOptions { max_connections, max_connections_per_ip, ..options() };
        let server = start(&StubMailroom::new(), options).await;
        let mut held = Vec::new();
        for _ in 0..2 {
            let mut stream = connect(&server).await;
            assert!(read_until(&mut stream, "\r\n").await.starts_with("220 "));
            held.push(stream);
        }
        let mut refused = connect(&server).await;
        let text = read_until(&mut refused, "nothing more").await;
        assert!(text.starts_with(expected), "{text}");

        let mut leaving = held.pop().unwrap();
        leaving.write_all(b"QUIT\r\n").await.unwrap();
        read_until(&mut leaving, "nothing more").await;
        drop(leaving);
        let greeted = async {
            loop {
                let mut stream = connect(&server).await;
                if read_until(&mut stream, "\r\n").await.starts_with("220 ") {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(10), greeted).await.expect("the connection is released");
    }
}

#[tokio::test]
async fn shutdown_notifies_idle_and_completes_message() {
    let mut mailroom = StubMailroom::returning(Ok(stored()));
    mailroom.delay = Duration::from_millis(300);
    let mailroom = Arc::new(mailroom);
    let server = start(&mailroom, options()).await;
    let mut idle = connect(&server).await;
    assert!(read_until(&mut idle, "\r\n").await.starts_with("220 "));
    let mut busy = connect(&server).await;
    busy.write_all(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").as_bytes()).await.unwrap();
    // The message is being stored at this time.
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.send(()).unwrap();
    assert!(read_until(&mut idle, "nothing more").await.starts_with("421 4.3.2 "));
    drop(idle);
    let text = read_until(&mut busy, "nothing more").await;
    assert!(text.contains("250 2.0.0 stored\r\n421 4.3.2 "), "{text}");
    drop(busy);
    server.done.await.unwrap();
    assert_eq!(mailroom.mails().len(), 1);
    assert!(TcpStream::connect(server.address).await.is_err(), "the listener is closed");
}

#[tokio::test]
async fn shutdown_ends_after_grace_period() {
    let mut options = options();
    options.timeouts.grace = Duration::from_millis(200);
    let mailroom = StubMailroom::new();
    let server = start(&mailroom, options).await;
    let mut stuck = connect(&server).await;
    stuck.write_all(format!("{ENVELOPE}DATA\r\nhalf").as_bytes()).await.unwrap();
    read_until(&mut stuck, "354 ").await;
    server.stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), server.done).await.expect("shutdown ends").unwrap();
    assert!(mailroom.mails().is_empty());
}

#[tokio::test]
async fn vanished_client_releases_its_connection() {
    let mailroom = StubMailroom::new();
    let server = start(&mailroom, ServerOptions { max_connections: 1, ..options() }).await;
    for input in ["", "EHLO c\r\n", "MAIL", &format!("{ENVELOPE}DATA\r\nhalf")] {
        let gone = async {
            loop {
                let mut stream = connect(&server).await;
                if read_until(&mut stream, "\r\n").await.starts_with("220 ") {
                    stream.write_all(input.as_bytes()).await.unwrap();
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("the connection is released");
    }
    assert!(mailroom.mails().is_empty());
}

#[tokio::test]
async fn network_beyond_its_share_of_the_spool_tries_again() {
    let mailroom = StubMailroom::new();
    let options = ServerOptions { max_message_bytes: 600_000, max_spool_bytes: 0, ..options() };
    let server = start(&mailroom, options).await;
    let large = "x".repeat(98) + "\r\n";
    let large = large.repeat(4_000);
    let mut first = connect(&server).await;
    first.write_all(format!("{ENVELOPE}BDAT {}\r\n{large}", large.len()).as_bytes()).await.unwrap();
    read_until(&mut first, "octets received").await;
    let mut second = connect(&server).await;
    second.write_all(format!("{ENVELOPE}DATA\r\n{large}.\r\n").as_bytes()).await.unwrap();
    let text = read_until(&mut second, "452 ").await;
    assert!(text.contains("\r\n452 4.3.1 "), "{text}");
    first.write_all(b"BDAT 0 LAST\r\n").await.unwrap();
    read_until(&mut first, "stored").await;
    let again = format!("MAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nDATA\r\n{large}.\r\n");
    second.write_all(again.as_bytes()).await.unwrap();
    read_until(&mut second, "stored").await;
    assert_eq!(mailroom.mails().iter().map(|mail| mail.raw.len()).collect::<Vec<_>>(), [400_000, 400_000]);
}

/// Connects from a loopback address and reads the first line.
async fn connect_from(ip: [u8; 4], server: &Server) -> (TcpStream, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((ip, 0).into()).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let line = read_until(&mut stream, "\r\n").await;
    (stream, line)
}

fn yielding_at_once(max_connections: usize) -> ServerOptions {
    let mut options =
        ServerOptions { max_connections_per_ip: 2, max_connections_per_network: 4, max_connections, ..options() };
    options.timeouts.yield_after = Duration::from_millis(1);
    options
}

#[tokio::test]
async fn longest_idle_session_of_the_largest_network_gives_way() {
    let server = start(&StubMailroom::new(), yielding_at_once(5)).await;
    let (mut alone, greeting) = connect_from([127, 1, 0, 1], &server).await;
    assert!(greeting.starts_with("220 "));
    let mut crowd = Vec::new();
    for ip in [[127, 2, 0, 1], [127, 2, 0, 1], [127, 2, 0, 2], [127, 2, 0, 2]] {
        crowd.push(connect_from(ip, &server).await.0);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    let (_newcomer, greeting) = connect_from([127, 3, 0, 1], &server).await;
    assert!(greeting.starts_with("220 "), "{greeting}");
    let text = read_until(&mut crowd[0], "nothing more").await;
    assert!(text.starts_with("421 4.3.2 "), "{text}");
    alone.write_all(b"NOOP\r\n").await.unwrap();
    assert!(read_until(&mut alone, "\r\n").await.starts_with("250 "));
}

#[tokio::test]
async fn full_network_displaces_its_own_sessions_only() {
    let server = start(&StubMailroom::new(), yielding_at_once(100)).await;
    let (mut alone, _) = connect_from([127, 1, 0, 1], &server).await;
    let mut crowd = Vec::new();
    for ip in [[127, 2, 0, 1], [127, 2, 0, 1], [127, 2, 0, 2], [127, 2, 0, 2], [127, 2, 0, 3], [127, 2, 0, 4]] {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let (stream, greeting) = connect_from(ip, &server).await;
        assert!(greeting.starts_with("220 "), "{greeting}");
        crowd.push(stream);
    }
    for position in [0, 2] {
        let text = read_until(&mut crowd[position], "nothing more").await;
        assert!(text.starts_with("421 4.3.2 "), "{position}: {text}");
    }
    alone.write_all(b"NOOP\r\n").await.unwrap();
    assert!(read_until(&mut alone, "\r\n").await.starts_with("250 "));
}

#[tokio::test]
async fn session_that_stores_a_message_does_not_give_way() {
    let mut mailroom = StubMailroom::returning(Ok(stored()));
    mailroom.delay = Duration::from_millis(500);
    let server = start(&Arc::new(mailroom), yielding_at_once(1)).await;
    let (mut busy, _) = connect_from([127, 1, 0, 1], &server).await;
    busy.write_all(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (_refused, text) = connect_from([127, 2, 0, 1], &server).await;
    assert!(text.starts_with("421 4.7.0 too many connections"), "{text}");
    assert!(read_until(&mut busy, "stored").await.contains("250 2.0.0 stored"));
}
