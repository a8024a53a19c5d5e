use inboxd_core::app::calendar::{NewEvent, create};
use inboxd_core::testing::fixtures;
use inboxd_core::{Error, LimitedRows};
use inboxd_mail::EntryStatus;

use super::{holds_inbox, world};

fn new_event() -> NewEvent {
    NewEvent {
        title: "Oak".to_owned(),
        start: "2026-11-21T14:00:00".to_owned(),
        end: "2026-11-21T14:30:00".to_owned(),
        client_id: None,
        description: None,
        location: None,
        metadata: None,
        status: EntryStatus::Confirmed,
        all_day: false,
        timezone: Some("UTC".to_owned()),
        duration_mode: None,
        recurrence: None,
        attendees: Vec::new(),
        send_invites: false,
    }
}

#[tokio::test]
async fn creation_over_the_daily_limit_is_refused_before_any_write() {
    let mut world = world();
    let tx = world.unit_of_work();
    holds_inbox(tx);
    tx.calendar.expect_lock_uid().once().returning(|_, _, _| Ok(Vec::new()));
    tx.calendar.expect_count().once().returning(|_, _| Ok(0));
    tx.usage.expect_count_creation().once().returning(|_, _| Ok(u64::MAX));
    let journal = world.journal.clone();
    let inbox_id = fixtures::inbox().inbox_id;
    let refused = create(&world.app(), &fixtures::caller(), &inbox_id, new_event(), [0; 32]).await;
    let is_refused = matches!(refused, Err(Error::RowLimitReached { rows: LimitedRows::Creations { .. }, .. }));
    assert!(is_refused, "{refused:?}");
    assert_eq!(journal.commits(), 0);
}
