//! Requests through trusted proxies, and connections with a PROXY protocol header.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use actix_web::dev::Service;
use actix_web::http::header::HeaderValue;
use inboxd_core::rules::proxy_protocol::LOCAL_HEADER;
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_core::testing::World;

use super::serving::{Serving, serving_with};
use super::{call, options, request, server};
use crate::limiter::RequestRates;
use crate::state::HttpOptions;

/// Returns the PROXY protocol header of a client at 192.0.2.x.
fn header(host: u8) -> Vec<u8> {
    [&b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02"[..], &[host], b"\x7f\0\0\x01\x12\x67\0\x50"].concat()
}

fn trusting(network: &str) -> HttpOptions {
    HttpOptions { trusted_proxies: TrustedProxies::new(vec![network.parse().unwrap()]), ..options() }
}

#[actix_web::test]
async fn rate_counts_client_behind_trusted_proxy() {
    let limited = HttpOptions { rates: RequestRates::new(1, 200), ..trusting("10.0.0.0/8") };
    let server = server(World::default().app(), limited).await;
    for (peer, forwarded_for, status) in [
        ("10.0.0.1:1", "192.0.2.1", 422),
        ("[::ffff:10.9.9.9]:1", "192.0.2.99, 192.0.2.1, 10.0.0.1", 429),
        ("10.0.0.1:1", "192.0.2.2", 422),
        ("10.0.0.1:1", "192.0.2.3, \u{e9}", 422),
        ("10.0.0.1:1", "192.0.2.4, nonsense", 429),
        ("198.51.100.1:1", "192.0.2.5", 422),
        ("198.51.100.1:1", "192.0.2.6", 429),
    ] {
        let sign_up = request("post", "/v0/agent/sign-up").peer_addr(peer.parse().unwrap());
        let sign_up =
            sign_up.insert_header(("X-Forwarded-For", HeaderValue::from_bytes(forwarded_for.as_bytes()).unwrap()));
        assert_eq!(call(&server, sign_up).await.status, status, "{peer} {forwarded_for}");
    }
}

#[actix_web::test]
async fn client_behind_trusted_proxy_has_limit_of_open_requests() {
    let limits =
        HttpOptions { max_connections_per_address: 2, max_connections_per_network: 3, ..trusting("10.0.0.0/8") };
    let server = server(World::default().app(), limits).await;
    let from = |client: &str| {
        let health = request("get", "/health").peer_addr("10.0.0.1:1".parse().unwrap());
        health.insert_header(("X-Forwarded-For", client))
    };
    let first = server.call(from("192.0.2.1").to_request()).await.unwrap();
    let second = server.call(from("192.0.2.1").to_request()).await.unwrap();
    let refused = call(&server, from("192.0.2.1")).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let neighbor = server.call(from("192.0.2.2").to_request()).await.unwrap();
    assert_eq!(call(&server, from("192.0.2.3")).await.status, 429, "the network is full");
    assert_eq!(call(&server, from("198.51.100.1")).await.status, 200);
    drop((first, neighbor));
    assert_eq!(call(&server, from("192.0.2.1")).await.status, 200, "the body of a response was dropped");
    drop(second);
    let other = || request("get", "/health").peer_addr("198.51.100.9:1".parse().unwrap());
    let held = [server.call(other().to_request()).await, server.call(other().to_request()).await];
    assert_eq!(call(&server, other()).await.status, 200, "other requests are counted by their connections: {held:?}");
}

/// Sends bytes and returns all that the server sends until it closes the connection.
fn exchange(address: std::net::SocketAddr, parts: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    for part in parts {
        let _ = stream.write_all(part);
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn listener_for_proxies_reads_their_header_first() {
    const REQUEST: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let limits = HttpOptions { max_connections_per_address: 1, ..trusting("127.0.0.1") };
    let Serving { address, stop, .. } = serving_with(World::default(), limits, true);
    tokio::task::spawn_blocking(move || {
        let ok = |parts: &[&[u8]]| exchange(address, parts).starts_with("HTTP/1.1 200 OK\r\n");
        assert!(ok(&[&header(1), REQUEST]));
        assert!(ok(&[LOCAL_HEADER.as_bytes(), REQUEST]));
        let pieces = header(2);
        assert!(ok(&[&pieces[..9], &pieces[9..20], &[&pieces[20..], REQUEST].concat()]), "in pieces");
        let twice = [header(3), header(3)].concat();
        for bytes in [REQUEST, &b"PROXY TCP4 192.0.2.7 127.0.0.1 4711 80\r\n\r\n"[..], &twice[..]] {
            assert!(!ok(&[bytes, REQUEST]), "{}", String::from_utf8_lossy(bytes));
        }
        // The limit counts the client of the header.
        let mut open = TcpStream::connect(address).unwrap();
        open.write_all(&header(4)).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(!ok(&[&header(4), REQUEST]), "the client has a connection");
        assert!(ok(&[LOCAL_HEADER.as_bytes(), REQUEST]), "the proxy has none");
        // A proxy that sends no header in time is closed.
        let mut silent = TcpStream::connect(address).unwrap();
        silent.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let begun = std::time::Instant::now();
        assert_eq!(silent.read(&mut [0]).unwrap(), 0);
        assert!((4..10).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    })
    .await
    .unwrap();
    stop.send(()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn listener_for_proxies_closes_untrusted_connections() {
    let Serving { address, stop, .. } = serving_with(World::default(), trusting("127.0.0.2"), true);
    let answer = tokio::task::spawn_blocking(move || exchange(address, &[&header(1)])).await.unwrap();
    assert_eq!(answer, "");
    stop.send(()).unwrap();
}
