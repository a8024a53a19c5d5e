//! Choice of the mail host.

use std::net::IpAddr;

use super::*;

#[tokio::test]
async fn message_is_sent_to_hosts_of_each_domain() {
    let mut env = env(3).await;
    env.domain("one.example", &[1]);
    env.domain("two.example", &[2]);
    env.domain("xn--bcher-kva.example", &[3]);
    let peers = [1, 2, 3].map(|number| env.hosts.usual(number));
    let to = ["a@one.example", "b@Two.example", "c@ONE.example", "d@b\u{fc}cher.example"];
    assert_eq!(deliver(&env.direct(), &mail(&to)).await, ["delivered"; 4]);
    let received = |peer: &StubServer| {
        let lines = peer.received(0);
        lines.into_iter().filter(|line| line.starts_with("RCPT")).collect::<Vec<_>>()
    };
    assert_eq!(received(&peers[0]), ["RCPT TO:<a@one.example>", "RCPT TO:<c@ONE.example>"]);
    assert_eq!(received(&peers[1]), ["RCPT TO:<b@Two.example>"]);
    assert_eq!(received(&peers[2]), ["RCPT TO:<d@b\u{fc}cher.example>"]);
    assert_eq!(peers[0].received(0)[0], "EHLO mail.here.example");
}

#[tokio::test]
async fn domain_is_sent_as_a_labels_without_smtputf8() {
    let mut env = env(1).await;
    env.domain("xn--bcher-kva.example", &[1]);
    let peer =
        env.hosts.peer(1, StubSetup { extensions: &["8BITMIME"], ..StubSetup::default() }, |_, _| StubAction::Usual);
    assert_eq!(deliver(&env.direct(), &mail(&["d@b\u{fc}cher.example"])).await, ["delivered"]);
    assert_eq!(peer.received(0)[1..3], ["MAIL FROM:<scout@here.example>", "RCPT TO:<d@xn--bcher-kva.example>"]);
}

#[tokio::test]
async fn domain_without_mx_is_its_own_host() {
    let mut env = env(1).await;
    env.dns.host("plain.example", at(1));
    let peer = env.hosts.usual(1);
    assert_eq!(deliver(&env.direct(), &mail(&["a@plain.example"])).await, ["delivered"]);
    assert_eq!(contents(&peer), 1);
}

#[tokio::test]
async fn address_literal_is_delivered_to_its_address() {
    let mut env = env(1).await;
    let peer = env.hosts.usual(1);
    assert_eq!(deliver(&env.direct(), &mail(&["a@[127.0.0.1]"])).await, ["delivered"]);
    assert_eq!(peer.received(0)[2], "RCPT TO:<a@[127.0.0.1]>");
    // Nothing listens on IPv6, and this machine may have none.
    let outcome = deliver(&env.direct(), &mail(&["a@[IPv6:::1]"])).await.remove(0);
    assert!(outcome.starts_with("deferred no connection to [::1] at ::1"), "{outcome}");
}

#[tokio::test]
async fn definite_dns_answer_refuses_and_failure_defers() {
    let env = env(1).await;
    env.dns.mx("null.example", 0, ".");
    env.dns.txt("texts.example", "nothing else");
    env.dns.fail("broken.example");
    env.dns.mx("lost.example", 10, "mx.lost.example");
    env.dns.mx("failing.example", 10, "mx.failing.example");
    env.dns.fail("mx.failing.example");
    let table = [
        ("a@null.example", "refused 5.1.10 null.example accepts no mail"),
        ("a@nowhere.example", "refused 5.1.2 nowhere.example has neither"),
        ("a@texts.example", "refused 5.1.2 texts.example has neither"),
        ("a@xn--\u{fc}.example", "refused 5.1.2 the domain has no ASCII form"),
        ("a@broken.example", "deferred the MX records of broken.example: "),
        ("a@lost.example", "deferred mx.lost.example has no address"),
        ("a@failing.example", "deferred the addresses of mx.failing.example: "),
    ];
    let outcomes = deliver(&env.direct(), &mail(&table.map(|(recipient, _)| recipient))).await;
    for ((recipient, expected), outcome) in table.into_iter().zip(outcomes) {
        assert!(outcome.starts_with(expected), "{recipient}: {outcome}");
    }
}

