//! Delivery outcomes by server reply.

use tokio::sync::Notify;

use super::*;

#[tokio::test]
async fn destinations_have_independent_outcomes() {
    let mut env = env(3).await;
    for number in 1..=3 {
        env.domain(&format!("d{number}.example"), &[number]);
    }
    env.hosts.gone(2);
    let _grey = env.hosts.peer(1, StubSetup::default(), |_, line| match line {
        "RCPT TO:<grey@d1.example>" => StubAction::Say("451 4.7.1 come back later"),
        "RCPT TO:<gone@d1.example>" => StubAction::Say("550 5.1.1 unknown"),
        _ => StubAction::Usual,
    });
    let _spam = env.hosts.peer(3, StubSetup::default(), |_, line| {
        if line == "." { StubAction::Say("554 5.7.1 spam") } else { StubAction::Usual }
    });
    let to = ["grey@d1.example", "a@d2.example", "fine@d1.example", "a@d3.example", "gone@d1.example"];
    let outcomes = deliver(&env.direct(), &mail(&to)).await;
    assert_eq!(outcomes[0], "deferred mx1.d1.example at 127.0.0.1 replied to RCPT: 451 4.7.1 come back later");
    assert!(outcomes[1].starts_with("deferred no connection to mx2.d2.example at 127.0.0.2"), "{outcomes:?}");
    assert_eq!(outcomes[2..], ["delivered", "refused 5.7.1 554 5.7.1 spam", "refused 5.1.1 550 5.1.1 unknown"]);
}

#[tokio::test]
async fn reply_of_first_host_decides() {
    for (stage, answer, expected) in [
        ("MAIL", "550 5.7.1 not you", "refused 5.7.1 "),
        ("MAIL", "451 4.3.0 later", "deferred mx1.out.example at 127.0.0.1 replied to MAIL: 451"),
        ("RCPT", "550 5.1.1 unknown", "refused 5.1.1 "),
        ("RCPT", "450 4.2.0 greylisted", "deferred mx1.out.example at 127.0.0.1 replied to RCPT: 450"),
        ("MAIL", "550 5.1.0 sender", "refused 5.7.0 550 5.1.0 sender"),
        ("MAIL", "550 5.1.1 sender", "refused 5.7.0 "),
        ("MAIL", "553 5.1.8 sender", "refused 5.1.8 "),
        ("MAIL", "552 5.0.0 size", "refused 5.3.4 "),
        ("RCPT", "550 no", "refused 5.7.1 "),
        ("RCPT", "550 User unknown", "refused 5.0.0 "),
        ("RCPT", "550 Your IP 192.0.2.1 is listed at Spamhaus", "refused 5.7.1 "),
        ("RCPT", "550 Sender verify failed", "refused 5.7.1 "),
        ("RCPT", "554 Transaction failed", "refused 5.7.1 "),
        ("DATA", "554 5.5.0 no", "refused 5.6.0 "),
        (".", "554 5.0.0 no", "refused 5.6.0 "),
        (".", "554 5.7.1 no", "refused 5.7.1 "),
        (".", "552 5.2.0 no", "refused 5.3.4 "),
        // With a single recipient, the status can only concern that recipient.
        (".", "550 5.1.1 unknown after all", "refused 5.1.1 "),
        (".", "554 5.6.0 refused after all", "refused 5.6.0 "),
        (".", "452 4.3.1 full", "deferred mx1.out.example at 127.0.0.1 replied to the content: 452"),
    ] {
        let mut env = env(2).await;
        env.domain("out.example", &[1, 2]);
        let script = move |_: usize, line: &str| {
            if line.starts_with(stage) { StubAction::Say(answer) } else { StubAction::Usual }
        };
        let _first = env.hosts.peer(1, StubSetup::default(), script);
        let second = env.hosts.usual(2);
        let outcome = deliver(&env.direct(), &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with(expected), "{stage}: {outcome}");
        assert_eq!(second.connections(), 0, "{stage}");
    }
}

#[tokio::test]
async fn content_refusal_for_several_recipients_blames_none() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let script =
        |_: usize, line: &str| if line == "." { StubAction::Say("550 5.1.1 unknown") } else { StubAction::Usual };
    let _peer = env.hosts.peer(1, StubSetup::default(), script);
    let outcomes = deliver(&env.direct(), &mail(&["a@out.example", "b@out.example"])).await;
    assert_eq!(outcomes, ["refused 5.6.0 550 5.1.1 unknown"; 2]);
}

#[tokio::test]
async fn possibly_accepted_message_is_sent_to_no_other_host() {
    let mut env = env(2).await;
    env.domain("out.example", &[1, 2]);
    let first = env
        .hosts
        .peer(1, StubSetup::default(), |_, line| if line == "." { StubAction::Close } else { StubAction::Usual });
    let second = env.hosts.usual(2);
    let outcome = deliver(&env.direct(), &mail(&["a@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred the connection to mx1.out.example at 127.0.0.1 broke at the content");
    assert_eq!((contents(&first), second.connections()), (1, 0));
}

#[tokio::test]
async fn slow_destination_defers_undecided_recipients() {
    let mut env = env(2).await;
    env.domain("slow.example", &[1]);
    env.domain("out.example", &[2]);
    let _slow = env.hosts.peer(1, StubSetup::default(), |_, line| match line {
        "RCPT TO:<gone@slow.example>" => StubAction::Say("550 5.1.1 unknown"),
        "DATA" => StubAction::Hang,
        _ => StubAction::Usual,
    });
    let _usual = env.hosts.usual(2);
    let mut options = env.options();
    options.timeouts.command = Duration::from_hours(1);
    options.timeouts.total = Duration::from_millis(500);
    let to = ["gone@slow.example", "a@slow.example", "a@out.example"];
    let direct = env.direct_with(options);
    let outcomes = deliver(&direct, &mail(&to)).await;
    // Later messages skip the host.
    assert!(direct.host_status.unreachable_reason(SocketAddr::new(at(1), env.hosts.port)).is_some());
    assert_eq!(
        outcomes,
        ["refused 5.1.1 550 5.1.1 unknown", "deferred delivery to slow.example took too long", "delivered"]
    );
}

#[tokio::test]
async fn reply_to_content_may_exceed_total_limit() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let ask = Arc::new(Notify::new());
    let asked = Arc::clone(&ask);
    // The server replies after the total limit has expired.
    let peer = env.hosts.peer(1, StubSetup::default(), move |_, line| {
        if line == "." { StubAction::UsualAfter(Arc::clone(&asked)) } else { StubAction::Usual }
    });
    let mut options = env.options();
    options.timeouts.data_end = Duration::from_hours(1);
    options.timeouts.total = Duration::from_secs(1);
    let total = options.timeouts.total;
    let direct = env.direct_with(options);
    let delivery = tokio::spawn(async move { deliver(&direct, &mail(&["a@out.example"])).await });
    // After twice the limit, a delivery that gave up would have ended.
    tokio::time::sleep(2 * total).await;
    ask.notify_one();
    assert_eq!(delivery.await.unwrap(), ["delivered"]);
    assert_eq!(contents(&peer), 1);
}
