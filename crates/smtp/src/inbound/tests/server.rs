//! The listener on a real socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::support::{ENVELOPE, Room, options};
use crate::inbound::{Listener, Mailroom, ReceiveAnswer, ServerOptions, serve};

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    done: JoinHandle<()>,
}

async fn start(room: &Arc<Room>, options: ServerOptions) -> Server {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let mailroom = Arc::clone(room) as Arc<dyn Mailroom>;
    let done = tokio::spawn(serve(
        vec![Listener { socket: listener, requires_tls: false }],
        mailroom,
        Arc::new(options),
        async move {
            let _ = stopped.await;
        },
    ));
    Server { address, stop, done }
}

async fn read_until(stream: &mut TcpStream, end: &str) -> String {
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

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address).await.unwrap()
}

#[tokio::test]
async fn it_takes_mail_on_many_connections_at_once() {
    let room = Room::new();
    let server = start(&room, options()).await;
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
    assert_eq!(room.mails().len(), 50);
    assert_eq!(room.mails()[0].client_ip, server.address.ip());
    server.stop.send(()).unwrap();
    server.done.await.unwrap();
}

#[tokio::test]
async fn connections_are_capped_in_all_and_for_each_client() {
    let table =
        [(2, 10, "421 4.7.0 too many connections; "), (10, 2, "421 4.7.0 too many connections from your address; ")];
    for (max_connections, max_connections_per_ip, expected) in table {
        let options = ServerOptions { max_connections, max_connections_per_ip, ..options() };
        let server = start(&Room::new(), options).await;
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
        tokio::time::timeout(Duration::from_secs(10), greeted).await.expect("the place is free again");
    }
}

#[tokio::test]
async fn a_stop_tells_the_idle_and_finishes_the_mail_under_way() {
    let mut room = Room::answering(ReceiveAnswer::Stored);
    room.delay = Duration::from_millis(300);
    let room = Arc::new(room);
    let server = start(&room, options()).await;
    let mut idle = connect(&server).await;
    assert!(read_until(&mut idle, "\r\n").await.starts_with("220 "));
    let mut busy = connect(&server).await;
    busy.write_all(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").as_bytes()).await.unwrap();
    // The mail is being stored after this while.
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.send(()).unwrap();
    assert!(read_until(&mut idle, "nothing more").await.starts_with("421 4.3.2 "));
    drop(idle);
    let text = read_until(&mut busy, "nothing more").await;
    assert!(text.contains("250 2.0.0 stored\r\n421 4.3.2 "), "{text}");
    drop(busy);
    server.done.await.unwrap();
    assert_eq!(room.mails().len(), 1);
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let mut options = options();
    options.timeouts.grace = Duration::from_millis(200);
    let room = Room::new();
    let server = start(&room, options).await;
    let mut stuck = connect(&server).await;
    stuck.write_all(format!("{ENVELOPE}DATA\r\nhalf").as_bytes()).await.unwrap();
    read_until(&mut stuck, "354 ").await;
    server.stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), server.done).await.expect("it is bounded").unwrap();
    assert!(room.mails().is_empty());
}

#[tokio::test]
async fn clients_that_vanish_cost_nothing() {
    let room = Room::new();
    let server = start(&room, ServerOptions { max_connections: 1, ..options() }).await;
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
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("the place is free again");
    }
    assert!(room.mails().is_empty());
}

#[tokio::test]
async fn mail_that_memory_has_no_room_for_is_to_come_again() {
    let room = Room::new();
    let server = start(&room, ServerOptions { max_octets_in_flight: 0, ..options() }).await;
    let mut first = connect(&server).await;
    first.write_all(format!("{ENVELOPE}DATA\r\nhalf\r\n").as_bytes()).await.unwrap();
    read_until(&mut first, "354 ").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut second = connect(&server).await;
    second.write_all(format!("{ENVELOPE}DATA\r\nhi\r\n.\r\n").as_bytes()).await.unwrap();
    let text = read_until(&mut second, "452 ").await;
    assert!(text.contains("\r\n452 4.3.1 "), "{text}");
    first.write_all(b".\r\n").await.unwrap();
    read_until(&mut first, "stored").await;
    second.write_all(b"MAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nDATA\r\nhi\r\n.\r\n").await.unwrap();
    read_until(&mut second, "stored").await;
    assert_eq!(room.mails().len(), 2);
}
