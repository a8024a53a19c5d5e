//! Which host gets the mail.

use std::net::IpAddr;

use super::*;

#[tokio::test]
async fn a_mail_goes_to_the_hosts_of_each_domain() {
    let mut world = world(3).await;
    world.domain("one.example", &[1]);
    world.domain("two.example", &[2]);
    world.domain("xn--bcher-kva.example", &[3]);
    let peers = [1, 2, 3].map(|number| world.hosts.usual(number));
    let to = ["a@one.example", "b@Two.example", "c@ONE.example", "d@b\u{fc}cher.example"];
    assert_eq!(deliver(&world.direct(), &mail(&to)).await, ["delivered"; 4]);
    let heard = |peer: &Peer| {
        let lines = peer.heard(0);
        lines.into_iter().filter(|line| line.starts_with("RCPT")).collect::<Vec<_>>()
    };
    assert_eq!(heard(&peers[0]), ["RCPT TO:<a@one.example>", "RCPT TO:<c@ONE.example>"]);
    assert_eq!(heard(&peers[1]), ["RCPT TO:<b@Two.example>"]);
    assert_eq!(heard(&peers[2]), ["RCPT TO:<d@b\u{fc}cher.example>"]);
    assert_eq!(peers[0].heard(0)[0], "EHLO mail.here.example");
}

#[tokio::test]
async fn a_domain_beyond_ascii_goes_by_its_a_labels_where_smtputf8_is_unknown() {
    let mut world = world(1).await;
    world.domain("xn--bcher-kva.example", &[1]);
    let peer = world.hosts.peer(1, Setup { extensions: &["8BITMIME"], ..Setup::default() }, |_, _| Act::Usual);
    assert_eq!(deliver(&world.direct(), &mail(&["d@b\u{fc}cher.example"])).await, ["delivered"]);
    assert_eq!(peer.heard(0)[1..3], ["MAIL FROM:<scout@here.example>", "RCPT TO:<d@xn--bcher-kva.example>"]);
}

#[tokio::test]
async fn without_mx_records_the_domain_is_its_own_host() {
    let mut world = world(1).await;
    world.dns.host("plain.example", at(1));
    let peer = world.hosts.usual(1);
    assert_eq!(deliver(&world.direct(), &mail(&["a@plain.example"])).await, ["delivered"]);
    assert_eq!(contents(&peer), 1);
}

#[tokio::test]
async fn an_address_literal_names_its_host() {
    let mut world = world(1).await;
    let peer = world.hosts.usual(1);
    assert_eq!(deliver(&world.direct(), &mail(&["a@[127.0.0.1]"])).await, ["delivered"]);
    assert_eq!(peer.heard(0)[2], "RCPT TO:<a@[127.0.0.1]>");
    // Over IPv6 nobody listens, unless this machine has none at all.
    let outcome = deliver(&world.direct(), &mail(&["a@[IPv6:::1]"])).await.remove(0);
    assert!(outcome.starts_with("deferred no connection to [::1] at ::1"), "{outcome}");
}

#[tokio::test]
async fn what_dns_says_for_sure_refuses_and_its_silence_does_not() {
    let world = world(1).await;
    world.dns.mx("null.example", 0, ".");
    world.dns.txt("texts.example", "nothing else");
    world.dns.fail("broken.example");
    world.dns.mx("lost.example", 10, "mx.lost.example");
    world.dns.mx("failing.example", 10, "mx.failing.example");
    world.dns.fail("mx.failing.example");
    let table = [
        ("a@null.example", "refused 5.1.10 null.example takes no mail"),
        ("a@nowhere.example", "refused 5.1.2 nowhere.example has neither"),
        ("a@texts.example", "refused 5.1.2 texts.example has neither"),
        ("a@xn--\u{fc}.example", "refused 5.1.2 the domain has no form"),
        ("a@broken.example", "deferred the MX records of broken.example: "),
        ("a@lost.example", "deferred mx.lost.example has no address"),
        ("a@failing.example", "deferred the addresses of mx.failing.example: "),
    ];
    let outcomes = deliver(&world.direct(), &mail(&table.map(|(recipient, _)| recipient))).await;
    for ((recipient, expected), outcome) in table.into_iter().zip(outcomes) {
        assert!(outcome.starts_with(expected), "{recipient}: {outcome}");
    }
}

