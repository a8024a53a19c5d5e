//! Opportunistic STARTTLS and its failures.

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;

pub(super) const OFFER: &[&str] = &["STARTTLS", "8BITMIME"];

/// Returns a host with a self-signed certificate, and the certificate.
pub(super) fn certified(name: &str) -> (StubSetup, rustls::pki_types::CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let certificate = made.cert.der().clone();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let server = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let server = server.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    (StubSetup { extensions: OFFER, tls: Some(Arc::new(server)), ..StubSetup::default() }, certificate)
}

#[tokio::test]
async fn untrusted_certificate_is_accepted() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let peer = env.hosts.peer(1, certified("snakeoil.example").0, |_, _| StubAction::Usual);
    assert_eq!(deliver(&env.direct(), &mail(&["a@out.example"])).await, ["delivered"]);
    let received = peer.received(0);
    assert_eq!(received[..3], ["EHLO mail.here.example", "STARTTLS", "EHLO mail.here.example"]);
    assert!(received[3].starts_with("MAIL "), "{received:?}");
}

#[tokio::test]
async fn failed_handshake_falls_back_to_plain_text_and_is_recorded() {
    for act in ["drop", "refuse", "inject"] {
        let mut env = env(1).await;
        env.domain("out.example", &[1]);
        let setup = StubSetup { extensions: OFFER, ..StubSetup::default() };
        let peer = env.hosts.peer(1, setup, move |_, line| match (line, act) {
            ("STARTTLS", "drop") => StubAction::SayAndClose("220 ready"),
            ("STARTTLS", "refuse") => StubAction::Say("454 4.7.0 not now"),
            ("STARTTLS", _) => StubAction::SayAndClose("220 ready\r\n250 injected"),
            _ => StubAction::Usual,
        });
        let direct = env.direct();
        for _ in 0..2 {
            assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"], "{act}");
        }
        assert_eq!((peer.connections(), contents(&peer)), (2, 2), "{act}");
        assert!(!peer.received(1).iter().any(|line| line == "STARTTLS"), "{act}");
        // Only a failed handshake is recorded, and for this host name only.
        let address = SocketAddr::new(at(1), env.hosts.port);
        assert_eq!(direct.host_status.has_broken_tls(address, "mx1.out.example"), act == "drop", "{act}");
        assert!(!direct.host_status.has_broken_tls(address, "mx1.other.example"), "{act}");
    }
}
