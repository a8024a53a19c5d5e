//! Domains that insist on TLS.

use rustls::{ClientConfig, RootCertStore};

use super::tls::{OFFER, certified};
use super::*;
use crate::direct::session::Tls;

const ENFORCE: &str = "version: STSv1\nmode: enforce\nmx: mx1.out.example\nmx: mx2.out.example\nmax_age: 86400\n";

impl World {
    fn publish(&self, id: &str, policy: &str) {
        self.dns.forget("_mta-sts.out.example");
        self.dns.txt("_mta-sts.out.example", &format!("v=STSv1; id={id};"));
        *self.web.policy.lock().unwrap() = Some(policy.to_owned());
    }

    fn asked(&self) -> usize {
        self.web.asked.lock().unwrap().len()
    }

    /// Direct delivery that trusts this certificate and no other.
    fn trusting(&self, certificate: rustls::pki_types::CertificateDer<'static>) -> Direct {
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let client = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let valid = Arc::new(client.with_root_certificates(roots).with_no_client_auth());
        let tls = Tls { valid, ..Tls::new().unwrap() };
        Direct::build(self.options(), self.resolver(), self.sources(), tls).unwrap()
    }
}

#[tokio::test]
async fn a_host_with_a_valid_certificate_gets_the_mail_and_the_policy_is_asked_for_once() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    world.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let peer = world.hosts.peer(1, setup, |_, _| Act::Usual);
    let direct = world.trusting(certificate);
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(contents(&peer), 2);
    assert_eq!(*world.web.asked.lock().unwrap(), ["https://mta-sts.out.example/.well-known/mta-sts.txt"]);
    world.publish("2", ENFORCE);
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!(world.asked(), 2, "the id has changed");
}

#[tokio::test]
async fn without_valid_tls_the_mail_waits() {
    let mut world = world(3).await;
    world.domain("out.example", &[1, 2, 3]);
    world.publish("1", ENFORCE);
    // The first one's certificate is for another name, the second has no TLS, and the third is not in the policy.
    let (setup, certificate) = certified("other.example");
    let peers = [
        world.hosts.peer(1, setup, |_, _| Act::Usual),
        world.hosts.usual(2),
        world.hosts.peer(3, certified("mx3.out.example").0, |_, _| Act::Usual),
    ];
    let direct = world.trusting(certificate);
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    for part in [
        "deferred TLS with mx1.out.example at 127.0.0.1 failed, and the mail is not sent in the clear",
        "; mx2.out.example at 127.0.0.2 offers no TLS, which its MTA-STS policy demands",
        "; mx3.out.example is not one of the hosts that the MTA-STS policy of the domain names",
    ] {
        assert!(outcome.contains(part), "{outcome}");
    }
    assert!(peers.iter().all(|peer| contents(peer) == 0));
}

#[tokio::test]
async fn a_policy_that_is_tried_out_or_given_up_holds_nothing_up() {
    for mode in ["testing", "none"] {
        let mut world = world(1).await;
        world.domain("out.example", &[1]);
        world.publish("1", &ENFORCE.replace("enforce", mode).replace("mx1", "mx7"));
        let _peer = world.hosts.usual(1);
        assert_eq!(deliver(&world.direct(), &mail(&["a@out.example"])).await, ["delivered"], "{mode}");
    }
}

#[tokio::test]
async fn a_policy_that_is_known_holds_while_nobody_can_be_asked() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    world.publish("1", ENFORCE);
    let _peer = world.hosts.peer(1, Setup { extensions: OFFER, ..Setup::default() }, |_, line| {
        if line == "STARTTLS" { Act::SayAndClose("220 ready") } else { Act::Usual }
    });
    let direct = world.direct();
    let is_held = async || deliver(&direct, &mail(&["a@out.example"])).await.remove(0).starts_with("deferred TLS with");
    assert!(is_held().await);
    // The web is gone while the id changes; then DNS is gone as well.
    world.publish("2", ENFORCE);
    *world.web.policy.lock().unwrap() = None;
    assert!(is_held().await);
    assert!(is_held().await);
    assert_eq!(world.asked(), 2, "what could not be read is not asked for with every mail");
    world.dns.fail("_mta-sts.out.example");
    assert!(is_held().await);
    // A domain that takes its demand back says so in a policy.
    world.publish("3", "version: STSv1\nmode: none\nmax_age: 86400\n");
    assert!(is_held().await, "the pause is not over");
}

#[tokio::test]
async fn a_policy_that_was_never_read_holds_nothing_up() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    world.dns.txt("_mta-sts.out.example", "v=STSv1; id=1;");
    let _peer = world.hosts.usual(1);
    let direct = world.direct();
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(world.asked(), 1);
}

#[tokio::test]
async fn a_policy_is_read_anew_in_time_and_kept_where_that_fails() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    world.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let _peer = world.hosts.peer(1, setup, |_, _| Act::Usual);
    let direct = world.trusting(certificate);
    let later = async |time| {
        tokio::time::pause();
        tokio::time::advance(time).await;
        tokio::time::resume();
    };
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    later(Duration::from_hours(13)).await;
    *world.web.policy.lock().unwrap() = None;
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(world.asked(), 2, "half of its time is over, and what failed is not tried with every mail");
    later(Duration::from_mins(6)).await;
    *world.web.policy.lock().unwrap() = Some(ENFORCE.replace("mx1", "mx7"));
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    assert!(outcome.contains("is not one of the hosts"), "{outcome}");
    assert_eq!(world.asked(), 3);
}

#[tokio::test]
async fn policy_after_restart_is_enforced_without_dns_and_web() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    world.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let peer = world.hosts.peer(1, setup, |_, _| Act::Usual);
    assert_eq!(deliver(&world.trusting(certificate), &mail(&["a@out.example"])).await, ["delivered"]);
    // Another process, to which neither the record nor the policy is served: its peer has no certificate that it trusts.
    *world.web.policy.lock().unwrap() = None;
    world.dns.forget("_mta-sts.out.example");
    let restarted = world.direct();
    for _ in 0..2 {
        let outcome = deliver(&restarted, &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with("deferred TLS with mx1.out.example"), "{outcome}");
    }
    assert_eq!(contents(&peer), 1);
    assert_eq!(world.policies.loads(), 2, "each process has loaded it once");
}

#[tokio::test]
async fn mail_waits_while_the_policies_cannot_be_loaded() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let peer = world.hosts.usual(1);
    let direct = world.direct();
    world.policies.set_failing(true);
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred whether out.example has an MTA-STS policy is unknown, because storage failed");
    assert_eq!(contents(&peer), 0);
    world.policies.set_failing(false);
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
}
