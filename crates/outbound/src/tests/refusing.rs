use std::net::{SocketAddr, TcpListener};

use super::server::{Act, Server, fetcher, ok, read, redirect, refusal};
use crate::AddressGuard;
use crate::connect::permitted_addresses;

/// Returns spellings of loopback addresses that a filter on names or URL text would miss.
fn spellings(port: u16) -> [String; 11] {
    [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://localhost.:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://[64:ff9b::7f00:1]:{port}/"),
        format!("http://0x7f000001:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0177.0.0.01:{port}/"),
        format!("http://0.0.0.0:{port}/"),
    ]
}

#[tokio::test]
async fn loopback_in_any_spelling_is_unreachable() {
    let server = Server::saying(ok("text/plain", "secret")).await;
    let unreachable = fetcher(&[]).get("http://169.254.169.254/latest/meta-data/", 100).await.unwrap_err();
    for url in spellings(server.address.port()) {
        assert_eq!(fetcher(&[]).get(&url, 100).await.unwrap_err(), unreachable, "{url}");
        let secure = url.replace("http:", "https:");
        assert_eq!(fetcher(&[]).get(&secure, 100).await.unwrap_err(), unreachable, "{secure}");
    }
    assert_eq!(server.heads(), Vec::<String>::new());
}

#[tokio::test]
async fn allowed_host_in_any_spelling_is_reached() {
    let server = Server::saying(ok("text/plain", "hello")).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "0x7f000001", "127.1", "2130706433"] {
        let fetched = read(&format!("http://{host}:{port}/"), 100).await.unwrap();
        assert_eq!(fetched.content, b"hello", "{host}");
    }
}

#[tokio::test]
async fn open_port_closed_port_and_unknown_name_look_alike() {
    let open = Server::saying(ok("text/plain", "secret")).await;
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let guarded = fetcher(&[]);
    let refused = guarded.get(&open.url("/"), 100).await.unwrap_err();
    assert!(refused.to_string().starts_with("the host of the URL cannot be reached"), "{refused}");
    assert_eq!(guarded.get(&format!("http://{closed}/"), 100).await.unwrap_err(), refused);
    assert_eq!(guarded.get("http://no-such-host.invalid/", 100).await.unwrap_err(), refused);
    // With loopback permitted, a closed port yields the same text.
    assert_eq!(refusal(&format!("http://{closed}/"), 100).await, refused.to_string());
}

#[tokio::test]
async fn redirect_to_private_address_is_not_followed() {
    // The server listens on all addresses of this machine, of which 127.0.0.1 alone is permitted.
    let inside = Server::at("0.0.0.0:0", |_| vec![Act::Write(ok("text/plain", "secret").into_bytes())]).await;
    let port = inside.address.port();
    for host in ["127.0.0.2", "127.2", "0x7f000002", "0.0.0.0", "[::ffff:127.0.0.2]", "[64:ff9b::127.0.0.2]", "[::1]"] {
        let outside = Server::start(move |_| redirect(302, &format!("http://{host}:{port}/"))).await;
        let refused = refusal(&outside.url("/"), 100).await;
        assert!(refused.starts_with("the host of the URL cannot be reached"), "{host}: {refused}");
        assert_eq!(outside.heads().len(), 1);
    }
    assert_eq!(inside.heads(), Vec::<String>::new());
    // A redirect to the permitted address is followed, so the guard refused the others.
    let outside = Server::start(move |_| redirect(302, &format!("http://127.0.0.1:{port}/"))).await;
    assert_eq!(read(&outside.url("/"), 100).await.unwrap().content, b"secret");
}

#[tokio::test]
async fn redirect_with_other_scheme_or_password_is_refused() {
    for (location, cause) in [
        ("file:///etc/passwd", "only http and https URLs are fetched"),
        ("gopher://127.0.0.1:25/", "only http and https URLs are fetched"),
        ("http://user:secret@127.0.0.1/", "the URL has a user name or password"),
        ("http://[/", "the URL redirects to an invalid URL"),
    ] {
        let server = Server::start(move |_| redirect(302, location)).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with(cause), "{location}: {refused}");
    }
}

#[tokio::test]
async fn body_of_redirect_is_not_read() {
    let server = Server::start(|path| match path {
        "/" => {
            let mut acts = redirect(302, "/end");
            acts.push(Act::Write(vec![b'x'; 1_000_000]));
            acts
        }
        _ => vec![Act::Write(ok("text/plain", "arrived").into_bytes())],
    })
    .await;
    assert_eq!(read(&server.url("/"), 100).await.unwrap().content, b"arrived");
}

#[test]
fn only_permitted_addresses_are_dialled() {
    let found =
        ["10.0.0.1:80", "8.8.8.8:80", "[::1]:80", "[2606:4700::1]:80", "1.1.1.1:80", "9.9.9.9:80", "4.4.4.4:80"];
    let found = found.map(|address| address.parse::<SocketAddr>().unwrap());
    let dialled = permitted_addresses(&AddressGuard::default(), found.into_iter());
    assert_eq!(dialled, [found[1], found[3], found[4], found[5]], "the public ones, in order, and no more than four");
    assert_eq!(permitted_addresses(&AddressGuard::default(), found[..1].iter().copied()), []);
}
