//! Domains with an MTA-STS policy.

use rustls::{ClientConfig, RootCertStore};

use super::tls::{OFFER, certified};
use super::*;
use crate::direct::session::DirectTls;

const ENFORCE: &str = "version: STSv1\nmode: enforce\nmx: mx1.out.example\nmx: mx2.out.example\nmax_age: 86400\n";

impl TestEnv {
    fn publish(&self, id: &str, policy: &str) {
        self.dns.remove("_mta-sts.out.example");
        self.dns.txt("_mta-sts.out.example", &format!("v=STSv1; id={id};"));
        *self.web.policy.lock().unwrap() = Some(policy.to_owned());
    }

    fn asked(&self) -> usize {
        self.web.asked.lock().unwrap().len()
    }

    /// Returns a transport that trusts this certificate only.
    fn trusting(&self, certificate: rustls::pki_types::CertificateDer<'static>) -> DirectTransport {
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let client = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let verified = Arc::new(client.with_root_certificates(roots).with_no_client_auth());
        let tls = DirectTls { verified, ..DirectTls::new().unwrap() };
        DirectTransport::build(self.options(), self.resolver(), self.sources(), tls).unwrap()
    }
}

#[tokio::test]
async fn valid_certificate_is_accepted_and_policy_fetched_once() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let peer = env.hosts.peer(1, setup, |_, _| StubAction::Usual);
    let direct = env.trusting(certificate);
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(contents(&peer), 2);
    assert_eq!(*env.web.asked.lock().unwrap(), ["https://mta-sts.out.example/.well-known/mta-sts.txt"]);
    env.publish("2", ENFORCE);
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!(env.asked(), 2, "the id has changed");
}

#[tokio::test]
async fn message_without_valid_tls_is_deferred() {
    let mut env = env(3).await;
    env.domain("out.example", &[1, 2, 3]);
    env.publish("1", ENFORCE);
    // The first host has a certificate for another name, the second has no TLS, the third is not in the policy.
    let (setup, certificate) = certified("other.example");
    let peers = [
        env.hosts.peer(1, setup, |_, _| StubAction::Usual),
        env.hosts.usual(2),
        env.hosts.peer(3, certified("mx3.out.example").0, |_, _| StubAction::Usual),
    ];
    let direct = env.trusting(certificate);
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    for part in [
        "deferred TLS with mx1.out.example at 127.0.0.1 failed, and the message is not sent in plain text",
        "; mx2.out.example at 127.0.0.2 offers no TLS, which its MTA-STS policy demands",
        "; mx3.out.example is not a host of the MTA-STS policy",
    ] {
        assert!(outcome.contains(part), "{outcome}");
    }
    assert!(peers.iter().all(|peer| contents(peer) == 0));
}

#[tokio::test]
async fn policy_of_mode_testing_or_none_does_not_defer() {
    for mode in ["testing", "none"] {
        let mut env = env(1).await;
        env.domain("out.example", &[1]);
        env.publish("1", &ENFORCE.replace("enforce", mode).replace("mx1", "mx7"));
        let _peer = env.hosts.usual(1);
        assert_eq!(deliver(&env.direct(), &mail(&["a@out.example"])).await, ["delivered"], "{mode}");
    }
}

#[tokio::test]
async fn known_policy_stays_in_force_without_dns_and_web() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.publish("1", ENFORCE);
    let _peer = env.hosts.peer(1, StubSetup { extensions: OFFER, ..StubSetup::default() }, |_, line| {
        if line == "STARTTLS" { StubAction::SayAndClose("220 ready") } else { StubAction::Usual }
    });
    let direct = env.direct();
    let is_held = async || deliver(&direct, &mail(&["a@out.example"])).await.remove(0).starts_with("deferred TLS with");
    assert!(is_held().await);
    // The web fails while the id changes; then DNS fails too.
    env.publish("2", ENFORCE);
    *env.web.policy.lock().unwrap() = None;
    assert!(is_held().await);
    assert!(is_held().await);
    assert_eq!(env.asked(), 2, "a failed fetch is not repeated for every message");
    env.dns.fail("_mta-sts.out.example");
    assert!(is_held().await);
    // A domain withdraws its policy by a new policy of mode `none`.
    env.publish("3", "version: STSv1\nmode: none\nmax_age: 86400\n");
    assert!(is_held().await, "the retry delay has not expired");
}

#[tokio::test]
async fn unfetched_policy_does_not_defer() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.dns.txt("_mta-sts.out.example", "v=STSv1; id=1;");
    let _peer = env.hosts.usual(1);
    let direct = env.direct();
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(env.asked(), 1);
}

#[tokio::test]
async fn policy_is_refreshed_and_stays_after_failed_fetch() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let _peer = env.hosts.peer(1, setup, |_, _| StubAction::Usual);
    let direct = env.trusting(certificate);
    let later = async |time| {
        tokio::time::pause();
        tokio::time::advance(time).await;
        tokio::time::resume();
    };
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    later(Duration::from_hours(13)).await;
    *env.web.policy.lock().unwrap() = None;
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!(
        env.asked(),
        2,
        "refresh is due after half of max_age, and a failed fetch is not repeated for every message"
    );
    later(Duration::from_mins(6)).await;
    *env.web.policy.lock().unwrap() = Some(ENFORCE.replace("mx1", "mx7"));
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    assert!(outcome.contains("is not a host of"), "{outcome}");
    assert_eq!(env.asked(), 3);
}

#[tokio::test]
async fn policy_after_restart_is_enforced_without_dns_and_web() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.publish("1", ENFORCE);
    let (setup, certificate) = certified("mx1.out.example");
    let peer = env.hosts.peer(1, setup, |_, _| StubAction::Usual);
    assert_eq!(deliver(&env.trusting(certificate), &mail(&["a@out.example"])).await, ["delivered"]);
    // Another process cannot fetch record and policy, and its host has no trusted certificate.
    *env.web.policy.lock().unwrap() = None;
    env.dns.remove("_mta-sts.out.example");
    let restarted = env.direct();
    for _ in 0..2 {
        let outcome = deliver(&restarted, &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with("deferred TLS with mx1.out.example"), "{outcome}");
    }
    assert_eq!(contents(&peer), 1);
    assert_eq!(env.policies.loads(), 2, "each process loads it once");
}

#[tokio::test]
async fn message_is_deferred_while_policy_store_fails() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let peer = env.hosts.usual(1);
    let direct = env.direct();
    env.policies.set_failing(true);
    let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred the MTA-STS policy of out.example is unknown, because storage failed");
    assert_eq!(contents(&peer), 0);
    env.policies.set_failing(false);
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
}

#[tokio::test]
async fn stricter_of_operator_level_and_policy_counts() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    env.publish("1", ENFORCE);
    let _peer = env.hosts.peer(1, certified("other.example").0, |_, _| StubAction::Usual);
    let outcome = async |level: &str| {
        let options = DirectOptions { tls_policy: format!("*={level}").parse().unwrap(), ..env.options() };
        deliver(&env.direct_with(options), &mail(&["a@out.example"])).await.remove(0)
    };
    for level in ["opportunistic", "encrypt", "verify"] {
        let found = outcome(level).await;
        assert!(found.contains("because its MTA-STS policy demands TLS"), "{level}: {found}");
    }
    assert_eq!(outcome("may").await, "delivered", "the operator exempts the destination");
}
