//! Answers that are given again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use inboxd_core::model::{ApiKey, Page, Permissions};
use inboxd_core::ports::{SourceMessages, Sources, StoreError, Versions};
use inboxd_core::testing::{FixedClock, World, fixtures};
use time::Duration;

use super::{Answered, call, options, server, with_key, world, world_with};

const MESSAGE: &str = "/v0/inboxes/scout@inboxd.example/messages/question@example.org";
const LIST: &str = "/v0/inboxes/scout@inboxd.example/messages?limit=1";

/// What a store says, and how often it was asked for it.
#[derive(Clone, Default)]
struct Counted {
    /// The version of everything; 0 where it is gone.
    version: Arc<AtomicU32>,
    versions: Arc<AtomicU32>,
    reads: Arc<AtomicU32>,
}

impl Counted {
    fn set(&self, version: u32) {
        self.version.store(version, Ordering::SeqCst);
    }

    /// How often the store was asked since the last time: for versions, and for what is shown.
    fn taken(&self) -> (u32, u32) {
        (self.versions.swap(0, Ordering::SeqCst), self.reads.swap(0, Ordering::SeqCst))
    }
}

fn seen(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::SeqCst);
}

/// A world whose messages have a subject that says their version.
fn prepared(mut world: World) -> (World, Counted) {
    let asked = Counted::default();
    asked.set(1);
    let item = |version: u32| {
        let mut item = fixtures::message_item();
        item.subject = Some(format!("version {version}"));
        item
    };
    let of = asked.clone();
    world.store.expect_versions().returning(move |_| {
        seen(&of.versions);
        let version = of.version.load(Ordering::SeqCst);
        Ok((version > 0).then(|| Versions::of(version.to_be_bytes().to_vec())))
    });
    let of = asked.clone();
    world.store.expect_message().returning(move |_, _, _, _| {
        seen(&of.reads);
        let version = of.version.load(Ordering::SeqCst);
        Ok((version > 0).then(|| fixtures::message(item(version))))
    });
    let of = asked.clone();
    world.store.expect_list_messages().returning(move |_| {
        seen(&of.reads);
        Ok(Page { items: vec![item(of.version.load(Ordering::SeqCst))], next: None })
    });
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    (world, asked)
}

fn subject(answered: &Answered) -> String {
    assert_eq!(answered.status, 200);
    let json = answered.json();
    let shown = json.get("messages").map_or(&json, |messages| &messages[0]);
    shown["subject"].as_str().unwrap().to_owned()
}

/// Asks, and answers the subject that is shown, and what the store was asked for it.
macro_rules! ask {
    ($server:expr, $asked:expr, $uri:expr) => {{
        let answered = call(&$server, with_key("get", $uri)).await;
        (subject(&answered), $asked.taken())
    }};
}

#[actix_web::test]
async fn what_has_not_changed_is_answered_as_before_from_the_third_time_on() {
    for uri in [MESSAGE, LIST] {
        let (world, asked) = prepared(world());
        let server = server(world.app(), options()).await;
        let shown = |version: u32, asked: (u32, u32)| (format!("version {version}"), asked);
        assert_eq!(ask!(server, asked, uri), shown(1, (0, 1)), "{uri}: the first time costs nothing more");
        assert_eq!(ask!(server, asked, uri), shown(1, (1, 1)), "{uri}");
        for _ in 0..3 {
            assert_eq!(ask!(server, asked, uri), shown(1, (1, 0)), "{uri}");
        }
        asked.set(2);
        assert_eq!(ask!(server, asked, uri), shown(2, (1, 1)), "{uri}: it has changed");
        assert_eq!(ask!(server, asked, uri), shown(2, (1, 0)), "{uri}");
        let answered = [call(&server, with_key("get", uri)).await, call(&server, with_key("get", uri)).await];
        let fresh = call(&server, with_key("get", &format!("{uri}{}x=1", if uri == LIST { "&" } else { "?" }))).await;
        let [again, ..] = &answered;
        assert_eq!(again.header("content-type"), Some("application/json"), "{uri}");
        assert_eq!(again.header("cache-control"), Some("no-store"), "{uri}");
        assert_ne!(again.header("x-request-id"), answered[1].header("x-request-id"), "{uri}");
        assert_eq!((&again.body, again.header("content-type")), (&fresh.body, fresh.header("content-type")), "{uri}");
    }
}

#[actix_web::test]
async fn whoever_may_no_longer_is_refused_whatever_was_answered_before() {
    let (world, asked) = prepared(world());
    let server = server(world.app(), options()).await;
    for _ in 0..3 {
        ask!(server, asked, MESSAGE);
    }
    asked.set(0);
    assert_eq!(call(&server, with_key("get", MESSAGE)).await.status, 404);
    asked.set(1);
    asked.taken();
    for other in ["Bearer am_other", "Bearer "] {
        let request = with_key("get", MESSAGE).insert_header(("Authorization", other));
        assert_eq!((call(&server, request).await.status, asked.taken()), (401, (0, 0)), "{other:?}");
    }
}

