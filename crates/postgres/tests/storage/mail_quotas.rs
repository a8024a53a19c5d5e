use inboxd_core::model::{MailCharge, MailLimits};
use time::{Duration, OffsetDateTime};

use crate::support::*;

fn charge(tag: u32) -> MailCharge {
    let limits = MailLimits { per_hour: 3, per_day: 5 };
    MailCharge::of_mailbox(&address(&format!("Victim+{tag}@example.org")), limits)
}

/// Charges until the quota is exhausted. Returns the number of mails and the time of the next permitted one.
async fn used_up(world: &World, now: OffsetDateTime) -> (u32, OffsetDateTime) {
    for tag in 0.. {
        let mut tx = world.begin().await;
        let until = tx.mail_quotas().charge(&charge(tag), now).await.unwrap();
        tx.commit().await.unwrap();
        if let Some(until) = until {
            return (tag, until);
        }
    }
    unreachable!("the quota is unlimited")
}

#[tokio::test]
async fn mailbox_quota_covers_all_tags_and_refills() {
    let world = world().await;
    let now = at(0);
    assert_eq!(used_up(&world, now).await, (3, now + Duration::minutes(20)));
    assert_eq!(used_up(&world, now + Duration::minutes(20)).await.0, 1);
    let (allowed, until) = used_up(&world, now + Duration::hours(1)).await;
    assert_eq!(allowed, 1, "the daily quota is exhausted");
    assert_eq!(until, now + Duration::minutes(24 * 60 / 5));
}

#[tokio::test]
async fn charge_of_dropped_unit_of_work_does_not_count() {
    let world = world().await;
    for tag in 0..10 {
        let mut tx = world.begin().await;
        assert_eq!(tx.mail_quotas().charge(&charge(tag), at(0)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn unlimited_quota_is_never_exhausted() {
    let world = world().await;
    let unlimited = MailCharge { limits: MailLimits { per_hour: 0, per_day: 0 }, ..charge(0) };
    let mut tx = world.begin().await;
    for _ in 0..50 {
        assert_eq!(tx.mail_quotas().charge(&unlimited, at(0)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn expired_quotas_are_purged() {
    let world = world().await;
    used_up(&world, at(0)).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.mail_quotas().purge(at(0) + Duration::hours(2), 10).await.unwrap(), 0);
    assert_eq!(tx.mail_quotas().purge(at(0) + Duration::days(1), 10).await.unwrap(), 1);
}
