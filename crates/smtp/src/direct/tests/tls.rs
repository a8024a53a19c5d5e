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

#[tokio::test]
async fn code_is_not_sent_in_plain_text_where_tls_is_offered() {
    for (act, reason) in [
        ("drop", "failed, and the message is not sent in plain text, because it holds a code: "),
        ("refuse", "because it holds a code: it replied to STARTTLS: 454 4.7.0 not now"),
        ("inject", "because it holds a code: it sent data before TLS started"),
    ] {
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
        let code = OutgoingMail { is_code: true, ..mail(&["a@out.example"]) };
        let found = deliver(&direct, &code).await.remove(0);
        assert!(
            found.starts_with("deferred TLS with mx1.out.example at 127.0.0.1 ") && found.contains(reason),
            "{found}"
        );
        // Other mail falls back, and its open session and the memory of broken TLS do not serve the code.
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"], "{act}");
        let again = deliver(&direct, &code).await.remove(0);
        assert!(again.contains(reason), "{again}");
        assert_eq!(contents(&peer), 1, "{act}");
    }
}

#[tokio::test]
async fn code_is_sent_to_host_without_tls_and_under_tls_where_offered() {
    let mut env = env(2).await;
    env.domain("plain.example", &[1]);
    env.domain("secure.example", &[2]);
    let (plain, secure) = (env.hosts.usual(1), env.hosts.peer(2, certified("any.example").0, |_, _| StubAction::Usual));
    let direct = env.direct();
    for domain in ["plain.example", "secure.example"] {
        let code = OutgoingMail { is_code: true, ..mail(&[&format!("a@{domain}")]) };
        assert_eq!(deliver(&direct, &code).await, ["delivered"], "{domain}");
    }
    assert_eq!((contents(&plain), contents(&secure)), (1, 1));
    assert!(secure.received(0).iter().any(|line| line == "STARTTLS"));
}

#[tokio::test]
async fn code_is_not_sent_in_plain_text_to_next_host_after_tls_failed() {
    let mut env = env(2).await;
    env.domain("out.example", &[1, 2]);
    let setup = StubSetup { extensions: OFFER, ..StubSetup::default() };
    let _broken = env.hosts.peer(1, setup, |_, line| match line {
        "STARTTLS" => StubAction::Say("454 4.7.0 not now"),
        _ => StubAction::Usual,
    });
    let plain = env.hosts.usual(2);
    let direct = env.direct();
    let code = OutgoingMail { is_code: true, ..mail(&["a@out.example"]) };
    let found = deliver(&direct, &code).await.remove(0);
    assert!(found.contains("because it holds a code: it replied to STARTTLS: 454 4.7.0 not now; "), "{found}");
    let reason = "mx2.out.example at 127.0.0.2 offers no TLS, as another host does, and the message holds a code";
    assert!(found.ends_with(reason), "{found}");
    assert_eq!(contents(&plain), 0);
}

#[tokio::test]
async fn operator_level_defers_host_that_does_not_meet_it() {
    let mut env = env(2).await;
    env.domain("plain.example", &[1]);
    env.domain("secure.example", &[2]);
    let _plain = env.hosts.usual(1);
    let _secure = env.hosts.peer(2, certified("mx2.secure.example").0, |_, _| StubAction::Usual);
    let direct = |policy: &str| env.direct_with(DirectOptions { tls_policy: policy.parse().unwrap(), ..env.options() });
    let outcome =
        async |policy: &str, domain: &str| deliver(&direct(policy), &mail(&[&format!("a@{domain}")])).await.remove(0);
    for level in ["encrypt", "verify"] {
        let found = outcome(&format!("*.org=may,*={level}"), "plain.example").await;
        assert_eq!(found, "deferred mx1.plain.example at 127.0.0.1 offers no TLS, which INBOXD_DIRECT_TLS demands");
    }
    assert_eq!(outcome("secure.example=encrypt", "secure.example").await, "delivered");
    let found = outcome("secure.example=verify", "secure.example").await;
    let reason = "deferred TLS with mx2.secure.example at 127.0.0.2 failed, and the message is not sent in plain text, \
                  because INBOXD_DIRECT_TLS demands TLS: invalid peer certificate: UnknownIssuer";
    assert_eq!(found, reason);
    for policy in ["*=may", "*=opportunistic", "secure.example=verify"] {
        assert_eq!(outcome(policy, "plain.example").await, "delivered", "{policy}");
    }
}
