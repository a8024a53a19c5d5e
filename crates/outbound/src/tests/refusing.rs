use std::net::{SocketAddr, TcpListener};

use super::server::{Act, Server, fetcher, ok, read, redirect, refusal};
use crate::Guard;
use crate::connect::permitted;

/// The spellings of one's own machine that a filter on names, or on the text of a URL, would miss.
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
async fn loopback_is_not_reached_in_any_spelling() {
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
async fn what_the_operator_allows_is_reached_in_every_spelling() {
    let server = Server::saying(ok("text/plain", "hello")).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "0x7f000001", "127.1", "2130706433"] {
        let fetched = read(&format!("http://{host}:{port}/"), 100).await.unwrap();
        assert_eq!(fetched.content, b"hello", "{host}");
    }
}

#[tokio::test]
async fn an_open_port_a_closed_one_and_an_unknown_name_look_alike() {
    let open = Server::saying(ok("text/plain", "secret")).await;
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let guarded = fetcher(&[]);
    let refused = guarded.get(&open.url("/"), 100).await.unwrap_err();
    assert!(refused.to_string().starts_with("the host of the URL cannot be reached"), "{refused}");
    assert_eq!(guarded.get(&format!("http://{closed}/"), 100).await.unwrap_err(), refused);
    assert_eq!(guarded.get("http://no-such-host.invalid/", 100).await.unwrap_err(), refused);
    // Even where the operator lets connections through, a closed port reads the same.
    assert_eq!(refusal(&format!("http://{closed}/"), 100).await, refused.to_string());
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_not_followed() {
    // It listens on every address of this machine, of which 127.0.0.1 alone is allowed.
    let inside = Server::at("0.0.0.0:0", |_| vec![Act::Write(ok("text/plain", "secret").into_bytes())]).await;
    let port = inside.address.port();
    for host in ["127.0.0.2", "127.2", "0x7f000002", "0.0.0.0", "[::ffff:127.0.0.2]", "[64:ff9b::127.0.0.2]", "[::1]"] {
        let outside = Server::start(move |_| redirect(302, &format!("http://{host}:{port}/"))).await;
        let refused = refusal(&outside.url("/"), 100).await;
        assert!(refused.starts_with("the host of the URL cannot be reached"), "{host}: {refused}");
        assert_eq!(outside.heads().len(), 1);
    }
    assert_eq!(inside.heads(), Vec::<String>::new());
    // The same redirect is followed to the address that is allowed, so it was the guard that refused the others.
    let outside = Server::start(move |_| redirect(302, &format!("http://127.0.0.1:{port}/"))).await;
    assert_eq!(read(&outside.url("/"), 100).await.unwrap().content, b"secret");
}

#[tokio::test]
async fn a_redirect_cannot_change_to_another_protocol_or_carry_a_password() {
    for (location, cause) in [
        ("file:///etc/passwd", "only http and https URLs are fetched"),
        ("gopher://127.0.0.1:25/", "only http and https URLs are fetched"),
        ("http://user:secret@127.0.0.1/", "the URL carries a user name or password"),
        ("http://[/", "the URL redirects to an address that cannot be read"),
    ] {
        let server = Server::start(move |_| redirect(302, location)).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with(cause), "{location}: {refused}");
    }
}

#[tokio::test]
async fn a_body_that_comes_with_a_redirect_is_not_waited_for() {
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
fn of_the_addresses_of_a_name_only_the_permitted_are_dialled() {
    let found =
        ["10.0.0.1:80", "8.8.8.8:80", "[::1]:80", "[2606:4700::1]:80", "1.1.1.1:80", "9.9.9.9:80", "4.4.4.4:80"];
    let found = found.map(|address| address.parse::<SocketAddr>().unwrap());
    let dialled = permitted(&Guard::default(), found.into_iter());
    assert_eq!(dialled, [found[1], found[3], found[4], found[5]], "the public ones, in order, and no more than four");
    assert_eq!(permitted(&Guard::default(), found[..1].iter().copied()), []);
}
