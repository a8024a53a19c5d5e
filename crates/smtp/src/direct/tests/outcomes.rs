//! What each recipient's servers say, and what becomes of it.

use tokio::sync::Notify;

use super::*;

#[tokio::test]
async fn destinations_fare_for_themselves() {
    let mut world = world(3).await;
    for number in 1..=3 {
        world.domain(&format!("d{number}.example"), &[number]);
    }
    world.hosts.gone(2);
    let _grey = world.hosts.peer(1, Setup::default(), |_, line| match line {
        "RCPT TO:<grey@d1.example>" => Act::Say("451 4.7.1 come back later"),
        "RCPT TO:<gone@d1.example>" => Act::Say("550 5.1.1 unknown"),
        _ => Act::Usual,
    });
    let _spam = world
        .hosts
        .peer(3, Setup::default(), |_, line| if line == "." { Act::Say("554 5.7.1 spam") } else { Act::Usual });
    let to = ["grey@d1.example", "a@d2.example", "fine@d1.example", "a@d3.example", "gone@d1.example"];
    let outcomes = deliver(&world.direct(), &mail(&to)).await;
    assert_eq!(outcomes[0], "deferred mx1.d1.example at 127.0.0.1 answered RCPT with: 451 4.7.1 come back later");
    assert!(outcomes[1].starts_with("deferred no connection to mx2.d2.example at 127.0.0.2"), "{outcomes:?}");
    assert_eq!(outcomes[2..], ["delivered", "refused 5.7.1 554 5.7.1 spam", "refused 5.1.1 550 5.1.1 unknown"]);
}

#[tokio::test]
async fn an_answer_is_an_answer_and_no_other_host_is_asked() {
    for (stage, answer, expected) in [
        ("MAIL", "550 5.7.1 not you", "refused 5.7.1 "),
        ("MAIL", "451 4.3.0 later", "deferred mx1.out.example at 127.0.0.1 answered MAIL with: 451"),
        ("RCPT", "550 5.1.1 unknown", "refused 5.1.1 "),
        ("RCPT", "450 4.2.0 greylisted", "deferred mx1.out.example at 127.0.0.1 answered RCPT with: 450"),
        ("MAIL", "550 5.1.0 sender", "refused 5.7.0 550 5.1.0 sender"),
        ("MAIL", "550 5.1.1 sender", "refused 5.7.0 "),
        ("MAIL", "553 5.1.8 sender", "refused 5.1.8 "),
        ("MAIL", "552 5.0.0 size", "refused 5.3.4 "),
        ("RCPT", "550 no", "refused 5.0.0 "),
        ("DATA", "554 5.5.0 no", "refused 5.6.0 "),
        (".", "554 5.0.0 no", "refused 5.6.0 "),
        (".", "554 5.7.1 no", "refused 5.7.1 "),
        (".", "552 5.2.0 no", "refused 5.3.4 "),
        // Said of a single recipient, it can only be meant for that one.
        (".", "550 5.1.1 unknown after all", "refused 5.1.1 "),
        (".", "554 5.6.0 refused after all", "refused 5.6.0 "),
        (".", "452 4.3.1 full", "deferred mx1.out.example at 127.0.0.1 answered the mail with: 452"),
    ] {
        let mut world = world(2).await;
        world.domain("out.example", &[1, 2]);
        let script = move |_: usize, line: &str| if line.starts_with(stage) { Act::Say(answer) } else { Act::Usual };
        let _first = world.hosts.peer(1, Setup::default(), script);
        let second = world.hosts.usual(2);
        let outcome = deliver(&world.direct(), &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with(expected), "{stage}: {outcome}");
        assert_eq!(second.connections(), 0, "{stage}");
    }
}

#[tokio::test]
async fn what_is_said_of_the_mail_of_several_is_held_against_none() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let script = |_: usize, line: &str| if line == "." { Act::Say("550 5.1.1 unknown") } else { Act::Usual };
    let _peer = world.hosts.peer(1, Setup::default(), script);
    let outcomes = deliver(&world.direct(), &mail(&["a@out.example", "b@out.example"])).await;
    assert_eq!(outcomes, ["refused 5.6.0 550 5.1.1 unknown"; 2]);
}

#[tokio::test]
async fn a_mail_that_may_have_been_taken_goes_to_nobody_else() {
    let mut world = world(2).await;
    world.domain("out.example", &[1, 2]);
    let first = world.hosts.peer(1, Setup::default(), |_, line| if line == "." { Act::Close } else { Act::Usual });
    let second = world.hosts.usual(2);
    let outcome = deliver(&world.direct(), &mail(&["a@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred the connection to mx1.out.example at 127.0.0.1 broke at the mail");
    assert_eq!((contents(&first), second.connections()), (1, 0));
}

#[tokio::test]
async fn what_takes_too_long_is_deferred_with_what_is_known() {
    let mut world = world(2).await;
    world.domain("slow.example", &[1]);
    world.domain("out.example", &[2]);
    let _slow = world.hosts.peer(1, Setup::default(), |_, line| match line {
        "RCPT TO:<gone@slow.example>" => Act::Say("550 5.1.1 unknown"),
        "DATA" => Act::Hang,
        _ => Act::Usual,
    });
    let _usual = world.hosts.usual(2);
    let mut options = world.options();
    options.timeouts.command = Duration::from_hours(1);
    options.timeouts.total = Duration::from_millis(500);
    let to = ["gone@slow.example", "a@slow.example", "a@out.example"];
    let direct = world.direct_with(options);
    let outcomes = deliver(&direct, &mail(&to)).await;
    // The mails behind pass the host by.
    assert!(direct.memory.unreachable(SocketAddr::new(at(1), world.hosts.port)).is_some());
    assert_eq!(
        outcomes,
        ["refused 5.1.1 550 5.1.1 unknown", "deferred handing the mail to slow.example took too long", "delivered"]
    );
}

#[tokio::test]
async fn the_answer_to_a_whole_mail_is_waited_for_beyond_the_time_of_all_else() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let ask = Arc::new(Notify::new());
    let asked = Arc::clone(&ask);
    // The host answers once the time of all else is over.
    let peer = world.hosts.peer(1, Setup::default(), move |_, line| {
        if line == "." { Act::UsualAfter(Arc::clone(&asked)) } else { Act::Usual }
    });
    let mut options = world.options();
    options.timeouts.data_end = Duration::from_hours(1);
    options.timeouts.total = Duration::from_secs(1);
    let total = options.timeouts.total;
    let direct = world.direct_with(options);
    let delivery = tokio::spawn(async move { deliver(&direct, &mail(&["a@out.example"])).await });
    // Twice as long: whoever gave up did so by now.
    tokio::time::sleep(2 * total).await;
    ask.notify_one();
    assert_eq!(delivery.await.unwrap(), ["delivered"]);
    assert_eq!(contents(&peer), 1);
}
