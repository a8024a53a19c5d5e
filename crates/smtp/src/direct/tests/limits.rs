//! Connections: how many, how long, and which are not even tried.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn the_next_mail_to_a_host_goes_over_the_same_connection() {
    let mut world = world(1).await;
    world.domain("one.example", &[1]);
    world.domain("two.example", &[1]);
    let peer = world.hosts.usual(1);
    let direct = world.direct();
    for _ in 0..3 {
        assert_eq!(deliver(&direct, &mail(&["a@one.example"])).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), contents(&peer)), (1, 3));
    // What is said to one name is not said to another.
    assert_eq!(deliver(&direct, &mail(&["a@two.example"])).await, ["delivered"]);
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn a_waiting_connection_that_died_is_replaced() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let peer = world.hosts.peer(1, Setup::default(), |connection, line| match (connection, line) {
        (0, "RSET") => Act::Close,
        _ => Act::Usual,
    });
    let mut options = world.options();
    options.timeouts.fresh = Duration::ZERO;
    let direct = world.direct_with(options);
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), contents(&peer)), (2, 2));
}

#[tokio::test]
async fn a_host_never_has_more_connections_than_it_may() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let open = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counts = Arc::clone(&open);
    // Each mail is begun by MAIL and answered at its end: what lies between is in the host's hands at the same time.
    let peer = world.hosts.peer(1, Setup::default(), move |_, line| {
        if line.starts_with("MAIL") {
            let now = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
            counts.1.fetch_max(now, Ordering::SeqCst);
        } else if line == "." {
            counts.0.fetch_sub(1, Ordering::SeqCst);
        }
        Act::Usual
    });
    let direct = Arc::new(world.direct());
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let direct = Arc::clone(&direct);
            tokio::spawn(async move { deliver(&*direct, &mail(&["a@out.example"])).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), ["delivered"]);
    }
    assert!(open.1.load(Ordering::SeqCst) <= 4, "{open:?}");
    assert!(peer.connections() <= 4, "{}", peer.connections());
}

#[tokio::test]
async fn a_host_that_could_not_be_reached_is_not_tried_by_the_mails_behind() {
    let mut world = world(2).await;
    world.domain("out.example", &[1, 2]);
    let hung = world.hosts.peer(1, Setup::default(), |_, line| if line == "greeting" { Act::Hang } else { Act::Usual });
    let peer = world.hosts.usual(2);
    let mut options = world.options();
    options.timeouts.greeting = Duration::from_millis(100);
    let direct = world.direct_with(options);
    for _ in 0..3 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!((hung.connections(), contents(&peer)), (0, 3));
    assert!(direct.memory.unreachable(SocketAddr::new(at(1), world.hosts.port)).is_some());
    world.domain("alone.example", &[1]);
    let outcome = deliver(&direct, &mail(&["a@alone.example"])).await.remove(0);
    assert_eq!(outcome, "deferred mx1.out.example at 127.0.0.1 did not answer the connection in time, a moment ago");
}

#[tokio::test]
async fn one_that_refuses_mail_is_not_held_for_dead() {
    let mut world = world(1).await;
    world.domain("out.example", &[1]);
    let peer = world.hosts.peer(1, Setup::default(), |connection, line| match (connection, line) {
        (0, "greeting") => Act::SayAndClose("421 4.7.0 try again later"),
        (1, line) if line.starts_with("MAIL") => Act::Say("421 4.7.0 try again later"),
        _ => Act::Usual,
    });
    let direct = world.direct();
    for _ in 0..2 {
        let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with("deferred ") && outcome.contains("421 4.7.0"), "{outcome}");
    }
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!(contents(&peer), 1);
}

#[tokio::test]
async fn a_host_that_is_busy_with_our_own_mail_is_waited_for_and_no_other_is_asked() {
    let mut world = world(2).await;
    world.domain("out.example", &[1, 2]);
    let peer = world.hosts.peer(1, Setup::default(), |_, line| if line == "DATA" { Act::Hang } else { Act::Usual });
    let second = world.hosts.usual(2);
    let mut options = world.options();
    options.connections = 1;
    options.turn = Duration::from_millis(100);
    options.timeouts.command = Duration::from_hours(1);
    let direct = Arc::new(world.direct_with(options));
    let first = Arc::clone(&direct);
    let first = tokio::spawn(async move { deliver(&*first, &mail(&["a@out.example"])).await });
    inboxd_testkit::eventually("the first mail is with the host", async || {
        (peer.connections() == 1 && peer.heard(0).iter().any(|line| line == "DATA")).then_some(())
    })
    .await;
    let outcome = deliver(&*direct, &mail(&["b@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred mx1.out.example at 127.0.0.1 has as many connections of ours as it gets");
    assert_eq!(second.connections(), 0);
    first.abort();
}
