//! STARTTLS and implicit TLS.

use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::peer::{Act, Peer, Setup};
use super::{deliver, mail, options};
use crate::relay::Relay;

const RAW: &[u8] = b"hi\r\n";

/// A certificate, and a client that trusts nothing else.
fn certificate(name: &str) -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let certificate = made.cert.der().clone();
    let provider = || Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let server = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    let server = server.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    (Arc::new(server), Arc::new(client.with_root_certificates(roots).with_no_client_auth()))
}

const OFFER: &[&str] = &["STARTTLS", "AUTH PLAIN"];

#[tokio::test]
async fn starttls_is_used_when_offered() {
    let (server, client) = certificate("localhost");
    let setup = Setup { extensions: OFFER, tls: Some(server), ..Setup::default() };
    let peer = Peer::start(setup, |_, _| Act::Usual).await;
    let url = format!("smtp://u:p@localhost:{}", peer.address.port());
    let relay = Relay::with_tls(options(&url), client).unwrap();
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    let heard = peer.heard(0);
    assert_eq!(heard[..3], ["EHLO mx.here.example", "STARTTLS", "EHLO mx.here.example"]);
    assert!(heard[3].starts_with("AUTH PLAIN "));
}

#[tokio::test]
async fn implicit_tls_is_on_from_the_start() {
    let (server, client) = certificate("localhost");
    let setup = Setup { extensions: &["AUTH PLAIN"], tls: Some(server), implicit: true };
    let peer = Peer::start(setup, |_, _| Act::Usual).await;
    let url = format!("smtps://u:p@localhost:{}", peer.address.port());
    let relay = Relay::with_tls(options(&url), client).unwrap();
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    assert!(peer.heard(0)[1].starts_with("AUTH PLAIN "));
}

#[tokio::test]
async fn a_certificate_of_a_stranger_defers_and_nothing_is_sent_in_the_clear() {
    let (server, _) = certificate("localhost");
    let (_, stranger) = certificate("localhost");
    let (misnamed, trusting) = certificate("other.example");
    for (server, client) in [(server, stranger), (misnamed, trusting)] {
        for (scheme, implicit) in [("smtp", false), ("smtps", true), ("smtp://u:p@localhost", false)] {
            let setup = Setup { extensions: OFFER, tls: Some(Arc::clone(&server)), implicit };
            let peer = Peer::start(setup, |_, _| Act::Usual).await;
            let url = if scheme.contains('@') { scheme.to_owned() } else { format!("{scheme}://localhost") };
            let relay =
                Relay::with_tls(options(&format!("{url}:{}", peer.address.port())), Arc::clone(&client)).unwrap();
            let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
            assert!(outcomes[0].starts_with("deferred TLS with the relay failed"), "{outcomes:?}");
            assert!(!peer.heard(0).iter().any(|line| line.starts_with("MAIL") || line.starts_with("AUTH")));
        }
    }
}

#[tokio::test]
async fn on_this_machine_any_certificate_will_do() {
    let (server, _) = certificate("snakeoil.example");
    for implicit in [false, true] {
        let setup = Setup { extensions: OFFER, tls: Some(Arc::clone(&server)), implicit };
        let peer = Peer::start(setup, |_, _| Act::Usual).await;
        let scheme = if implicit { "smtps" } else { "smtp" };
        let relay = Relay::new(options(&format!("{scheme}://{}", peer.address))).unwrap();
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
}

#[tokio::test]
async fn tls_that_was_offered_and_is_refused_defers() {
    let script = |_: usize, line: &str| if line == "STARTTLS" { Act::Say("454 4.7.0 not now") } else { Act::Usual };
    let peer = Peer::start(Setup { extensions: OFFER, ..Setup::default() }, script).await;
    let outcomes = deliver(&super::relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the relay answered STARTTLS with: 454 4.7.0 not now"]);
}

#[tokio::test]
async fn replies_injected_before_tls_end_the_session() {
    let script = |_: usize, line: &str| match line {
        "STARTTLS" => Act::Say("220 ready|250-injected|250 AUTH PLAIN"),
        _ => Act::Usual,
    };
    let (server, client) = certificate("localhost");
    let setup = Setup { extensions: OFFER, tls: Some(server), ..Setup::default() };
    let peer = Peer::start(setup, script).await;
    let relay = Relay::with_tls(options(&format!("smtp://localhost:{}", peer.address.port())), client).unwrap();
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the relay spoke before TLS was on: someone may stand in between"]);
}
