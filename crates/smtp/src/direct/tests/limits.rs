//! Connection limits and reuse.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn next_message_to_host_reuses_connection() {
    let mut env = env(1).await;
    env.domain("one.example", &[1]);
    env.domain("two.example", &[1]);
    let peer = env.hosts.usual(1);
    let direct = env.direct();
    for _ in 0..3 {
        assert_eq!(deliver(&direct, &mail(&["a@one.example"])).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), contents(&peer)), (1, 3));
    // A session of one host name is not reused for another.
    assert_eq!(deliver(&direct, &mail(&["a@two.example"])).await, ["delivered"]);
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn closed_idle_connection_is_replaced() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let peer = env.hosts.peer(1, StubSetup::default(), |connection, line| match (connection, line) {
        (0, "RSET") => StubAction::Close,
        _ => StubAction::Usual,
    });
    let mut options = env.options();
    options.timeouts.liveness_ttl = Duration::ZERO;
    let direct = env.direct_with(options);
    for _ in 0..2 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!((peer.connections(), contents(&peer)), (2, 2));
}

#[tokio::test]
async fn connections_to_host_stay_within_limit() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let open = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let counts = Arc::clone(&open);
    // MAIL begins a message and its final dot ends it, so the counter holds the messages in progress at the host.
    let peer = env.hosts.peer(1, StubSetup::default(), move |_, line| {
        if line.starts_with("MAIL") {
            let now = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
            counts.1.fetch_max(now, Ordering::SeqCst);
        } else if line == "." {
            counts.0.fetch_sub(1, Ordering::SeqCst);
        }
        StubAction::Usual
    });
    let direct = Arc::new(env.direct());
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
async fn unreachable_host_is_skipped_by_later_messages() {
    let mut env = env(2).await;
    env.domain("out.example", &[1, 2]);
    let hung = env
        .hosts
        .peer(1, StubSetup::default(), |_, line| if line == "greeting" { StubAction::Hang } else { StubAction::Usual });
    let peer = env.hosts.usual(2);
    let mut options = env.options();
    options.timeouts.greeting = Duration::from_millis(100);
    let direct = env.direct_with(options);
    for _ in 0..3 {
        assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    }
    assert_eq!((hung.connections(), contents(&peer)), (0, 3));
    assert!(direct.host_status.unreachable_reason(SocketAddr::new(at(1), env.hosts.port)).is_some());
    env.domain("alone.example", &[1]);
    let outcome = deliver(&direct, &mail(&["a@alone.example"])).await.remove(0);
    assert_eq!(outcome, "deferred mx1.out.example at 127.0.0.1 did not reply to the connection in time, a moment ago");
}

#[tokio::test]
async fn refusing_host_is_not_marked_unreachable() {
    let mut env = env(1).await;
    env.domain("out.example", &[1]);
    let peer = env.hosts.peer(1, StubSetup::default(), |connection, line| match (connection, line) {
        (0, "greeting") => StubAction::SayAndClose("421 4.7.0 try again later"),
        (1, line) if line.starts_with("MAIL") => StubAction::Say("421 4.7.0 try again later"),
        _ => StubAction::Usual,
    });
    let direct = env.direct();
    for _ in 0..2 {
        let outcome = deliver(&direct, &mail(&["a@out.example"])).await.remove(0);
        assert!(outcome.starts_with("deferred ") && outcome.contains("421 4.7.0"), "{outcome}");
    }
    assert_eq!(deliver(&direct, &mail(&["a@out.example"])).await, ["delivered"]);
    assert_eq!(contents(&peer), 1);
}

#[tokio::test]
async fn host_without_free_permit_defers_without_other_host() {
    let mut env = env(2).await;
    env.domain("out.example", &[1, 2]);
    let peer = env
        .hosts
        .peer(1, StubSetup::default(), |_, line| if line == "DATA" { StubAction::Hang } else { StubAction::Usual });
    let second = env.hosts.usual(2);
    let mut options = env.options();
    options.max_connections = 1;
    options.acquire_timeout = Duration::from_millis(100);
    options.timeouts.command = Duration::from_hours(1);
    let direct = Arc::new(env.direct_with(options));
    let first = Arc::clone(&direct);
    let first = tokio::spawn(async move { deliver(&*first, &mail(&["a@out.example"])).await });
    inboxd_testkit::eventually("the host has the first message", async || {
        (peer.connections() == 1 && peer.received(0).iter().any(|line| line == "DATA")).then_some(())
    })
    .await;
    let outcome = deliver(&*direct, &mail(&["b@out.example"])).await.remove(0);
    assert_eq!(outcome, "deferred mx1.out.example at 127.0.0.1 has no free connection permit");
    assert_eq!(second.connections(), 0);
    first.abort();
}
