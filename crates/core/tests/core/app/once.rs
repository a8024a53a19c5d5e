use inboxd_core::app::{Repeatable, once, purge_send_keys};
use inboxd_core::model::{IdempotencyClaim, SendResult, UsedKey};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::{Error, LimitReached};
use time::Duration;

fn sent() -> SendResult {
    SendResult { message_id: message_id("<a@inboxd.example>"), thread_id: id(1), held: None }
}

fn repeatable() -> Repeatable {
    Repeatable { key: "a".to_owned(), request: [1; 32] }
}

/// An environment with this state of the key and no commit.
fn used(request: [u8; 32], sent: Option<SendResult>) -> World {
    let mut world = World::default();
    let used = UsedKey { request, sent };
    world.unit_of_work().idempotency_keys.expect_claim().once().returning(move |_, _, _| Ok(Some(used.clone())));
    world
}

async fn never(_: Option<IdempotencyClaim>) -> Result<SendResult, Error> {
    panic!("the message is sent")
}

#[tokio::test]
async fn send_without_key_claims_nothing() {
    let send = async |claim: Option<IdempotencyClaim>| {
        assert_eq!(claim, None);
        Ok(sent())
    };
    assert_eq!(once(&World::default().app(), &fixtures::caller(), None, send).await.unwrap(), sent());
}

#[tokio::test]
async fn free_key_is_claimed_for_a_minute_before_send() {
    let mut world = World::default();
    world.unit_of_work().idempotency_keys.expect_claim().once().returning(|key, _, times| {
        assert_eq!((key.organization_id, key.key.as_str(), key.request), (id(1), "a", [1; 32]));
        assert_eq!((times.now, times.until, times.forgotten), (NOW, NOW + Duration::MINUTE, NOW - Duration::DAY));
        Ok(None)
    });
    let journal = world.journal.clone();
    let send = async |claim: Option<IdempotencyClaim>| {
        assert_eq!((claim.unwrap().key.as_str(), journal.commits()), ("a", 1));
        Ok(sent())
    };
    assert_eq!(once(&world.app(), &fixtures::caller(), Some(repeatable()), send).await.unwrap(), sent());
}

#[tokio::test]
async fn repeated_key_and_request_return_first_result() {
    let world = used([1; 32], Some(sent()));
    assert_eq!(once(&world.app(), &fixtures::caller(), Some(repeatable()), never).await.unwrap(), sent());
}

#[tokio::test]
async fn key_with_other_request_conflicts_during_and_after_first() {
    for answer in [None, Some(sent())] {
        let refused = once(&used([2; 32], answer).app(), &fixtures::caller(), Some(repeatable()), never).await;
        assert!(matches!(&refused, Err(Error::SendKeyReused(key)) if key == "a"), "{refused:?}");
    }
}

#[tokio::test]
async fn repetition_during_running_request_is_refused() {
    let refused = once(&used([1; 32], None).app(), &fixtures::caller(), Some(repeatable()), never).await;
    assert!(matches!(&refused, Err(Error::SendKeyInUse(key)) if key == "a"), "{refused:?}");
}

#[tokio::test]
async fn refused_send_releases_key() {
    let mut world = World::default();
    world.unit_of_work().idempotency_keys.expect_claim().once().returning(|_, _, _| Ok(None));
    world.unit_of_work().idempotency_keys.expect_release().once().returning(|claim| {
        assert_eq!(claim.key, "a");
        Ok(())
    });
    let journal = world.journal.clone();
    let send = async |_| Err(Error::LimitReached { which: LimitReached::Storage, limit: 1, verified: true });
    let refused = once(&world.app(), &fixtures::caller(), Some(repeatable()), send).await;
    assert!(matches!(refused, Err(Error::LimitReached { .. })), "{refused:?}");
    assert_eq!(journal.commits(), 2);
}

#[tokio::test]
async fn keys_are_purged_after_24_hours_in_batches() {
    for (purged, more) in [(1000, true), (999, false)] {
        let mut world = World::default();
        world.unit_of_work().idempotency_keys.expect_purge().once().returning(move |forgotten, limit| {
            assert_eq!((forgotten, limit), (NOW - Duration::DAY, 1000));
            Ok(purged)
        });
        let journal = world.journal.clone();
        assert_eq!(purge_send_keys(&world.app()).await.unwrap(), more);
        assert_eq!(journal.commits(), 1);
    }
}