#[tokio::test]
async fn the_next_host_and_the_next_address_are_tried() {
    let mut world = world(5).await;
    world.domain("out.example", &[1, 2, 3, 4]);
    world.dns.host("mx4.out.example", at(5));
    world.dns.forget("mx2.out.example");
    world.hosts.gone(1);
    let busy = world.hosts.peer(3, Setup::default(), |_, line| match line {
        "greeting" => Act::SayAndClose("421 4.3.2 too busy"),
        _ => Act::Usual,
    });
    let rude =
        world.hosts.peer(4, Setup::default(), |_, line| if line.starts_with("MAIL") { Act::Close } else { Act::Usual });
    let last = world.hosts.usual(5);
    assert_eq!(deliver(&world.direct(), &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!((contents(&busy), contents(&rude), contents(&last)), (0, 0, 1));
}

#[tokio::test]
async fn every_host_that_failed_is_told() {
    let mut world = world(2).await;
    world.domain("out.example", &[1, 2]);
    world.hosts.gone(1);
    let _closed = world.hosts.peer(2, Setup::default(), |_, line| match line {
        "greeting" => Act::Say("554 5.3.2 not today"),
        _ => Act::Usual,
    });
    let outcome = deliver(&world.direct(), &mail(&["a@out.example"])).await.remove(0);
    assert!(outcome.starts_with("deferred no connection to mx1.out.example at 127.0.0.1: "), "{outcome}");
    assert!(
        outcome.ends_with("; mx2.out.example at 127.0.0.2 answered the connection with: 554 5.3.2 not today"),
        "{outcome}"
    );
}

#[tokio::test]
async fn nobody_leads_us_into_our_own_network() {
    let mut world = world(2).await;
    world.domain("evil.example", &[1]);
    world.domain("half.example", &[1, 2]);
    let peers = [1, 2].map(|number| world.hosts.usual(number));
    let mut options = world.options();
    options.reach = Arc::new(|address: IpAddr| address == at(2));
    let direct = world.direct_with(options);
    let outcomes = deliver(&direct, &mail(&["a@evil.example", "a@half.example", "a@[127.0.0.1]"])).await;
    assert!(
        outcomes[0].starts_with("refused 5.4.4 mx1.evil.example is at 127.0.0.1, which is no public"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1], "delivered", "another host of the domain is public");
    assert!(outcomes[2].starts_with("refused 5.4.4 "), "{outcomes:?}");
    assert_eq!((peers[0].connections(), contents(&peers[1])), (0, 1));
}

#[tokio::test]
async fn mail_that_would_come_back_to_us_is_refused() {
    let mut world = world(2).await;
    // By our name, by our address, and by what the host calls itself.
    world.dns.mx("named.example", 10, "mail.here.example");
    world.dns.host("mail.here.example", at(1));
    world.domain("placed.example", &[1]);
    world.domain("mapped.example", &[2]);
    world.dns.host("plain.mail.here.example", at(1));
    let _ours = world.hosts.usual(1);
    let mapped = world.hosts.peer(2, Setup::default(), |_, line| {
        if line.starts_with("EHLO") {
            Act::Say("250-Mail.Here.example at your service|250 SIZE 1000")
        } else {
            Act::Usual
        }
    });
    let mut options = world.options();
    options.own = vec![own(world.hosts.port)];
    let direct = world.direct_with(options);
    let to = ["a@named.example", "a@placed.example", "a@mapped.example", "a@mail.here.example", "a@[127.0.0.1]"];
    for (recipient, outcome) in to.iter().zip(deliver(&direct, &mail(&to)).await) {
        assert!(outcome.starts_with("refused 5.4.6 "), "{recipient}: {outcome}");
    }
    assert_eq!(mapped.heard(0), ["EHLO mail.here.example"]);
}
