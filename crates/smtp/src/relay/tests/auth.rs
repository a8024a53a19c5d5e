//! AUTH.

use super::peer::{Act, Peer, Setup};
use super::{deliver, mail, options};
use crate::relay::Relay;

const RAW: &[u8] = b"hi\r\n";

async fn delivered_as(peer: &Peer) -> Vec<String> {
    let relay = Relay::new(options(&format!("smtp://user%40x:p%3Ass@{}", peer.address))).unwrap();
    deliver(&relay, &mail(&["a@out.example"], RAW)).await
}

#[tokio::test]
async fn plain_is_preferred() {
    let peer = Peer::start(Setup { extensions: &["AUTH LOGIN PLAIN"], ..Setup::default() }, |_, _| Act::Usual).await;
    assert_eq!(delivered_as(&peer).await, ["delivered"]);
    // NUL user@x NUL p:ss
    assert_eq!(peer.heard(0)[1], "AUTH PLAIN AHVzZXJAeABwOnNz");
}

#[tokio::test]
async fn login_will_do() {
    for extensions in [&["AUTH LOGIN"] as &'static [&str], &["AUTH=LOGIN"]] {
        let peer = Peer::start(Setup { extensions, ..Setup::default() }, |_, line| match line {
            "AUTH LOGIN" => Act::Say("334 VXNlcm5hbWU6"),
            "dXNlckB4" => Act::Say("334 UGFzc3dvcmQ6"),
            "cDpzcw==" => Act::Say("235 2.7.0 welcome"),
            _ => Act::Usual,
        })
        .await;
        assert_eq!(delivered_as(&peer).await, ["delivered"]);
        assert_eq!(peer.heard(0)[1..4], ["AUTH LOGIN", "dXNlckB4", "cDpzcw=="]);
    }
}

#[tokio::test]
async fn a_refused_password_defers_and_is_not_told() {
    let script = |_: usize, line: &str| if line.starts_with("AUTH") { Act::Say("535 5.7.8 wrong") } else { Act::Usual };
    let peer = Peer::start(Setup { extensions: &["AUTH PLAIN"], ..Setup::default() }, script).await;
    assert_eq!(delivered_as(&peer).await, ["deferred the relay answered AUTH with: 535 5.7.8 wrong"]);
    assert!(!peer.heard(0).iter().any(|line| line.starts_with("MAIL")));
}

#[tokio::test]
async fn without_a_known_mechanism_nothing_is_said() {
    for extensions in [&["AUTH CRAM-MD5"] as &'static [&str], &[]] {
        let peer = Peer::start(Setup { extensions, ..Setup::default() }, |_, _| Act::Usual).await;
        let outcomes = delivered_as(&peer).await;
        assert!(outcomes[0].starts_with("deferred the relay offers neither AUTH PLAIN nor AUTH LOGIN"), "{outcomes:?}");
        assert_eq!(peer.heard(0).len(), 1);
    }
}

#[tokio::test]
async fn without_credentials_nobody_logs_in() {
    let peer = Peer::start(Setup { extensions: &["AUTH PLAIN"], ..Setup::default() }, |_, _| Act::Usual).await;
    let outcomes = deliver(&super::relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["delivered"]);
    assert!(!peer.heard(0).iter().any(|line| line.starts_with("AUTH")));
}

/// The address of this machine that others see, when it has one.
fn outward_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // Nothing is sent: connecting a UDP socket only asks for the route.
    socket.connect(("192.0.2.1", 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

#[test]
fn a_password_is_only_said_under_tls_or_on_this_machine() {
    use crate::relay::connect::may_log_in;
    let local = "127.0.0.1".parse().unwrap();
    let mapped = "::ffff:127.0.0.1".parse().unwrap();
    let other = outward_address().unwrap_or_else(|| "192.0.2.1".parse().unwrap());
    assert!(
        may_log_in(true, other) && may_log_in(true, local) && may_log_in(false, local) && may_log_in(false, mapped)
    );
    assert!(!may_log_in(false, other));
}
