//! AUTH commands.

use super::{deliver, mail, options};
use crate::client::stub_server::{StubAction, StubServer, StubSetup};
use crate::relay::RelayTransport;

const RAW: &[u8] = b"hi\r\n";

async fn delivered_as(peer: &StubServer) -> Vec<String> {
    let relay = RelayTransport::new(options(&format!("smtp://user%40x:p%3Ass@{}", peer.address))).unwrap();
    deliver(&relay, &mail(&["a@out.example"], RAW)).await
}

#[tokio::test]
async fn auth_plain_is_preferred() {
    let peer = StubServer::start(StubSetup { extensions: &["AUTH LOGIN PLAIN"], ..StubSetup::default() }, |_, _| {
        StubAction::Usual
    })
    .await;
    assert_eq!(delivered_as(&peer).await, ["delivered"]);
    // Encodes NUL user@x NUL p:ss.
    assert_eq!(peer.received(0)[1], "AUTH PLAIN AHVzZXJAeABwOnNz");
}

#[tokio::test]
async fn auth_login_is_used_without_plain() {
    for extensions in [&["AUTH LOGIN"] as &'static [&str], &["AUTH=LOGIN"]] {
        let peer = StubServer::start(StubSetup { extensions, ..StubSetup::default() }, |_, line| match line {
            "AUTH LOGIN" => StubAction::Say("334 VXNlcm5hbWU6"),
            "dXNlckB4" => StubAction::Say("334 UGFzc3dvcmQ6"),
            "cDpzcw==" => StubAction::Say("235 2.7.0 welcome"),
            _ => StubAction::Usual,
        })
        .await;
        assert_eq!(delivered_as(&peer).await, ["delivered"]);
        assert_eq!(peer.received(0)[1..4], ["AUTH LOGIN", "dXNlckB4", "cDpzcw=="]);
    }
}

#[tokio::test]
async fn refused_password_defers_without_revealing_it() {
    let script = |_: usize, line: &str| {
        if line.starts_with("AUTH") { StubAction::Say("535 5.7.8 wrong") } else { StubAction::Usual }
    };
    let peer = StubServer::start(StubSetup { extensions: &["AUTH PLAIN"], ..StubSetup::default() }, script).await;
    assert_eq!(delivered_as(&peer).await, ["deferred the relay replied to AUTH: 535 5.7.8 wrong"]);
    assert!(!peer.received(0).iter().any(|line| line.starts_with("MAIL")));
}

#[tokio::test]
async fn unknown_auth_mechanism_defers() {
    for extensions in [&["AUTH CRAM-MD5"] as &'static [&str], &[]] {
        let peer = StubServer::start(StubSetup { extensions, ..StubSetup::default() }, |_, _| StubAction::Usual).await;
        let outcomes = delivered_as(&peer).await;
        assert!(outcomes[0].starts_with("deferred the relay offers neither AUTH PLAIN nor AUTH LOGIN"), "{outcomes:?}");
        assert_eq!(peer.received(0).len(), 1);
    }
}

#[tokio::test]
async fn relay_without_credentials_is_not_authenticated() {
    let peer =
        StubServer::start(StubSetup { extensions: &["AUTH PLAIN"], ..StubSetup::default() }, |_, _| StubAction::Usual)
            .await;
    let outcomes = deliver(&super::relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["delivered"]);
    assert!(!peer.received(0).iter().any(|line| line.starts_with("AUTH")));
}

/// Returns an address of this machine other than loopback, if it has one.
fn outward_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // A connected UDP socket sends nothing and only selects a route.
    socket.connect(("192.0.2.1", 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

#[test]
fn password_is_sent_only_under_tls_or_to_loopback() {
    use crate::relay::connect::may_authenticate;
    let local = "127.0.0.1".parse().unwrap();
    let mapped = "::ffff:127.0.0.1".parse().unwrap();
    // Only loopback counts as local, no other address of the machine.
    let other = outward_address().unwrap_or_else(|| "192.0.2.1".parse().unwrap());
    assert!(
        may_authenticate(true, other)
            && may_authenticate(true, local)
            && may_authenticate(false, local)
            && may_authenticate(false, mapped)
    );
    assert!(!may_authenticate(false, other));
}