#[actix_web::test]
async fn an_answer_is_given_again_for_ten_seconds_and_while_its_key_works() {
    for (expires_in, until) in [(None, 10), (Some(4), 4)] {
        let expires_at = expires_in.map(|seconds| fixtures::NOW + Duration::seconds(seconds));
        let (mut world, asked) = prepared(world_with(ApiKey { expires_at, ..fixtures::api_key() }));
        world.clock = FixedClock::at(fixtures::NOW);
        let clock = world.clock.clone();
        let server = server(world.app(), options()).await;
        for _ in 0..2 {
            ask!(server, asked, MESSAGE);
        }
        clock.advance(Duration::seconds(until) - Duration::MILLISECOND);
        assert_eq!(ask!(server, asked, MESSAGE).1, (1, 0));
        clock.advance(Duration::MILLISECOND);
        let answered = call(&server, with_key("get", MESSAGE)).await;
        assert_eq!(answered.status, if expires_in.is_some() { 401 } else { 200 });
        assert_eq!(asked.taken(), (1, u32::from(expires_in.is_none())));
    }
}

#[actix_web::test]
async fn what_depends_on_more_than_its_messages_is_made_anew_each_time() {
    let filtered = ["labels=unread", "from=anna", "before=2026-11-18T00:00:00Z", "ascending=true", "include_spam=true"];
    let filtered = filtered.map(|filter| format!("{LIST}&{filter}"));
    // A path that can be read in two ways.
    let unclear = "/v0/inboxes/scout@inboxd.example/messages/que%2541stion@example.org".to_owned();
    for uri in filtered.into_iter().chain([unclear]) {
        let (world, asked) = prepared(world());
        let server = server(world.app(), options()).await;
        for _ in 0..4 {
            ask!(server, asked, &uri);
            let answered = call(&server, with_key("get", &uri)).await;
            assert_eq!((answered.status, asked.taken().0), (200, 0), "{uri}");
        }
    }
}

#[actix_web::test]
async fn a_hidden_label_that_the_key_may_not_read_is_no_filter() {
    let permissions = Permissions([("message_read".to_owned(), true)].into());
    let (world, asked) = prepared(world_with(ApiKey { permissions: Some(permissions), ..fixtures::api_key() }));
    let server = server(world.app(), options()).await;
    let uri = format!("{LIST}&include_spam=true");
    for expected in [(0, 1), (1, 1), (1, 0)] {
        assert_eq!(ask!(server, asked, &uri).1, expected);
    }
}

#[actix_web::test]
async fn where_versions_cannot_be_asked_for_storage_fails() {
    let mut world = world();
    world.store.expect_versions().once().returning(|_| Err(StoreError::Unavailable("gone".to_owned())));
    world.store.expect_message().once().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
    let server = server(world.app(), options()).await;
    for status in [200, 503] {
        assert_eq!(call(&server, with_key("get", MESSAGE)).await.status, status);
    }
}

#[actix_web::test]
async fn what_changes_while_it_is_read_is_read_anew() {
    let mut world = world();
    let version = Arc::new(AtomicU32::new(0));
    let of = Arc::clone(&version);
    world
        .store
        .expect_versions()
        .returning(move |_| Ok(Some(Versions::of(of.load(Ordering::SeqCst).to_be_bytes().to_vec()))));
    // Each reader sees what was there, and it changes before they have written it down: but for the last.
    world.store.expect_message().times(4).returning(move |_, _, _, _| {
        let mut item = fixtures::message_item();
        let seen = version.load(Ordering::SeqCst);
        version.store((seen + 1).min(3), Ordering::SeqCst);
        item.subject = Some(format!("version {seen}"));
        Ok(Some(fixtures::message(item)))
    });
    let server = server(world.app(), options()).await;
    for expected in ["version 0", "version 1", "version 2", "version 3", "version 3", "version 3"] {
        assert_eq!(subject(&call(&server, with_key("get", MESSAGE)).await), expected);
    }
}

#[actix_web::test]
async fn large_answers_are_not_kept() {
    let mut world = world();
    world.store.expect_message().times(3).returning(|_, _, _, _| {
        let mut message = fixtures::message(fixtures::message_item());
        message.body.text = Some("x".repeat(256 * 1024));
        Ok(Some(message))
    });
    let server = server(world.app(), options()).await;
    for _ in 0..3 {
        assert_eq!(call(&server, with_key("get", MESSAGE)).await.status, 200);
    }
}

#[actix_web::test]
async fn storage_is_asked_for_the_key_the_inbox_and_what_is_shown() {
    for (uri, messages) in [
        (MESSAGE, SourceMessages::One(fixtures::message_id("<question@example.org>"))),
        (LIST, SourceMessages::Newest(1)),
    ] {
        let mut world = world();
        let expected = Sources {
            organization_id: fixtures::organization().organization_id,
            api_key_id: fixtures::api_key().api_key_id,
            member_id: None,
            inbox_id: fixtures::inbox_id("scout@inboxd.example"),
            messages,
        };
        world.store.expect_versions().times(1).returning(move |sources| {
            assert_eq!(*sources, expected);
            Ok(None)
        });
        world.store.expect_message().returning(|_, _, _, _| Ok(Some(fixtures::message(fixtures::message_item()))));
        let page = || Page { items: vec![fixtures::message_item()], next: None };
        world.store.expect_list_messages().returning(move |_| Ok(page()));
        let server = server(world.app(), options()).await;
        for _ in 0..2 {
            assert_eq!(call(&server, with_key("get", uri)).await.status, 200);
        }
    }
}
