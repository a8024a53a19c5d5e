//! Unwritable log.

use inboxd_core::ports::StoreError;
use inboxd_core::testing::World;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::{answer, request, with_key, world};

/// A log on a full disk.
struct Full;

impl Subscriber for Full {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        panic!("no space left on device");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[actix_web::test]
async fn response_is_sent_with_unwritable_log() {
    let _full = tracing::subscriber::set_default(Full);
    let healthy = answer(World::default(), request("get", "/health")).await;
    assert_eq!(healthy.status, 200);
    assert!(healthy.header("x-request-id").is_some());
    assert_eq!(answer(world(), with_key("get", "/nowhere")).await.status, 404);
    let mut world = World::default();
    world.store.expect_credential().returning(|_| Err(StoreError::Unavailable("no connection".to_owned())));
    assert_eq!(answer(world, with_key("get", "/v0/auth/me")).await.status, 503);
    let mut world = World::default();
    world.store.expect_credential().returning(|_| panic!("secret detail"));
    assert_eq!(answer(world, with_key("get", "/v0/auth/me")).await.status, 500);
}
