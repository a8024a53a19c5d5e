//! Connections with a PROXY protocol header.

use std::time::Duration;

use inboxd_core::rules::trusted_proxies::TrustedProxies;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::server::{Server, connect, listen, read_until};
use super::support::{ENVELOPE, StubMailroom, options};
use crate::inbound::ServerOptions;

/// Returns the header of a client at 192.0.2.x.
fn header(host: u8) -> Vec<u8> {
    [&b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02"[..], &[host], b"\x7f\0\0\x01\x12\x67\0\x19"].concat()
}

fn trusting(network: &str) -> ServerOptions {
    ServerOptions { trusted_proxies: TrustedProxies::new(vec![network.parse().unwrap()]), ..options() }
}

async fn connect_with(server: &Server, bytes: &[u8]) -> TcpStream {
    let mut stream = connect(server).await;
    stream.write_all(bytes).await.unwrap();
    stream
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text).await;
    text
}

#[tokio::test]
async fn message_through_proxy_has_address_of_client() {
    let mailroom = StubMailroom::new();
    let server = listen(&mailroom, trusting("127.0.0.1"), true).await;
    // Commands in the same segment as the header.
    let mut stream = connect_with(&server, &header(7)).await;
    read_until(&mut stream, "220 ").await;
    stream.write_all(format!("{ENVELOPE}DATA\r\n.\r\nQUIT\r\n").as_bytes()).await.unwrap();
    assert!(read_all(&mut stream).await.contains("250 2.0.0 stored"));
    assert_eq!(mailroom.mails()[0].client.as_ref().unwrap().ip.to_string(), "192.0.2.7");
    let mut local = connect_with(&server, b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0").await;
    read_until(&mut local, "220 ").await;
}

#[tokio::test]
async fn connection_limit_counts_client_behind_proxy() {
    let limited = ServerOptions { max_connections_per_ip: 1, ..trusting("127.0.0.1") };
    let server = listen(&StubMailroom::new(), limited, true).await;
    let mut first = connect_with(&server, &header(7)).await;
    read_until(&mut first, "220 ").await;
    let mut second = connect_with(&server, &header(7)).await;
    assert!(read_until(&mut second, "\r\n").await.starts_with("421 4.7.0 too many connections from your address"));
    let mut other = connect_with(&server, &header(8)).await;
    read_until(&mut other, "220 ").await;
}

#[tokio::test]
async fn connection_without_header_of_trusted_proxy_is_closed() {
    let server = listen(&StubMailroom::new(), trusting("127.0.0.1"), true).await;
    for bytes in [&b"EHLO client.example\r\nQUIT\r\n"[..], b"PROXY TCP4 192.0.2.7 192.0.2.8 1 25\r\n"] {
        assert_eq!(read_all(&mut connect_with(&server, bytes).await).await, "");
    }
    let untrusted = listen(&StubMailroom::new(), trusting("127.0.0.2"), true).await;
    assert_eq!(read_all(&mut connect_with(&untrusted, &header(7)).await).await, "");
    assert_eq!(read_all(&mut connect(&untrusted).await).await, "", "closed before any byte");
    let mut silent = connect(&server).await;
    tokio::time::pause();
    let closed = tokio::time::timeout(Duration::from_secs(30), read_all(&mut silent)).await;
    assert_eq!(closed.as_deref(), Ok(""), "closed after five seconds");
}

#[tokio::test]
async fn connections_without_header_are_bounded() {
    let limited = ServerOptions { max_connections: 2, ..trusting("127.0.0.1") };
    let server = listen(&StubMailroom::new(), limited, true).await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(connect(&server).await);
    }
    let mut refused = connect(&server).await;
    assert!(read_until(&mut refused, "\r\n").await.starts_with("421 4.7.0 too many connections; connect again later"));
}
