//! STARTTLS where it is offered, and what happens when it fails.

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;

pub(super) const OFFER: &[&str] = &["STARTTLS", "8BITMIME"];

/// A host with a certificate that it signed itself, and the certificate.
pub(super) fn certified(name: &str) -> (Setup, rustls::pki_types::CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let certificate = made.cert.der().clone();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let server = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let server = server.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    (Setup { extensions: OFFER, tls: Some(Arc::new(server)), ..Setup::default() }, certificate)
}

#[tokio::test]
async fn any_certificate_is_better_than_none() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let peer = world.hosts.peer(1, certified("snakeoil.example").0, |_, _| Act::Usual);
    assert_eq!(deliver(&world.direct(), &mail(&["a@out.example"])).await, ["delivered"]);
    let heard = peer.heard(0);
    assert_eq!(heard[..3], ["EHLO mail.here.example", "STARTTLS", "EHLO mail.here.example"]);
    assert!(heard[3].starts_with("MAIL "), "{heard:?}");
}

#[tokio::test]
async fn where_tls_is_dropped_the_mail_goes_in_the_clear_and_this_is_remembered() {
    for act in ["drop", "refuse", "inject"] {
        let mut world = world(1).await;
        world.domain("out.example", &[1]);
        let setup = Setup { extensions: OFFER, ..Setup::default() };
        let peer = world.hosts.peer(1, setup, move |_, line| match (line, act) {
            ("STARTTLS", "drop") => Act::SayAndClose("220 ready"),
            ("STARTTLS", "refuse") => Act::Say("454 4.7.0 not now"),
            ("STARTTLS", _) => Act::SayAndClose("220 ready\r\n250 injected"),
            _ => Act::Usual,
        });
        let direct = world.direct();
        for _ in 0..2 {
            assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"], "{act}");
        }
        assert_eq!((peer.connections(), contents(&peer)), (2, 2), "{act}");
        assert!(!peer.heard(1).iter().any(|line| line == "STARTTLS"), "{act}");
        // Of the handshake alone it is remembered, and for this name of the host alone.
        let address = SocketAddr::new(at(1), world.hosts.port);
        assert_eq!(direct.memory.is_without_tls(address, "mx1.out.example"), act == "drop", "{act}");
        assert!(!direct.memory.is_without_tls(address, "mx1.other.example"), "{act}");
    }
}