#[tokio::test]
async fn next_host_and_address_are_tried_after_failure() {
    let mut env = env(5).await;
    env.domain("out.example", &[1, 2, 3, 4]);
    env.dns.host("mx4.out.example", at(5));
    env.dns.remove("mx2.out.example");
    env.hosts.gone(1);
    let busy = env.hosts.peer(3, StubSetup::default(), |_, line| match line {
        "greeting" => StubAction::SayAndClose("421 4.3.2 too busy"),
        _ => StubAction::Usual,
    });
    let rude = env.hosts.peer(4, StubSetup::default(), |_, line| {
        if line.starts_with("MAIL") { StubAction::Close } else { StubAction::Usual }
    });
    let last = env.hosts.usual(5);
    assert_eq!(deliver(&env.direct(), &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!((contents(&busy), contents(&rude), contents(&last)), (0, 0, 1));
}

#[tokio::test]
async fn deferral_names_each_failed_host() {
    let mut env = env(2).await;
    env.domain("out.example", &[1, 2]);
    env.hosts.gone(1);
    let _closed = env.hosts.peer(2, StubSetup::default(), |_, line| match line {
        "greeting" => StubAction::Say("554 5.3.2 not today"),
        _ => StubAction::Usual,
    });
    let outcome = deliver(&env.direct(), &mail(&["a@out.example"])).await.remove(0);
    assert!(outcome.starts_with("deferred no connection to mx1.out.example at 127.0.0.1: "), "{outcome}");
    assert!(
        outcome.ends_with("; mx2.out.example at 127.0.0.2 replied to the connection: 554 5.3.2 not today"),
        "{outcome}"
    );
}

#[tokio::test]
async fn private_address_of_mx_is_not_contacted() {
    let mut env = env(2).await;
    env.domain("evil.example", &[1]);
    env.domain("half.example", &[1, 2]);
    let peers = [1, 2].map(|number| env.hosts.usual(number));
    let mut options = env.options();
    options.may_connect = Arc::new(|address: IpAddr| address == at(2));
    let direct = env.direct_with(options);
    let outcomes = deliver(&direct, &mail(&["a@evil.example", "a@half.example", "a@[127.0.0.1]"])).await;
    assert!(
        outcomes[0].starts_with("refused 5.4.4 mx1.evil.example has the address 127.0.0.1, which is not public"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1], "delivered", "the other host of the domain is public");
    assert!(outcomes[2].starts_with("refused 5.4.4 "), "{outcomes:?}");
    assert_eq!((peers[0].connections(), contents(&peers[1])), (0, 1));
}

#[tokio::test]
async fn message_to_own_host_is_refused() {
    let mut env = env(2).await;
    // Own hosts are recognized by name, by address and by their EHLO response.
    env.dns.mx("named.example", 10, "mail.here.example");
    env.dns.host("mail.here.example", at(1));
    env.domain("placed.example", &[1]);
    env.domain("mapped.example", &[2]);
    env.dns.host("plain.mail.here.example", at(1));
    let _ours = env.hosts.usual(1);
    let mapped = env.hosts.peer(2, StubSetup::default(), |_, line| {
        if line.starts_with("EHLO") {
            StubAction::Say("250-Mail.Here.example at your service|250 SIZE 1000")
        } else {
            StubAction::Usual
        }
    });
    let mut options = env.options();
    options.own_addresses = vec![own(env.hosts.port)];
    let direct = env.direct_with(options);
    let to = ["a@named.example", "a@placed.example", "a@mapped.example", "a@mail.here.example", "a@[127.0.0.1]"];
    for (recipient, outcome) in to.iter().zip(deliver(&direct, &mail(&to)).await) {
        assert!(outcome.starts_with("refused 5.4.6 "), "{recipient}: {outcome}");
    }
    assert_eq!(mapped.received(0), ["EHLO mail.here.example"]);
}
