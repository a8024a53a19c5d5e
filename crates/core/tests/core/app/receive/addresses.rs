use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use inboxd_core::app::{App, NotReceived, Place, domains, recipient};
use inboxd_core::model::Scope;
use inboxd_core::ports::StoreError;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, address, id};
use time::Duration;

use super::{destination_of, to_inbox, world};
use crate::app::domains::locks_domain;
use crate::app::{locks, within};

/// An environment that counts recipient lookups and runs an action before each response.
fn counting(mut before: impl FnMut(usize) + Send + 'static) -> (World, Arc<AtomicUsize>) {
    let mut world = World::default();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    world.store.expect_destinations().returning(move |addresses| {
        before(counted.fetch_add(1, Ordering::SeqCst));
        Ok(addresses.iter().map(destination_of).collect())
    });
    (world, asked)
}

/// Expects the deletion of a domain with this result of the commit.
fn expect_deletion(world: &mut World, commit_fails: Option<StoreError>) {
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    locks_domain(tx, fixtures::domain());
    tx.domains.expect_count_inboxes().returning(|_| Ok(0));
    tx.domains.expect_delete().returning(|_, _| Ok(()));
    tx.commit_fails = commit_fails;
}

#[tokio::test]
async fn mail_is_accepted_for_existing_inboxes() {
    assert_eq!(
        recipient(&world().app(), &address("Scout+x@inboxd.example")).await,
        Ok(to_inbox("Scout+x@inboxd.example"))
    );
    let quoted = address("\"sc\\out\"@inboxd.example");
    assert_eq!(recipient(&world().app(), &quoted).await, Ok(to_inbox("\"scout\"@inboxd.example")));
    let operator = address("\"Postmaster\"@inboxd.example");
    assert_eq!(recipient(&world().app(), &operator).await.map(|found| found.place), Ok(Place::Operator));
    let nobody = address("nobody@inboxd.example");
    assert_eq!(recipient(&world().app(), &nobody).await, Err(NotReceived::UnknownRecipient(nobody)));
}

#[tokio::test]
async fn known_inbox_is_looked_up_once_a_second_and_unknown_one_always() {
    let (world, asked) = counting(|_| ());
    let clock = world.clock.clone();
    let app = world.app();
    let (scout, nobody) = (address("scout@inboxd.example"), address("nobody@inboxd.example"));
    for (milliseconds, questions) in [(0, 1), (0, 1), (999, 1), (1, 2), (0, 2)] {
        clock.advance(Duration::milliseconds(milliseconds));
        assert_eq!(recipient(&app, &scout).await, Ok(to_inbox("scout@inboxd.example")));
        assert_eq!(asked.load(Ordering::SeqCst), questions, "{milliseconds}");
    }
    for questions in 3..=4 {
        assert_eq!(recipient(&app, &nobody).await, Err(NotReceived::UnknownRecipient(nobody.clone())));
        assert_eq!(asked.load(Ordering::SeqCst), questions);
    }
}

#[tokio::test]
async fn cache_is_invalidated_after_change_with_any_commit_result() {
    for commit_fails in [None, Some(StoreError::Undecided("no answer".to_owned()))] {
        let (mut world, asked) = counting(|_| ());
        expect_deletion(&mut world, commit_fails.clone());
        let app = world.app();
        let scout = address("scout@inboxd.example");
        recipient(&app, &scout).await.unwrap();
        let deleted = domains::delete(&app, &within(&fixtures::caller(), Scope::Organization), id(30)).await;
        assert_eq!(deleted.is_err(), commit_fails.is_some());
        for _ in 0..2 {
            recipient(&app, &scout).await.unwrap();
            assert_eq!(asked.load(Ordering::SeqCst), 2, "{commit_fails:?}");
        }
    }
}

#[tokio::test]
async fn lookup_started_before_change_is_not_cached() {
    let app = Arc::new(OnceLock::<App>::new());
    let known = Arc::clone(&app);
    let (mut world, asked) = counting(move |question| {
        if question == 0 {
            let deleted =
                domains::delete(known.get().unwrap(), &within(&fixtures::caller(), Scope::Organization), id(30))
                    .now_or_never();
            assert!(matches!(deleted, Some(Ok(()))));
        }
    });
    expect_deletion(&mut world, None);
    app.set(world.app()).unwrap_or_else(|_| panic!("set once"));
    let scout = address("scout@inboxd.example");
    for questions in [1, 2, 2] {
        recipient(app.get().unwrap(), &scout).await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), questions);
    }
}
