//! STARTTLS and implicit TLS.

use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::{deliver, mail, options};
use crate::client::stub_server::{StubAction, StubServer, StubSetup};
use crate::relay::RelayTransport;

const RAW: &[u8] = b"hi\r\n";

/// Returns a server with a certificate, and a client that trusts no other.
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
async fn offered_starttls_is_used() {
    let (server, client) = certificate("localhost");
    let setup = StubSetup { extensions: OFFER, tls: Some(server), ..StubSetup::default() };
    let peer = StubServer::start(setup, |_, _| StubAction::Usual).await;
    let url = format!("smtp://u:p@localhost:{}", peer.address.port());
    let relay = RelayTransport::with_tls(options(&url), client).unwrap();
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    let received = peer.received(0);
    assert_eq!(received[..3], ["EHLO mx.here.example", "STARTTLS", "EHLO mx.here.example"]);
    assert!(received[3].starts_with("AUTH PLAIN "));
}

#[tokio::test]
async fn smtps_starts_tls_before_greeting() {
    let (server, client) = certificate("localhost");
    let setup = StubSetup { extensions: &["AUTH PLAIN"], tls: Some(server), implicit: true };
    let peer = StubServer::start(setup, |_, _| StubAction::Usual).await;
    let url = format!("smtps://u:p@localhost:{}", peer.address.port());
    let relay = RelayTransport::with_tls(options(&url), client).unwrap();
    assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    assert!(peer.received(0)[1].starts_with("AUTH PLAIN "));
}

#[tokio::test]
async fn untrusted_certificate_defers_without_plain_text() {
    let (server, _) = certificate("localhost");
    let (_, stranger) = certificate("localhost");
    let (misnamed, trusting) = certificate("other.example");
    for (server, client) in [(server, stranger), (misnamed, trusting)] {
        for (scheme, implicit) in [("smtp", false), ("smtps", true), ("smtp://u:p@localhost", false)] {
            let setup = StubSetup { extensions: OFFER, tls: Some(Arc::clone(&server)), implicit };
            let peer = StubServer::start(setup, |_, _| StubAction::Usual).await;
            let url = if scheme.contains('@') { scheme.to_owned() } else { format!("{scheme}://localhost") };
            let relay =
                RelayTransport::with_tls(options(&format!("{url}:{}", peer.address.port())), Arc::clone(&client))
                    .unwrap();
            let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
            assert!(outcomes[0].starts_with("deferred TLS with the relay failed"), "{outcomes:?}");
            assert!(!peer.received(0).iter().any(|line| line.starts_with("MAIL") || line.starts_with("AUTH")));
        }
    }
}

#[tokio::test]
async fn loopback_relay_may_have_any_certificate() {
    let (server, _) = certificate("snakeoil.example");
    for implicit in [false, true] {
        let setup = StubSetup { extensions: OFFER, tls: Some(Arc::clone(&server)), implicit };
        let peer = StubServer::start(setup, |_, _| StubAction::Usual).await;
        let scheme = if implicit { "smtps" } else { "smtp" };
        let relay = RelayTransport::new(options(&format!("{scheme}://{}", peer.address))).unwrap();
        assert_eq!(deliver(&relay, &mail(&["a@out.example"], RAW)).await, ["delivered"]);
    }
}

#[tokio::test]
async fn refused_starttls_defers() {
    let script = |_: usize, line: &str| {
        if line == "STARTTLS" { StubAction::Say("454 4.7.0 not now") } else { StubAction::Usual }
    };
    let peer = StubServer::start(StubSetup { extensions: OFFER, ..StubSetup::default() }, script).await;
    let outcomes = deliver(&super::relay_to(&peer), &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the relay replied to STARTTLS: 454 4.7.0 not now"]);
}

#[tokio::test]
async fn reply_injected_before_tls_ends_session() {
    let script = |_: usize, line: &str| match line {
        "STARTTLS" => StubAction::Say("220 ready|250-injected|250 AUTH PLAIN"),
        _ => StubAction::Usual,
    };
    let (server, client) = certificate("localhost");
    let setup = StubSetup { extensions: OFFER, tls: Some(server), ..StubSetup::default() };
    let peer = StubServer::start(setup, script).await;
    let relay =
        RelayTransport::with_tls(options(&format!("smtp://localhost:{}", peer.address.port())), client).unwrap();
    let outcomes = deliver(&relay, &mail(&["a@out.example"], RAW)).await;
    assert_eq!(outcomes, ["deferred the relay sent data before TLS started, which may be an attack"]);
}
