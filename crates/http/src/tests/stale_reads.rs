//! Requests that accept stale data: choice of the storage, and repetition on the primary.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_core::ports::{StandbyRead, Standbys, Store, StoreError};
use inboxd_core::testing::{World, fixtures};

use super::{call, options, server, with_key, world};
use crate::limiter::RequestRates;
use crate::state::HttpOptions;

const MESSAGE: &str = "/v0/inboxes/scout@inboxd.example/messages/question@example.org";

/// A standby that is 1.5 s stale.
struct OneStandby {
    store: Arc<dyn Store>,
    /// Number of reported failures.
    failures: AtomicUsize,
}

impl Standbys for OneStandby {
    fn choose(&self, max_staleness: Duration) -> Option<StandbyRead> {
        let staleness = Duration::from_millis(1500);
        let chosen = StandbyRead { store: Arc::clone(&self.store), staleness, number: 3 };
        (staleness <= max_staleness).then_some(chosen)
    }

    fn report_failure(&self, number: usize) {
        assert_eq!(number, 3);
        self.failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lets a store return a message about a subject, none or an error.
fn with_message(mut world: World, found: Result<Option<&'static str>, StoreError>) -> World {
    world.store.expect_message().returning(move |_, _, _, _| {
        let message = |subject: &str| {
            let mut item = fixtures::message_item();
            item.subject = Some(subject.to_owned());
            fixtures::message(item)
        };
        found.clone().map(|subject| subject.map(message))
    });
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    world
}

#[actix_web::test]
async fn standby_serves_success_within_the_accepted_staleness_alone() {
    let away = || Err(StoreError::Unavailable("away".to_owned()));
    for (directive, on_standby, expected, staleness, failures) in [
        ("max-stale", Ok(Some("standby")), "standby", Some("2"), 0),
        ("max-stale=2", Ok(Some("standby")), "standby", Some("2"), 0),
        ("max-stale=1", Ok(Some("standby")), "primary", None, 0),
        ("max-age=60", Ok(Some("standby")), "primary", None, 0),
        ("max-stale", Ok(None), "primary", None, 0),
        ("max-stale", away(), "primary", None, 1),
    ] {
        // The standby knows no key: the primary authenticates.
        let standby_store = with_message(World::default(), on_standby.clone()).app().store;
        let standby = Arc::new(OneStandby { store: standby_store, failures: AtomicUsize::new(0) });
        let options = HttpOptions { standbys: Some(Arc::clone(&standby) as Arc<dyn Standbys>), ..options() };
        let server = server(with_message(world(), Ok(Some("primary"))).app(), options).await;
        let answered = call(&server, with_key("get", MESSAGE).insert_header(("Cache-Control", directive))).await;
        assert_eq!(answered.status, 200, "{directive} {on_standby:?}");
        assert_eq!(answered.json()["subject"], expected, "{directive} {on_standby:?}");
        assert_eq!(answered.header("inboxd-staleness"), staleness, "{directive} {on_standby:?}");
        assert_eq!(standby.failures.load(Ordering::Relaxed), failures, "{directive} {on_standby:?}");
    }
}

#[actix_web::test]
async fn refusal_of_a_stale_read_comes_from_the_primary() {
    let store = with_message(World::default(), Ok(None)).app().store;
    let standby = Arc::new(OneStandby { store, failures: AtomicUsize::new(0) });
    let options = HttpOptions { standbys: Some(standby), ..options() };
    let server = server(with_message(world(), Ok(None)).app(), options).await;
    let answered = call(&server, with_key("get", MESSAGE).insert_header(("Cache-Control", "max-stale"))).await;
    assert_eq!((answered.status, answered.code().as_str()), (404, "not_found"));
    assert_eq!(answered.header("inboxd-staleness"), None);
}

#[actix_web::test]
async fn repetition_on_the_primary_needs_no_second_turn_and_no_second_request_of_the_key() {
    let store = with_message(World::default(), Ok(None)).app().store;
    let standby = Arc::new(OneStandby { store, failures: AtomicUsize::new(0) });
    let (rates, organization_requests) = (RequestRates::new(0, 1), 1);
    let options = HttpOptions { standbys: Some(standby), rates, organization_requests, ..options() };
    let server = server(with_message(world(), Ok(Some("primary"))).app(), options).await;
    // A rate of one a second permits ten at once.
    for _ in 0..10 {
        let answered = call(&server, with_key("get", MESSAGE).insert_header(("Cache-Control", "max-stale"))).await;
        assert_eq!(answered.status, 200);
    }
}

#[actix_web::test]
async fn known_tag_of_a_stale_read_keeps_its_staleness() {
    let store = with_message(World::default(), Ok(Some("standby"))).app().store;
    let standby = Arc::new(OneStandby { store, failures: AtomicUsize::new(0) });
    let options = HttpOptions { standbys: Some(standby), ..options() };
    let server = server(world().app(), options).await;
    let request = || with_key("get", MESSAGE).insert_header(("Cache-Control", "max-stale"));
    let first = call(&server, request()).await;
    let tag = first.header("etag").unwrap().to_owned();
    let second = call(&server, request().insert_header(("If-None-Match", tag))).await;
    assert_eq!((second.status, second.header("inboxd-staleness")), (304, Some("2")));
}
