use inboxd_core::model::{NewMail, SendCounts, UsageChange};
use time::{Date, Month};

use crate::support::*;

fn day(month: Month, day: u8) -> Date {
    Date::from_calendar_date(2026, month, day).unwrap()
}

#[tokio::test]
async fn usage_changes_add_up_within_one_call() {
    let world = world().await;
    let inbox_id = world.inbox_id().clone();
    let change = |storage_bytes| UsageChange { storage_bytes, messages: 1, threads: 1 };
    let mut tx = world.begin().await;
    let changes = [100, 20].map(|bytes| (world.organization_id(), inbox_id.clone(), change(bytes)));
    tx.usage().change(&changes).await.unwrap();
    tx.usage().change(&[(world.organization_id(), inbox_id, change(-50))]).await.unwrap();
    tx.usage().change(&[]).await.unwrap();
    assert_eq!(tx.usage().storage_bytes(world.organization_id()).await.unwrap(), 70);
}

#[tokio::test]
async fn storage_covers_existing_inboxes_of_organization() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let change = UsageChange { storage_bytes: 100, messages: 1, threads: 1 };
    let mut tx = world.begin().await;
    tx.usage().change(&[(world.organization_id(), world.inbox_id().clone(), change)]).await.unwrap();
    assert_eq!(tx.usage().storage_bytes(other.organization_id).await.unwrap(), 0);
    tx.commit().await.unwrap();
    delete_inbox(&world.store, &world.inbox).await;
    // A change that was in progress during the deletion of the inbox does not count.
    let mut tx = world.begin().await;
    tx.usage().change(&[(world.organization_id(), world.inbox_id().clone(), change)]).await.unwrap();
    assert_eq!(tx.usage().storage_bytes(world.organization_id()).await.unwrap(), 0);
}

#[tokio::test]
async fn sends_are_counted_by_day_and_month() {
    let world = world().await;
    let id = world.organization_id();
    for sent in [day(Month::October, 31), day(Month::November, 1), day(Month::November, 2), day(Month::November, 2)] {
        let mail = NewMail { sends: vec![(id, sent, 1)], ..NewMail::default() };
        world.begin().await.commit_with(&mail).await.unwrap();
    }
    let mut tx = world.begin().await;
    let counts = tx.usage().sends(id, day(Month::November, 2)).await.unwrap();
    assert_eq!(counts, SendCounts { today: 2, this_month: 3 });
    let counts = tx.usage().sends(id, day(Month::November, 3)).await.unwrap();
    assert_eq!(counts, SendCounts { today: 0, this_month: 3 });
    let counts = tx.usage().sends(id, day(Month::December, 1)).await.unwrap();
    assert_eq!(counts, SendCounts { today: 0, this_month: 0 });
}
